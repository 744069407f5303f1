import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#platform/config.ts'
import { apiError } from '#platform/errors.ts'
import { language, type Server } from '#platform/http.ts'
import { BUILT_FOLDER, type Built, hasSources, readBuilt } from './folder.ts'
import { progressPage } from './page.ts'
import { type Progress, readProgress } from './progress.ts'

const turnedOff = apiError(404, 'console_off', 'The console is turned off here.', '此服务器已关闭控制台。')
const noSuchFile = apiError(404, 'no_such_path', 'There is nothing at this address.', '该地址不存在。')

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  json: 'application/json; charset=utf-8',
}

/** Scripts are files of ours; styles are files of ours or carry the nonce of this very answer. */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The console at /admin: the files that were built, or how far their build is. */
export function addConsole(server: Server, config: Config): void {
  let built: Built | undefined
  const contents = () => {
    built ??= readBuilt()
    return built
  }

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!config.console) throw turnedOff()
    // A new build has another index, which names other files.
    built = readBuilt()
    const nonce = randomBytes(16).toString('base64')
    reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', policyWith(nonce))
      .header('Referrer-Policy', 'same-origin')
      .header('X-Frame-Options', 'DENY')
      .header('Vary', 'Accept-Language')
    if (!built)
      return reply
        .code(503)
        .header('Retry-After', 3)
        .send(progressPage(progressOf(config), language(request), nonce))
    const page = await readFile(join(BUILT_FOLDER, 'index.html'), 'utf8')
    return reply.send(page.replaceAll('KITH_NONCE', nonce))
  }

  server.get('/admin', sendPage)
  server.get<{ Params: { '*': string } }>('/admin/*', async (request, reply) => {
    const name = request.params['*']
    if (!name.startsWith('assets/')) return sendPage(request, reply)
    if (!config.console) throw turnedOff()
    if (!contents()?.files.includes(name)) built = readBuilt()
    if (!built?.files.includes(name)) throw noSuchFile()
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const [suffix, encoding] = (
      [
        ['.br', 'br'],
        ['.gz', 'gzip'],
      ] as const
    ).find(([suffix, encoding]) => accepted.includes(encoding) && built?.files.includes(name + suffix)) ?? [
      '',
      '',
    ]
    reply
      .type(TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Vary', 'Accept-Encoding')
    if (encoding) reply.header('Content-Encoding', encoding)
    return reply.send(await readFile(join(BUILT_FOLDER, name + suffix)))
  })
}

function progressOf(config: Config): Progress {
  if (!hasSources()) return { phase: 'failed', reason: 'This release carries no console.' }
  return readProgress(config.dataDir)
}
