import { KithError } from '@kith/client'
import { identityOf } from '../../app/identity.ts'
import type { Document } from '../../app/page.ts'

/** `site:contact` as the URI that RFC 9116 requires. Undefined for a text that is none of the known kinds. */
function contactUri(contact: string | null | undefined): string | undefined {
  const text = contact?.trim() ?? ''
  if (/\s/.test(text)) return undefined
  if (/^https:\/\//.test(text)) return text
  if (/^[^@:/]+@[^@:/]+$/.test(text)) return `mailto:${text}`
  return /^\+?\d{5,20}$/.test(text) ? `tel:${text}` : undefined
}

const EXPIRES_MS = 180 * 86_400_000

export const documents: Document[] = [
  {
    path: '/.well-known/security.txt',
    type: 'text/plain; charset=utf-8',
    make: async ({ api, origin }) => {
      const { identity } = await api.get('/bootstrappers')
      const contact = contactUri(identity.contact)
      if (contact === undefined) throw new KithError(404, 'no_such_path', 'Not found')
      const expires = new Date(Date.now() + EXPIRES_MS).toISOString()
      return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en, zh\nCanonical: ${origin}/.well-known/security.txt\n`
    },
  },
  {
    path: '/manifest.webmanifest',
    type: 'application/manifest+json',
    make: async ({ api, language }) => {
      const { identity } = await api.get('/bootstrappers')
      const { name, description, background, accent, icons, screenshots } = identityOf(language, identity)
      return JSON.stringify({
        id: '/',
        name,
        short_name: name,
        description,
        lang: language === 'zh' ? 'zh-CN' : 'en',
        start_url: '/',
        scope: '/',
        display: 'standalone',
        background_color: background,
        theme_color: accent,
        categories: ['social'],
        icons,
        screenshots,
      })
    },
  },
]
