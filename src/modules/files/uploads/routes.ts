import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import {
  addTextSource,
  byteRequester,
  encapsulate,
  limitByteRequests,
  localizedMessage,
  routesOn,
  type Server,
  sendBytes,
  Type,
} from '#platform/http'
import type { ImageRule } from '../media/images.ts'
import { parseRule, roundRule } from '../media/rule.ts'
import {
  badSignature,
  FileParams,
  FileQuery,
  type FileRoutesOptions,
  FileUrl,
  fileBroken,
  fileMissing,
  filePaid,
  Md5Params,
  noSuchFile,
  refusedFile,
  SignedQuery,
  type UnpaidKind,
  UPLOAD_ERRORS,
  UploadedFile,
  UploadForm,
  type Use,
} from '../schema.ts'
import { fileSignature, sendableBytes, signedFileUrl } from '../service.ts'
import { listFiles, listSizes, reuseFile } from './queries.ts'
import { isTruncatedUpload, saveUpload } from './service.ts'

export function uploadRoutes(server: Server, ctx: Context, options: FileRoutesOptions) {
  addTextSource(ctx, 'sizes', async (sql, uploads) => {
    const rows = await listSizes(sql, uploads)
    return new Map(rows.map(({ id, width, height }) => [id, { width, height }]))
  })
  encapsulate(server, async (scope) => {
    await scope.register(multipart, {
      limits: { files: 1, fields: 10, fieldSize: 10_000, fileSize: ctx.config.maxUploadBytes },
      throwFileSizeLimit: false,
    })
    const upload = routesOn(scope, ctx, { tag: 'Files' })

    upload('POST /files', {
      operationId: 'uploadFile',
      summary: 'Upload a file as multipart field `file`; its id can be used once, for example in a feed',
      access: 'user',
      consumes: ['multipart/form-data'],
      body: UploadForm,
      reply: { 201: UploadedFile },
      errors: UPLOAD_ERRORS,
      handler: async ({ request, viewer, reply }) => {
        reply.raw.once('close', () => {
          // Detects a disconnect by the response, because the request emits `close` as soon as its body is read.
          if (!reply.raw.writableFinished && request.caller) request.caller.isGone = true
        })
        const id = await receiveUpload(ctx, request, viewer.id)
        return {
          ...localizedMessage(request, 'Uploaded.', '上传成功。'),
          id,
          url: signedFileUrl(ctx, id, {}, false),
        }
      },
    })
  })

  const route = routesOn(server, ctx, { tag: 'Files' })

  route('GET /files/uploaded/:md5', {
    operationId: 'reuseFile',
    summary: 'Reuse an earlier upload of mine by its MD5 hash',
    access: 'user',
    params: Md5Params,
    reply: { 200: UploadedFile },
    errors: [noSuchFile],
    handler: async ({ params, viewer, request }) => {
      const id = await reuseFile(ctx.sql, viewer.id, { md5: Buffer.from(params.md5, 'hex') })
      if (id === undefined) throw noSuchFile()
      return {
        ...localizedMessage(request, 'The file exists.', '文件已存在。'),
        id,
        url: signedFileUrl(ctx, id, {}, false),
      }
    },
  })

  route('GET /files/:file', {
    operationId: 'getFile',
    summary: 'Redirect to the file, or return its URL with `json`; w, h, q and b transform a picture',
    access: 'optional',
    cookie: 'elements',
    // Reads from the primary, because a replica may lack a new upload. An `img` element sends no token, so
    // the server cannot see that the viewer has just uploaded the picture.
    primary: true,
    params: FileParams,
    query: FileQuery,
    reply: { 200: FileUrl, 302: Type.Null() },
    errors: [noSuchFile, filePaid],
    handler: async ({ params, query, viewer, uncached }) => {
      const { reply } = uncached()
      const { w, h, q, b, json } = query
      const [file] = await listFiles(ctx.sql, [params.file])
      if (!file) throw noSuchFile()
      const [isHidden, unpaid, isConfidential] = await Promise.all([
        options.isHidden(file, viewer.id),
        options.findUnpaid(file.id, viewer.id),
        options.isConfidential(file),
      ])
      if (isHidden) throw noSuchFile()
      const rule = shownUnpaid(unpaid, file.mime.startsWith('image/'), { w, h, q, b })
      const rounded = file.mime.startsWith('image/') ? roundRule(rule, file) : {}
      const url = signedFileUrl(ctx, file.id, rounded, isConfidential)
      // Makes browsers request the redirect again, so that a viewer sees the original right after paying.
      reply.header('Cache-Control', 'private, no-cache')
      return json === undefined || json === '0' || json === 'false' ? reply.redirect(url, 302) : { url }
    },
  })
}

const previewSide = 720

/** Blurs or shrinks a picture for a viewer who has not paid. Throws 403 for other unpaid files (files-6). */
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
    throw isTruncatedUpload(error) ? refusedFile('file', fileBroken) : error
  }
}

export type BytesOptions = {
  isConfidential(ctx: Context, file: Use): Promise<boolean>
  isGone(ctx: Context, file: Use): Promise<boolean>
}

/** Serves signed file URLs outside the API, without a viewer. Rate limits apply per client address. */
export const uploadBytesRoutes =
  ({ isConfidential, isGone }: BytesOptions) =>
  (server: Server, ctx: Context) => {
    server.get(
      '/storage/files/:file',
      {
        config: { access: 'public' },
        onRequest: limitByteRequests(ctx),
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
        if (!file) throw noSuchFile()
        const [gone, confidential] = await Promise.all([isGone(ctx, file), isConfidential(ctx, file)])
        if (gone) throw noSuchFile()
        if (!good(confidential)) throw badSignature()
        const { key, mime, bytes: size, width, height } = file
        const stored = { key, mime, size, width, height }
        const cacheControl = confidential ? 'private, no-store' : `private, max-age=${left}, immutable`
        return sendBytes(
          request,
          reply,
          await sendableBytes(ctx, byteRequester(request), stored, parseRule(rule), cacheControl),
        )
      },
    )
  }
