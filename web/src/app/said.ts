import { useSite } from './site.ts'
import type { Language } from './words.ts'

/** Characters at the start of a text that decide on its language. */
const SAMPLE = 300
/**
 * Languages with a script of their own, and other scripts. The share of kana separates Japanese from Chinese. Latin,
 * Arabic, Cyrillic and other scripts serve many languages, so they name none. Each expression finds letters that the
 * earlier ones left.
 */
const SCRIPTS = Object.entries({
  latin: /\p{sc=Latn}+/u,
  ja: /[\p{sc=Hira}\p{sc=Kana}]/u,
  zh: /\p{sc=Han}/u,
  ko: /\p{sc=Hang}+/u,
  he: /\p{sc=Hebr}+/u,
  el: /\p{sc=Grek}+/u,
  th: /\p{sc=Thai}+/u,
  hy: /\p{sc=Armn}+/u,
  ka: /\p{sc=Geor}+/u,
  other: /\p{L}+/u,
})
const KANA_SHARE = 0.2
const ASCII = /^[\0-\x7f]*$/

/**
 * The language of most words of a text as a value of `lang`. Empty if the script serves many languages, and undefined if
 * the text has the language of the page, or no words. Texts in Latin on an English page count as English.
 */
export function languageOf(text: string, page: Language): string | undefined {
  const counts: Record<string, number> = {}
  let rest = text.slice(0, SAMPLE)
  // Most texts of a site in English need no counting.
  if (ASCII.test(rest)) return page === 'en' || !/[a-z]/i.test(rest) ? undefined : ''
  for (const [script, letters] of SCRIPTS) {
    const parts = rest.split(letters)
    counts[script] = parts.length - 1
    rest = parts.join(' ')
  }
  const { ja = 0, zh = 0, ...others } = counts
  others[ja > (ja + zh) * KANA_SHARE ? 'ja' : 'zh'] = ja + zh
  const [most = '', count = 0] = Object.entries(others).reduce((a, b) => (b[1] > a[1] ? b : a))
  if (count === 0 || most === page || (most === 'latin' && page === 'en')) return undefined
  return most.length > 2 ? '' : most
}

/** Returns the attributes of an element with a text of a member: its direction and, where known, its language. */
export function useSaid() {
  const { language } = useSite()
  return (text: string) => ({ dir: 'auto' as const, lang: languageOf(text, language) })
}
