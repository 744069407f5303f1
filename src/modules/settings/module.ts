import { escapeMarkup, htmlOf } from '#lib/markup/html.ts'
import { parseText } from '#lib/markup/parse.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import { invalidField, type Language } from '#platform/errors.ts'
import { Empty, language, OpenObject, routesOn, type Server, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import type { Definitions } from './definition.ts'
import { siteName } from './identity.ts'
import { readSettings, type SettingChecks, updateSettings } from './service.ts'
import { readSiteSettings, SITE_SETTINGS, type SiteSettings } from './settings.ts'

async function isTimeZone(sql: Db, name: string): Promise<boolean> {
  const [found] = await sql`select from pg_timezone_names where name = ${name}`
  return found !== undefined
}

export const timeZoneCheck: SettingChecks<SiteSettings> = {
  errors: [],
  async check({ sql }, _actor, { 'site:time-zone': zone }) {
    if (zone !== undefined && !(await isTimeZone(sql, zone)))
      throw invalidField('site:time-zone', {
        en: 'This time zone does not exist. An example is Asia/Shanghai.',
        zh: '时区不存在（示例：Asia/Shanghai）。',
      })
  },
}

/** Rejects unknown names, because a misspelled setting would change nothing. */
const patchOf = (settings: Definitions) =>
  Type.Partial(
    Type.Object(Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, schema]))),
    { title: 'Settings', additionalProperties: false },
  )

function checkEntries(settings: Definitions, changes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(changes))
    for (const entry of Array.isArray(value) ? value : []) {
      const fault = settings[name]?.faultOf?.(entry)
      if (fault) throw invalidField(name, fault)
    }
}

export const adminSettingRoutes =
  (settings: Definitions, checks: SettingChecks) => (server: Server, ctx: Context) => {
    const route = routesOn(server, ctx, { tag: 'Admin: site' })
    const access = { ability: 'admin:site:base' }

    route('GET /admin/settings', {
      operationId: 'adminGetSettings',
      summary: 'Read all settings with the values in force',
      access,
      reply: { 200: OpenObject },
      returns: 'All settings by name.',
      handler: () => readSettings(ctx, settings),
    })

    route('PATCH /admin/settings', {
      operationId: 'adminUpdateSettings',
      summary: 'Change settings; those not named keep their values',
      access,
      body: patchOf(settings),
      reply: { 204: Empty },
      errors: checks.errors,
      handler: async (call) => {
        const changes: Record<string, unknown> = call.body
        const names = Object.keys(changes)
        const current: Record<string, unknown> = await readSettings(ctx, settings)
        // Forms send all settings, so that only changed ones require their ability.
        const changed = names.filter(
          (name) => JSON.stringify(changes[name]) !== JSON.stringify(current[name]),
        )
        const guards = new Set(changed.map((name) => settings[name]?.guard))
        await checks.check(ctx, call.viewer.id, changes, current, guards)
        checkEntries(settings, changes)
        if (names.length === 0) return
        const store = await checks.prepare?.(ctx, call.viewer.id, changes, current)
        await transaction(ctx.sql, async (tx) => {
          await store?.(tx)
          await updateSettings(ctx, tx, changes)
          await recordAudit(tx, call, {
            action: 'settings.update',
            subjectType: 'settings',
            subjectId: names.length === 1 ? names[0]! : '*',
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

function aboutPage(name: string, settings: SiteSettings, language: Language): string {
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
      const settings = await readSiteSettings(ctx)
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
  routes: (site) => [aboutRoutes, adminSettingRoutes(site.settings, site.settingChecks)],
  settings: SITE_SETTINGS,
  settingChecks: timeZoneCheck,
}
