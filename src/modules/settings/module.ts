import { escapeMarkup, htmlOf } from '#lib/markup/html.ts'
import { parseText } from '#lib/markup/parse.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { Empty, language, OpenObject, routesOn, type Server, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import { bootstrapRoutes } from './bootstrap/routes.ts'
import { siteName } from './identity.ts'
import { type Settings, SettingsPatch } from './registry.ts'
import { readSettings, type SettingChecks, updateSettings } from './service.ts'

export const adminSettingRoutes = (checks: SettingChecks) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin:site:base' }

  route('GET /admin/settings', {
    operationId: 'adminGetSettings',
    summary: 'Read all settings with the values in force',
    access,
    reply: { 200: OpenObject },
    returns: 'All settings by name.',
    handler: () => readSettings(ctx),
  })

  route('PATCH /admin/settings', {
    operationId: 'adminUpdateSettings',
    summary: 'Change settings; those not named keep their values',
    access,
    body: SettingsPatch,
    reply: { 204: Empty },
    errors: checks.errors,
    handler: async (call) => {
      const changes = call.body as Partial<Settings>
      const names = Object.keys(changes) as (keyof Settings)[]
      const current = await readSettings(ctx)
      await checks.check(ctx, call.viewer.id, changes, current)
      if (names.length === 0) return
      const store = await checks.prepare?.(ctx, call.viewer.id, changes, current)
      await transaction(ctx.sql, async (tx) => {
        await store?.(tx)
        await updateSettings(ctx, tx, changes)
        await recordAudit(tx, call, {
          action: 'settings.update',
          subjectType: 'settings',
          subjectId: names.length === 1 ? (names[0] as string) : '*',
          before: Object.fromEntries(names.map((name) => [name, current[name]])),
          after: changes,
        })
      })
    },
  })
}

const TITLE = { en: 'About us', zh: '关于我们' }
const NOTHING = { en: 'This page has no content yet.', zh: '暂无介绍。' }

const CONTACT = { en: 'Contact', zh: '联系方式' }
const IMPRINT = { en: 'Imprint', zh: '站点信息' }

function aboutPage(name: string, settings: Settings, language: Language): string {
  const {
    'site:about-content': about,
    'site:contact': contact,
    'site:imprint': imprint,
    'site:powered-by': isPoweredBy,
  } = settings
  const part = (title: string, text: string | null) =>
    text ? `<h2>${title}</h2>\n${htmlOf(parseText(text, 'markdown'))}\n` : ''
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${TITLE[language]} · ${escapeMarkup(name)}</title>
<style>body { font: 16px/1.6 sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em }</style>
<h1>${TITLE[language]}</h1>
${htmlOf(parseText(about.trim() || NOTHING[language], 'markdown'))}
${part(CONTACT[language], contact)}${part(IMPRINT[language], imprint)}${isPoweredBy ? '<p><small>Powered by Kith</small></p>' : ''}
</html>
`
}

/** Describes only the content type, because the handler writes the page itself. */
const AboutReply = {
  description: 'An HTML page',
  content: { 'text/html': { schema: Type.String() } },
}

export function aboutRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /aboutus', {
    operationId: 'getAboutPage',
    summary: 'Read the page about the site, or follow the redirect that `site:about-url` sets',
    access: 'public',
    reply: { 200: AboutReply, 302: Empty },
    returns: 'An HTML page.',
    handler: async ({ uncached }) => {
      const { request, reply } = uncached()
      const settings = await readSettings(ctx)
      const url = settings['site:about-url']
      // Permits only web URLs, because other schemes could run code in the client.
      if (url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
        return reply.redirect(new URL(url).href, 302)
      const speaks = language(request)
      return reply
        .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'")
        .type('text/html; charset=utf-8')
        .send(aboutPage(siteName(ctx.config, settings, speaks), settings, speaks))
    },
  })
}

export const module: Module = {
  routes: (site) => [
    bootstrapRoutes(
      site.service('findBootAdvertisements'),
      site.service('uploadLimits'),
      site.service('readSitePages'),
    ),
    aboutRoutes,
    adminSettingRoutes(site.settingChecks),
  ],
  offers: { findNewcomersRole: async (ctx) => (await readSettings(ctx))['register:role'] },
}
