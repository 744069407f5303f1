import { LinkifyIt, REBuilder } from 'linkify-it'

/** Ends a URL at full-width signs that Unicode does not classify as punctuation, such as `～` and `＝`. */
class UrlPatterns extends REBuilder {
  override get_text_separators(): RegExp {
    return /[><\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060-\u206f\ufeff\uff0b\uff1c-\uff1e\uff5c\uff5e\uffe0-\uffe6]/
  }

  /**
   * Continues at signs that titles in paths contain, such as `史蒂夫·乔布斯` and `Michelson–Morley`, and at joiners
   * between letters of other scripts and between emoji.
   */
  override get_path_extra(): RegExp {
    return /[\u00b7\u2013\u2019](?=[^\s\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20])|[\u200c\u200d](?=[^\s\0-\xad\u061c\u2000-\u206f\u3000-\u303f\ufeff-\uff20])|/
  }

  /** Hosts may contain `_`, such as `a_b.tumblr.com`. */
  override get_domain(): RegExp {
    return new RegExp(super.get_domain().source.replace('(?:-|', '(?:[-_]|'))
  }
}

const linkify = new LinkifyIt({ rebuilder: new UrlPatterns() })

const TARGET_MAX = 2000
/** Matches what a URL may be part of. Ends before double quotes, so that each URL of many is read once. */
const WINDOW = new RegExp(`[^\\s"]{0,${TARGET_MAX}}`, 'y')

/** The text from `start` that a URL may be part of, with the character after it. */
function windowAt(text: string, start: number): string {
  WINDOW.lastIndex = start
  return text.slice(start, start + (WINDOW.exec(text)?.[0].length ?? 0) + 1)
}

const SCHEME_MAX = 'https'.length
const SCHEME = /(?:^|[^A-Za-z])(https?)$/i
// Emphasis may follow a URL in Markdown.
const TRAILING = { plain: ':~', markdown: ':~*_' }
/** Matches the rest of a user after which the host of a URL follows. */
const USER = /^(?::[^\s/@]*)?@/
const USER_MAX = 100
const QUOTE = /"|'(?![\p{L}\p{N}])/u
/** Matches a host up to the words that follow it without a space, because no top-level domain mixes scripts. */
const HOST_BEFORE_WORDS =
  /^(?:https?:\/\/|[^@/?#]*@)?[^/?#:@]*\.[A-Za-z]{2,}(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}][^./?#:]*(?:[/?#:]|$))/iu

const cutHost = (url: string): number => HOST_BEFORE_WORDS.exec(url)?.[0].length ?? url.length

/**
 * Finds the URL whose scheme ends before the colon at `colon`. Balances brackets, and ends the URL before
 * punctuation of both scripts. Bare domains stay text, because `main.rs` would be one. So do URLs with a user,
 * which can pretend to lead to another host.
 */
export function findUrl(
  text: string,
  colon: number,
  format: 'plain' | 'markdown',
): { start: number; end: number } | undefined {
  if (!text.startsWith('://', colon)) return undefined
  const scheme = SCHEME.exec(text.slice(Math.max(0, colon - SCHEME_MAX - 1), colon))?.[1]
  if (scheme === undefined) return undefined
  const length = linkify.testSchemaAt(windowAt(text, colon), 'https:', 1)
  if (
    length === 0 ||
    length >= TARGET_MAX - 1 ||
    USER.test(text.slice(colon + 1 + length, colon + 1 + length + USER_MAX))
  )
    return undefined
  const start = colon - scheme.length
  const url = text.slice(start, colon + 1 + length)
  const quote = url.search(QUOTE)
  let end = cutHost(quote < 0 ? url : url.slice(0, quote))
  while (TRAILING[format].includes(url[end - 1] as string)) end -= 1
  return { start, end: start + end }
}

// A colon may follow a word of another script, as in `邮箱:me@example.org`.
const BARE =
  /(?:(?<=\bmailto:)|(?<![\w@./\-+%=&?#]|[\0-\x7f]:|^:))(?:www\.(?=[\p{L}\p{N}])|[A-Za-z0-9][\w.+-]{0,63}@(?=[A-Za-z0-9]))/giu

/** Finds hosts that begin with `www.`, and mail addresses. Text that `findUrl` finds must not be given. */
export function findBareLinks(text: string): { start: number; end: number; href: string }[] {
  const found: { start: number; end: number; href: string }[] = []
  if (!/www\.|@/i.test(text)) return found
  for (const { index: start, 0: beginning } of text.matchAll(BARE)) {
    if (start < (found.at(-1)?.end ?? 0)) continue
    const isMail = beginning.endsWith('@')
    const rest = windowAt(text, start)
    let end = linkify.testSchemaAt(rest, isMail ? 'mailto:' : '//', 0)
    const quote = rest.slice(0, end).search(QUOTE)
    if (quote >= 0) end = quote
    end = cutHost(rest.slice(0, end))
    while (TRAILING.plain.includes(rest[end - 1] ?? ' ')) end -= 1
    if (!rest.slice(beginning.length, end).includes('.') && isMail) continue
    if (end <= beginning.length || USER.test(rest.slice(end, end + USER_MAX))) continue
    const href = `${isMail ? 'mailto:' : 'http://'}${rest.slice(0, end)}`
    if (safeHref(href) !== undefined) found.push({ start, end: start + end, href })
  }
  return found
}

/** Matches a name between soft hyphens, as existing clients mention users. */
export const MARKED_NAME = /\u00ad@([^\u00ad/\n]{1,100})\u00ad/

const UPLOAD = /^\/api\/v2\/files\/([1-9]\d{0,14})(?:\?[\w=&,-]*)?$/

/** Id of an upload of this site by its path. Any other path, such as one with `..`, is not an upload. */
export const uploadOf = (href: string): number | undefined => {
  const id = UPLOAD.exec(href)?.[1]
  return id === undefined ? undefined : Number(id)
}

const hasUser = (href: string): boolean => {
  const { username, password } = new URL(href)
  return username + password !== ''
}

/**
 * Returns the target of a link that readers may open, or undefined. Pages of this site are paths. Paths of the
 * API are no pages, and a request to one could act for the reader. A URL with a user could pretend to lead to
 * another host.
 */
export function safeHref(href: string): string | undefined {
  if (href.length > TARGET_MAX) return undefined
  // A browser would read `https:/api` as a path of this site.
  if (/^https?:/i.test(href))
    return /^https?:\/\/[^/?#\\]/i.test(href) && URL.canParse(href) && !hasUser(href) ? href : undefined
  if (/^mailto:/i.test(href)) return href
  if (!/^[/#]/.test(href) || !URL.canParse(href, 'http://site')) return undefined
  const { host, pathname, search, hash } = new URL(href, 'http://site')
  // A browser would read `//host` as another site, which `/.//host` becomes.
  if (host !== 'site' || pathname.startsWith('//')) return undefined
  if (href.startsWith('#')) return hash === '' ? undefined : hash
  const isApi = /^\/+(?:api|%)/i.test(pathname) && uploadOf(href) === undefined
  return isApi ? undefined : pathname + search + hash
}
