import { hash } from 'node:crypto'
import { escapeMarkup } from '#lib/markup/html.ts'
import { readSiteSettings, SITE_SETTINGS, siteName, standardsOf } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Language, Text } from '#platform/errors.ts'
import { API, addVary, language, type Server } from '#platform/http'
import { VERSION } from '#platform/version.ts'

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{font:16px/1.6 system-ui,sans-serif;max-width:38em;margin:12vh auto;padding:0 1.5em;' +
  'background:light-dark(#f4f6f6,#121818);color:light-dark(#1d2424,#dfe6e5)}' +
  'h1{font-weight:600}ul{list-style:none;padding:0}li{margin:.6em 0}' +
  'a{display:block;color:light-dark(#0b6b60,#5fc8ba)}code{font-size:.95em}'
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const DESCRIPTION: Text = {
  en: 'This is the server of a social network. Use it with an app or a web client. It serves no pages of its own.',
  zh: '这是一个社交网络的服务器，请通过应用或网页客户端使用。服务器本身不提供用户页面。',
}

const LINKS = [
  { path: '/docs', en: 'API documentation to read and try', zh: '接口文档，可在线试用' },
  { path: '/admin', en: 'administration console', zh: '管理后台' },
  { path: `${API}/bootstrappers`, en: 'initial configuration for apps', zh: '客户端的启动配置' },
  { path: '/health/ready', en: 'readiness check', zh: '就绪检查' },
]

type Shown = { name: string; isPoweredBy: boolean }

function landingPage(speaks: Language, hasConsole: boolean, { name, isPoweredBy }: Shown): string {
  const links = LINKS.filter(({ path }) => hasConsole || path !== '/admin')
  return `<!doctype html>
<html lang="${speaks}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(name)}</title>
<style>${STYLE}</style>
<h1>${escapeMarkup(name)}</h1>
<p>${DESCRIPTION[speaks]}</p>
<ul>
${links.map((link) => `<li><a href="${link.path}"><code>${link.path}</code></a> ${link[speaks]}</li>`).join('\n')}
</ul>
${isPoweredBy ? `<p>Powered by Kith ${VERSION}</p>\n` : ''}</html>
`
}

/** Uses the defaults during an outage of the database. */
const readIdentity = (ctx: Context) => readSiteSettings(ctx).catch(() => standardsOf(SITE_SETTINGS))

/**
 * Serves the site's front page at `/`. Serves a description of the server when the site is off or the client
 * accepts JSON but no HTML (conventions-36).
 */
export function addLanding(server: Server, ctx: Context): void {
  const hasConsole = ctx.config.console
  server.get('/', { schema: { hide: true } }, async (request, reply) => {
    addVary(reply, 'Accept, Accept-Language').header('Cache-Control', 'no-cache')
    const accept = request.headers.accept ?? ''
    if (/\bjson\b/.test(accept) && !accept.includes('text/html'))
      return reply.send({
        name: siteName(ctx.config, await readIdentity(ctx), language(request)),
        version: VERSION,
        api: API,
        documentation: '/docs',
        description: `${API}/openapi.json`,
        ...(hasConsole ? { console: '/admin' } : {}),
      })
    if (await server.sendPage?.(request, reply)) return reply
    const speaks = language(request)
    const settings = await readIdentity(ctx)
    const shown = {
      name: siteName(ctx.config, settings, speaks),
      isPoweredBy: settings['site:powered-by'],
    }
    return reply
      .header('Content-Security-Policy', POLICY)
      .type('text/html; charset=utf-8')
      .send(landingPage(speaks, hasConsole, shown))
  })
}
