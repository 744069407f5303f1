import { LinkifyIt, REBuilder } from 'linkify-it'

/** Ends a URL at full-width signs that Unicode does not classify as punctuation, such as `～` and `＝`. */
class UrlPatterns extends REBuilder {
  override get_text_separators(): RegExp {
    return /[><\u00ad\uff0b\uff1c-\uff1e\uff5c\uff5e\uffe0-\uffe6]/
  }
}

const linkify = new LinkifyIt({ rebuilder: new UrlPatterns() })

const SCHEME_MAX = 'https'.length
const SCHEME = /(?:^|[^A-Za-z0-9.+-])(https?)$/i
const TRAILING = /[:*~_]+$/

/**
 * Finds the URL whose scheme ends before the colon at `colon`. Balances brackets, and ends the URL before
 * punctuation of both scripts. Bare domains stay text, because `main.rs` would be one.
 */
export function findUrl(text: string, colon: number): { start: number; end: number } | undefined {
  if (!text.startsWith('://', colon)) return undefined
  const scheme = SCHEME.exec(text.slice(Math.max(0, colon - SCHEME_MAX - 1), colon))?.[1]
  if (scheme === undefined) return undefined
  const length = linkify.testSchemaAt(text, 'https:', colon + 1)
  if (length === 0) return undefined
  const start = colon - scheme.length
  return { start, end: start + text.slice(start, colon + 1 + length).replace(TRAILING, '').length }
}

const UPLOAD = /^\/api\/v2\/files\/([1-9]\d{0,14})(?:\?[\w=&,-]*)?$/

/** Id of an upload of this site by its path. Any other path, such as one with `..`, is not an upload. */
export const uploadOf = (href: string): number | undefined => {
  const id = UPLOAD.exec(href)?.[1]
  return id === undefined ? undefined : Number(id)
}

/**
 * Returns the target of a link that readers may open, or undefined. Pages of this site are paths. Paths of the
 * API are no pages, and a request to one could act for the reader.
 */
export function safeHref(href: string): string | undefined {
  if (/^(?:https?|mailto):/i.test(href)) return href
  if (!/^[/#]/.test(href) || !URL.canParse(href, 'http://site')) return undefined
  const { host, pathname, search, hash } = new URL(href, 'http://site')
  if (host !== 'site') return undefined
  if (href.startsWith('#')) return hash === '' ? undefined : hash
  const isApi = /^\/+(?:api|%)/i.test(pathname) && uploadOf(href) === undefined
  return isApi ? undefined : pathname + search + hash
}
