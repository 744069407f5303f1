import type { Context } from '#platform/context.ts'
import { countBytes } from '#platform/http/bytes-limit.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, language, ownAttemptsOf, type Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { sendBytes } from '#platform/storage/send.ts'
import { wrongCode } from '../errors.ts'
import { wrongPassword } from '../passwords/errors.ts'
import { PROOF_ERRORS } from '../proofs/errors.ts'
import { Proof } from '../proofs/schema.ts'
import { proveAccount } from '../proofs/service.ts'
import { OUTSIDE_ERRORS } from '../sign-in/errors.ts'
import { SignIn } from '../sign-in/schema.ts'
import { proveOutside } from '../sign-in/service.ts'
import { badExportAddress, exportNotReady, exportRunning, exportTooSoon, noSuchExport } from './errors.ts'
import { findArchive, findExport, listExports } from './queries.ts'
import {
  ArchiveAddress,
  ArchiveQuery,
  DataExport,
  ExportParams,
  OutsideExport,
  SignedExportQuery,
} from './schema.ts'
import { askExport, askExportOutside, endExport, getReadyExport } from './service.ts'
import { archiveAddress, archiveSignature, exportView } from './view.ts'

const LISTED = 100

/** Taking one's data along (rights-9). */
export function exportRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('POST /user/exports', {
    operationId: 'requestExport',
    summary: 'Have everything that is mine made into an archive; I am told when it is ready',
    access: 'user',
    whileSilenced: true,
    body: Proof,
    reply: { 202: DataExport },
    errors: [...PROOF_ERRORS, wrongPassword, wrongCode, exportRunning, exportTooSoon],
    handler: async (call) => {
      const { id } = call.viewer
      const use = await proveAccount(ctx, ownAttemptsOf(ctx, call), id, call.body)
      return exportView(await askExport(ctx, id, use, language(call.request)))
    },
  })

  route('GET /user/exports', {
    operationId: 'listExports',
    summary: 'List the exports of my data, newest first',
    access: 'user',
    reply: { 200: Type.Array(DataExport) },
    handler: async ({ viewer }) => (await listExports(ctx.sql, viewer.id, LISTED)).map(exportView),
  })

  route('GET /user/exports/:export', {
    operationId: 'getExport',
    summary: 'Read how an export of my data stands',
    access: 'user',
    params: ExportParams,
    reply: { 200: DataExport },
    errors: [noSuchExport],
    handler: async ({ viewer, params }) => {
      const row = await findExport(ctx.sql, viewer.id, params.export)
      if (!row) throw noSuchExport()
      return exportView(row)
    },
  })

  route('GET /user/exports/:export/archive', {
    operationId: 'getExportArchive',
    summary: 'Leads to the archive of an export, or with `json` tells its address',
    access: 'user',
    params: ExportParams,
    query: ArchiveQuery,
    reply: { 200: ArchiveAddress, 302: Type.Null() },
    errors: [noSuchExport, exportNotReady],
    handler: async ({ viewer, params, query: { json }, reply }) => {
      const { id } = await getReadyExport(ctx, viewer.id, params.export)
      const url = archiveAddress(ctx, id)
      return json === undefined || json === '0' || json === 'false' ? reply.redirect(url, 302) : { url }
    },
  })

  route('DELETE /user/exports/:export', {
    operationId: 'endExport',
    summary: 'Delete the archive of an export before its time',
    access: 'user',
    whileSilenced: true,
    params: ExportParams,
    reply: { 204: Empty },
    errors: [noSuchExport],
    handler: ({ viewer, params }) => endExport(ctx, viewer.id, params.export),
  })

  route('POST /auth/exports', {
    operationId: 'requestExportOutside',
    summary:
      'Take my data along although I cannot sign in, with what I sign in with; asked again it says how far it is',
    tag: 'Accounts',
    access: 'public',
    body: SignIn,
    example: { login: 'ann', password: 'the password' },
    reply: { 202: OutsideExport },
    errors: [...OUTSIDE_ERRORS, exportRunning, exportTooSoon],
    handler: async (call) => {
      const { id, hold } = await proveOutside(ctx, attemptsOf(ctx, call), call.body)
      const row = await askExportOutside(ctx, id, hold, language(call.request))
      return { ...exportView(row), url: row.state === 'ready' ? archiveAddress(ctx, row.id) : null }
    },
  })
}

/** The signed addresses of archives. Outside the API: there is no identity, and limits are by address. */
export function archiveBytesRoutes(server: Server, ctx: Context) {
  server.get(
    '/storage/exports/:export',
    {
      config: { access: 'public' },
      onRequest: countBytes(ctx),
      schema: { hide: true, params: ExportParams, querystring: SignedExportQuery },
    },
    async (request, reply) => {
      const { expires = '', signature = '' } = request.query
      const { export: id } = request.params
      const isGood = ctx.secrets.verify(archiveSignature(id, expires), signature)
      if (!isGood || !(Number(expires) > Date.now())) throw badExportAddress()
      const found = await findArchive(ctx.sql, id)
      if (!found) throw noSuchExport()
      return sendBytes(request, reply, {
        name: `kith-export-${id}.zip`,
        mime: 'application/zip',
        size: found.size,
        tag: `export-${id}`,
        cacheControl: 'private, no-store',
        open: async (range) => (await ctx.storage.open(found.key, range)).stream,
      })
    },
  )
}
