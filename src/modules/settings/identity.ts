import { hash } from 'node:crypto'
import { accentTokens } from '#lib/colour.ts'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import { type LinkTo, linksOf } from './links.ts'
import { readSiteSettings, type SiteSettings } from './settings.ts'

type ByLanguage = 'site:name' | 'site:description' | 'site:welcome'

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Prefers the text of the language to the general one. */
const textIn = (settings: SiteSettings, name: ByLanguage, language: Language | undefined): string | null =>
  (language && settings[`${name}-${language}`]) || settings[name]

/** Name of the site in a language. Without a language, for texts in both, the general name. */
export function siteName(
  { siteName: fallback }: Pick<Context['config'], 'siteName'>,
  settings: SiteSettings,
  language?: Language,
): string {
  return onOneLine(textIn(settings, 'site:name', language) ?? fallback)
}

export const readSiteName = async (ctx: Context, language?: Language): Promise<string> =>
  siteName(ctx.config, await readSiteSettings(ctx), language)

const DESCRIPTION: Record<Language, string> = {
  en: 'Follow people, ask questions and share what you see.',
  zh: '关注用户，提问交流，分享见闻。',
}

const POINTS: Record<Language, string> = { en: 'Points', zh: '积分' }

export const currencyName = (settings: SiteSettings, language: Language): string =>
  settings['site:currency-name'] ?? POINTS[language]

/** Accent of the site, corrected for light and dark backgrounds. */
export function siteAccent(settings: SiteSettings) {
  const chosen = settings['site:accent']?.toLowerCase()
  if (chosen === undefined) return undefined
  const { light, dark } = accentTokens(chosen)
  return { chosen, light: light.accent, dark: dark.accent }
}

/** Contains a version, because browsers cache a picture for a year. */
function addressOf(
  { publicUrl }: Pick<Context['config'], 'publicUrl'>,
  node: string | null,
  file: string,
): string | undefined {
  const version = node === null ? undefined : hash('sha1', node, 'base64url').slice(0, 8)
  return version && `${publicUrl}/site-pictures/${file}?v=${version}`
}

/** Name and icon of the site for the console, which may be open at another address than PUBLIC_URL. */
export async function readSiteHead(
  ctx: Context,
  language: Language,
): Promise<{ name: string; icon?: string }> {
  const settings = await readSiteSettings(ctx)
  const icon = addressOf({ publicUrl: '' }, settings['site:icon'], 'icon-512.png')
  return { name: siteName(ctx.config, settings, language), ...(icon ? { icon } : {}) }
}

/** Name and texts of the site in one language. Each page of the site contains them, so they stay short. */
export const siteIdentity = (config: Context['config'], settings: SiteSettings, language: Language) => ({
  name: siteName(config, settings, language),
  description: onOneLine(textIn(settings, 'site:description', language) ?? DESCRIPTION[language]),
  welcome: textIn(settings, 'site:welcome', language),
  contact: settings['site:contact'],
  accent: siteAccent(settings),
  logo: addressOf(config, settings['site:logo'], 'logo.png'),
  logo_has_name: settings['site:logo-has-name'] || undefined,
  icon: addressOf(config, settings['site:icon'], 'icon-512.png'),
  picture: addressOf(config, settings['site:picture'], 'picture.jpg'),
  powered_by: settings['site:powered-by'],
})

export const webLinks = async (ctx: Context): Promise<LinkTo> =>
  linksOf(ctx.config, await readSiteSettings(ctx))
