import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { askerOf, countBytes } from '#platform/http/bytes-limit.ts'
import { routesOn } from '#platform/http/route.ts'
import { inScope, type Server, say } from '#platform/http.ts'
import type { ImageRule } from '#platform/media/images.ts'
import { parseRule, roundRule } from '#platform/media/rule.ts'
import { Type } from '#platform/schema.ts'
import { sendBytes } from '#platform/storage/send.ts'
import {
  badSignature,
  fileBroken,
  fileMissing,
  filePaid,
  noSuchFile,
  refusedFile,
  UPLOAD_ERRORS,
} from '../errors.ts'
import {
  FileParams,
  FileQuery,
  FileUrl,
  Md5Params,
  SignedQuery,
  type UnpaidKind,
  UploadedFile,
  UploadForm,
} from '../schema.ts'
import { sendableBytes } from '../service.ts'
import { fileSignature, signedFileUrl } from '../view.ts'
import { listFiles, reuseFile } from './queries.ts'
import { isCutShort, saveUpload } from './service.ts'

type Use = { owner_id: number; channel: string | null; raw: number | null }

/** What the modules above know of a file: files are below them and must not ask. */
export type FileRoutesOptions = {
  /** What of its price this viewer has not paid. */
  findUnpaid(fileId: number, viewerId: number): Promise<UnpaidKind>
  /** Whether it belongs to something that this viewer may not see. */
  isHidden(file: Use, viewerId: number): Promise<boolean>
  /** Channels whose files nobody may pass on: their addresses are good for minutes, and none from before is. */
  confidential: ReadonlySet<string>
}

/** `/files` under the API, where uploads get an id and lead to their bytes. */
export function uploadRoutes(server: Server, ctx: Context, options: FileRoutesOptions) {
  inScope(server, async (scope) => {
    await scope.register(multipart, {
      limits: { files: 1, fields: 10, fieldSize: 10_000, fileSize: ctx.config.maxUploadBytes },
      throwFileSizeLimit: false,
    })
    const upload = routesOn(scope, ctx, { tag: 'Files' })

    upload('POST /files', {
      operationId: 'uploadFile',
      summary: 'Upload a file as multipart field `file`; the id is used once, in a feed or the like',
      access: 'user',
      consumes: ['multipart/form-data'],
      body: UploadForm,
      reply: { 201: UploadedFile },
      errors: UPLOAD_ERRORS,
      handler: async ({ request, viewer, reply }) => {
        reply.raw.once('close', () => {
          // Of a request that was read to its end the server does not hear that nobody waits for the answer.
          if (!reply.raw.writableFinished && request.caller) request.caller.isGone = true
        })
        const id = await receiveUpload(ctx, request, viewer.id)
        return { ...say(request, 'Uploaded.', '上传成功。'), id, url: signedFileUrl(ctx, id, {}, false) }
      },
    })
  })

  const route = routesOn(server, ctx, { tag: 'Files' })

  route('GET /files/uploaded/:md5', {
    operationId: 'reuseFile',
    summary: 'Use again what you uploaded before, found by the MD5 of its bytes',
    access: 'user',
    params: Md5Params,
    reply: { 200: UploadedFile },
    errors: [noSuchFile],
    handler: async ({ params, viewer, request }) => {
      const id = await reuseFile(ctx.sql, viewer.id, { md5: Buffer.from(params.md5, 'hex') })
      if (id === undefined) throw noSuchFile()
      return {
        ...say(request, 'The file exists.', '文件已存在。'),
        id,
        url: signedFileUrl(ctx, id, {}, false),
      }
    },
  })

  route('GET /files/:file', {
    operationId: 'getFile',
    summary: 'Leads to the bytes, or with `json` tells their address; w, h, q and b shape a picture',
    access: 'optional',
    params: FileParams,
    query: FileQuery,
    reply: { 200: FileUrl, 302: Type.Null() },
    errors: [noSuchFile, filePaid],
    handler: async ({ params, query, viewer, reply }) => {
      const { w, h, q, b, json } = query
      const [file] = await listFiles(ctx.sql, [params.file])
      if (!file) throw noSuchFile()
      const [isHidden, unpaid] = await Promise.all([
        options.isHidden(file, viewer.id),
        options.findUnpaid(file.id, viewer.id),
      ])
      if (isHidden) throw noSuchFile()
      const rule = shownUnpaid(unpaid, file.mime.startsWith('image/'), { w, h, q, b })
      const rounded = file.mime.startsWith('image/') ? roundRule(rule, file) : {}
      const url = signedFileUrl(ctx, file.id, rounded, options.confidential.has(file.channel ?? ''))
      // Who pays must see the clear picture at once, so the way to it is asked for each time.
      reply.header('Cache-Control', 'private, no-cache')
      return json === undefined || json === '0' || json === 'false' ? reply.redirect(url, 302) : { url }
    },
  })
}

const previewSide = 720

/** What somebody sees who has not paid (files-6): a blurred picture to read, a small one to download, else nothing. */
function shownUnpaid(unpaid: UnpaidKind, isImage: boolean, rule: ImageRule): ImageRule {
  if (unpaid === null) return rule
  if (!isImage) throw filePaid()
  if (unpaid === 'read') return { ...rule, b: 96 }
  return {
    ...rule,
    w: Math.min(rule.w || previewSide, previewSide),
    h: Math.min(rule.h || previewSide, previewSide),
  }
}

/** The id of the first file of a multipart request, kept for its sender. */
async function receiveUpload(ctx: Context, request: FastifyRequest, ownerId: number): Promise<number> {
  if (!request.isMultipart()) throw refusedFile('file', fileMissing)
  try {
    const part = await request.file()
    if (part?.fieldname !== 'file') {
      part?.file.resume()
      throw refusedFile('file', fileMissing)
    }
    return await saveUpload(ctx, ownerId, part.file)
  } catch (error) {
    throw isCutShort(error) ? refusedFile('file', fileBroken) : error
  }
}

/** The same for the addresses of bytes, which tell nobody who asks. */
export type BytesOptions = {
  confidential: ReadonlySet<string>
  isGone(ctx: Context, file: Use): Promise<boolean>
}

/** The signed addresses that `/files/{id}` leads to. Outside the API: there is no identity, and limits are by address. */
export const uploadBytesRoutes =
  ({ confidential: confidentialOnes, isGone }: BytesOptions) =>
  (server: Server, ctx: Context) => {
    server.get(
      '/storage/files/:file',
      {
        config: { access: 'public' },
        onRequest: countBytes(ctx),
        schema: { hide: true, params: FileParams, querystring: SignedQuery },
      },
      async (request, reply) => {
        const { rule = '', expires = '', signature = '' } = request.query
        const { file: id } = request.params
        const good = (confidential: boolean) =>
          ctx.secrets.verify(fileSignature(id, rule, expires, confidential), signature)
        const left = Math.floor((Number(expires) - Date.now()) / 1000)
        if (!(left > 0) || !(good(false) || good(true))) throw badSignature()
        const [file] = await listFiles(ctx.sql, [id])
        if (!file || (await isGone(ctx, file))) throw noSuchFile()
        const confidential = confidentialOnes.has(file.channel ?? '')
        if (!good(confidential)) throw badSignature()
        const { key, mime, bytes: size, width, height } = file
        const stored = { key, mime, size, width, height }
        const cacheControl = confidential ? 'private, no-store' : `private, max-age=${left}, immutable`
        return sendBytes(
          request,
          reply,
          await sendableBytes(ctx, askerOf(request), stored, parseRule(rule), cacheControl),
        )
      },
    )
  }
