import { KithError } from '@kith/client'
import { escapeMarkup } from '../../app/document.ts'
import type { Document } from '../../app/page.ts'
import type { Reader } from '../../app/reader.ts'
import { cutText, plainText } from '../../app/text.ts'
import { instantOf } from '../../app/time.ts'
import { KINDS, kindOf, newestOf } from './kinds.ts'

const XML = 'application/xml; charset=utf-8'
const HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
const SITEMAPS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const PART = 1_000
const PAGE = 100
const LISTS = ['/', '/topics', '/news', '/questions', '/groups', '/music']

const YEAR_MS = 365 * 86_400_000

/** The contact of the operator as a URL, which `security.txt` requires. */
function contactUrl(contact = ''): string | undefined {
  const text = contact.trim()
  if (/^https:\/\/\S+$/i.test(text)) return text
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return `mailto:${text}`
  return /^\+?[\d ()-]{6,20}$/.test(text) ? `tel:${text.replace(/[^\d+]/g, '')}` : undefined
}

const missing = () => new KithError(404, 'no_such_path', 'Not found')

async function partOf(api: Reader, kind: string, part: number, origin: string): Promise<string> {
  const find = kindOf(kind)
  if (!find) throw missing()
  const urls: string[] = []
  const last = part * PART
  for (let after = last + PART + 1; after > last + 1; ) {
    const page = await find(api, { limit: PAGE, after })
    for (const { id, path, time } of page)
      if (id > last)
        urls.push(`<url><loc>${escapeMarkup(origin + path)}</loc><lastmod>${instantOf(time)}</lastmod></url>`)
    const next = page.at(-1)?.id ?? 0
    if (page.length === 0 || next >= after) break
    after = next
  }
  return `${HEAD}<urlset ${SITEMAPS}>\n${urls.join('\n')}\n</urlset>\n`
}

const TITLE_MOST = 80

const EMBEDS: [
  RegExp,
  (api: Reader, id: number) => Promise<{ title: string; author?: string; text?: string }>,
][] = [
  [
    /^\/feeds\/(\d{1,15})$/,
    async (api, feed) => {
      const params = { path: { feed }, query: { trees: true } }
      const { feed_content, feed_content_tree, user } = await api.get('/feeds/{feed}', { params })
      const text = plainText(feed_content_tree, feed_content)
      return { title: cutText(text, TITLE_MOST), author: user?.name ?? '', text }
    },
  ],
  [
    /^\/news\/(\d{1,15})$/,
    async (api, news) => {
      const { title, author, subject } = await api.get('/news/{news}', { params: { path: { news } } })
      return { title, author, text: subject }
    },
  ],
  [
    /^\/questions\/(\d{1,15})$/,
    async (api, question) => {
      const { subject, user } = await api.get('/questions/{question}', { params: { path: { question } } })
      return { title: subject, ...(user ? { author: user.name } : {}) }
    },
  ],
]

export const documents: Document[] = [
  {
    path: '/robots.txt',
    type: 'text/plain; charset=utf-8',
    make: async ({ origin }) =>
      `User-agent: *\nDisallow: /admin\nDisallow: /api/\nDisallow: /_/session\nDisallow: /search\n\nSitemap: ${origin}/sitemap.xml\n`,
  },
  {
    // RFC 9116.
    path: '/.well-known/security.txt',
    type: 'text/plain; charset=utf-8',
    make: async ({ api, origin }) => {
      const { identity } = await api.get('/bootstrappers')
      const contact = contactUrl(identity.contact)
      if (contact === undefined) throw missing()
      const inAYear = new Date(Date.now() + YEAR_MS).toISOString().slice(0, 10)
      return [
        `Contact: ${contact}`,
        `Expires: ${inAYear}T00:00:00Z`,
        'Preferred-Languages: en, zh',
        `Canonical: ${origin}/.well-known/security.txt`,
        '',
      ].join('\n')
    },
  },
  {
    path: '/sitemap.xml',
    type: XML,
    make: async ({ api, origin }) => {
      const parts = await Promise.all(
        Object.keys(KINDS).map(async (kind) => {
          const newest = await newestOf(api, kind)
          return Array.from({ length: newest === 0 ? 0 : Math.ceil(newest / PART) }, (_, n) => `${kind}-${n}`)
        }),
      )
      const all = ['lists', ...parts.flat()].map(
        (part) => `<sitemap><loc>${escapeMarkup(`${origin}/sitemaps/${part}.xml`)}</loc></sitemap>`,
      )
      return `${HEAD}<sitemapindex ${SITEMAPS}>\n${all.join('\n')}\n</sitemapindex>\n`
    },
  },
  {
    path: '/sitemaps/:part.xml',
    type: XML,
    make: async ({ api, origin, params }) => {
      if (params.part === 'lists')
        return `${HEAD}<urlset ${SITEMAPS}>\n${LISTS.map((path) => `<url><loc>${escapeMarkup(origin + path)}</loc></url>`).join('\n')}\n</urlset>\n`
      const [, kind, part] = /^([a-z_-]{1,20})-(\d{1,9})$/.exec(params.part ?? '') ?? []
      if (!kind) throw missing()
      return partOf(api, kind, Number(part), origin)
    },
  },
  {
    path: '/oembed',
    type: 'application/json; charset=utf-8',
    make: async ({ api, origin, search }) => {
      if ((search.get('format') ?? 'json') !== 'json')
        throw new KithError(501, 'not_implemented', 'JSON only')
      const asked = search.get('url') ?? ''
      const path = asked.startsWith(`${origin}/`) ? asked.slice(origin.length).split(/[?#]/)[0] : ''
      for (const [pattern, read] of EMBEDS) {
        const [, id] = pattern.exec(path ?? '') ?? []
        if (!id) continue
        const [{ title, author, text }, { identity }] = await Promise.all([
          read(api, Number(id)),
          api.get('/bootstrappers'),
        ])
        const url = escapeMarkup(origin + path)
        return JSON.stringify({
          version: '1.0',
          type: 'rich',
          title,
          ...(author ? { author_name: author } : {}),
          provider_name: identity.name,
          provider_url: origin,
          width: 550,
          height: null,
          html: `<blockquote><p>${escapeMarkup(text || title)}</p>${author ? `<p>${escapeMarkup(author)}</p>` : ''}<a href="${url}">${url}</a></blockquote>`,
        })
      }
      throw missing()
    },
  },
]
