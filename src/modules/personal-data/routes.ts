import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import {
  OUTSIDE_ERRORS,
  OWNER_PROOF_ERRORS,
  OwnerProof,
  proveOutside,
  SignIn,
  verifyOwnerOrName,
  wrongCode,
  wrongPassword,
} from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import {
  attemptCounter,
  Empty,
  language,
  limitByteRequests,
  ownAttemptCounter,
  routesOn,
  type Server,
  sendBytes,
  Type,
} from '#platform/http'
import {
  ArchiveAddress,
  ArchiveQuery,
  badExportAddress,
  DataExport,
  ExportParams,
  type ExportRow,
  exportNotReady,
  exportRunning,
  exportTooSoon,
  findArchive,
  findExport,
  listExports,
  noSuchExport,
  OutsideExport,
  SignedExportQuery,
} from './queries.ts'
import { askExport, askExportOutside, endExport, getReadyExport } from './service.ts'

const HOUR = 3_600_000

const exportView = (row: ExportRow): DataExport => ({
  id: row.id,
  state: row.state,
  size: row.size,
  rows: row.rows_count,
  files: row.files_count,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
  expires_at: wireTimeOrNull(row.expires_at),
})

const archiveSignature = (id: number, expires: string) => `export\n${id}\n${expires}`

function archiveAddress(ctx: Context, id: number): string {
  const expires = String(Date.now() + HOUR)
  const signature = ctx.secrets.sign(archiveSignature(id, expires))
  return `${ctx.config.publicUrl}/storage/exports/${id}?${new URLSearchParams({ expires, signature })}`
}

const LISTED = 100

export function exportRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('POST /user/exports', {
    operationId: 'requestExport',
    summary: 'Export all my data as an archive; a notification follows',
    access: 'user',
    whileSilenced: true,
    body: OwnerProof,
    reply: { 202: DataExport },
    errors: [...OWNER_PROOF_ERRORS, wrongPassword, wrongCode, exportRunning, exportTooSoon],
    handler: async (call) => {
      const use = await verifyOwnerOrName(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body)
      return exportView(await askExport(ctx, call.viewer.id, use, language(call.request)))
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
    summary: 'Read the state of an export of my data',
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
    summary: 'Redirect to the archive of an export, or return its URL with `json`',
    access: 'user',
    cookie: 'elements',
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
    summary: 'Delete the archive of an export before it expires',
    access: 'user',
    whileSilenced: true,
    params: ExportParams,
    reply: { 204: Empty },
    errors: [noSuchExport],
    handler: ({ viewer, params }) => endExport(ctx, viewer.id, params.export),
  })

  route('POST /auth/exports', {
    operationId: 'requestExportOutside',
    summary: 'Export the data of my suspended account with login and password, or read the progress',
    tag: 'Accounts',
    access: 'public',
    body: SignIn,
    example: { login: 'ann', password: 'the password' },
    reply: { 202: OutsideExport },
    errors: [...OUTSIDE_ERRORS, exportRunning, exportTooSoon],
    handler: async (call) => {
      const { id, hold } = await proveOutside(ctx, attemptCounter(ctx, call), call.body)
      const row = await askExportOutside(ctx, id, hold, language(call.request))
      return { ...exportView(row), url: row.state === 'ready' ? archiveAddress(ctx, row.id) : null }
    },
  })
}

/** Serves archives by signed URL outside the API, with rate limits per client address. */
export function archiveBytesRoutes(server: Server, ctx: Context) {
  server.get(
    '/storage/exports/:export',
    {
      config: { access: 'public' },
      onRequest: limitByteRequests(ctx),
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
        name: `data-export-${id}.zip`,
        mime: 'application/zip',
        size: found.size,
        tag: `export-${id}`,
        cacheControl: 'private, no-store',
        open: async (range) => (await ctx.storage.open(found.key, range)).stream,
      })
    },
  )
}
