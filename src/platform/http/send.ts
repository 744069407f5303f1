import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiError } from '#platform/errors.ts'
import type { ByteRange } from '#platform/files'
import { isUnchanged } from './caching.ts'

export type ByteSource = {
  name: string
  mime: string
  size: number
  tag: string
  cacheControl: string
  open(range?: ByteRange): Promise<Readable> | Readable
}

const outOfRange = apiError(
  416,
  'range_not_satisfiable',
  'The requested range is outside the file.',
  '请求的范围超出文件大小。',
)

/** Sends an upload with headers that keep browsers from running its scripts. */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, item: ByteSource) {
  const etag = `"${item.tag}"`
  const range = readRange(request, item.size, etag)
  if (range === 'none') throw outOfRange({ headers: { 'Content-Range': `bytes */${item.size}` } })
  const hasAlready = isUnchanged(request, reply, etag)
  const shown = /^(image|audio|video)\/(?!svg)/.test(item.mime) ? 'inline' : 'attachment'
  reply
    .header('Cache-Control', item.cacheControl)
    .header('Accept-Ranges', 'bytes')
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
  if (hasAlready) return reply.send()
  reply.type(item.mime).header('Content-Disposition', `${shown}; filename="${item.name}"`)
  if (range) {
    reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${item.size}`)
    reply.header('Content-Length', range.end - range.start + 1)
  } else {
    reply.header('Content-Length', item.size)
  }
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : await item.open(range))
}

/** Parses a single byte range. RFC 9110 allows a server to ignore a header with several or invalid ranges. */
function readRange(request: FastifyRequest, size: number, etag: string): ByteRange | undefined | 'none' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.headers.range ?? '') ?? []
  const unchanged = request.headers['if-range'] === undefined || request.headers['if-range'] === etag
  if ((first === '' && last === '') || !unchanged) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return start < size && start <= end ? { start, end } : 'none'
}
