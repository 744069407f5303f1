import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeMarkup } from '#lib/markup/html.ts'
import type { Config } from '#platform/config'
import { apiError, type Language } from '#platform/errors.ts'
import { addVary, builtFolder, language, type Server, sendAsset, sendNotBuilt } from '#platform/http'
import { VERSION } from '#platform/version.ts'

const turnedOff = apiError(
  404,
  'console_off',
  'The console is disabled on this site.',
  '本站已关闭管理后台。',
)

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

export function addConsole(
  server: Server,
  config: Pick<Config, 'console'>,
  readHead: (language: Language) => Promise<{ name: string; icon?: string }>,
  folder = builtFolder('console'),
): void {
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!config.console) throw turnedOff()
    const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined)
    if (page === undefined) return sendNotBuilt('console', request, reply)
    const { name, icon = '' } = await readHead(language(request))
    const nonce = randomBytes(16).toString('base64')
    return addVary(reply, 'Accept-Language')
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', policyWith(nonce))
      .header('Referrer-Policy', 'same-origin')
      .header('X-Frame-Options', 'DENY')
      .send(
        page
          .replaceAll('KITH_NONCE', nonce)
          .replaceAll('KITH_ICON', () => escapeMarkup(icon))
          .replaceAll('KITH_VERSION', VERSION)
          .replaceAll('KITH_SITE', () => escapeMarkup(name)),
      )
  }

  server.get('/admin', sendPage)
  server.get<{ Params: { '*': string } }>('/admin/*', async (request, reply) => {
    const name = request.params['*']
    if (!name.startsWith('assets/')) return sendPage(request, reply)
    if (!config.console) throw turnedOff()
    return sendAsset(folder, name.slice('assets/'.length), reply)
  })
}
