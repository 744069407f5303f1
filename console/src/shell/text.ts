import { useLocaleState } from 'react-admin'

export type Text = readonly [en: string, zh: string]
export type Locale = 'en' | 'zh'
export type Translate = (text: Text) => string

const KEPT = 'kith.console.locale'

export function currentLocale(): Locale {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export function keepLocale(locale: string): void {
  localStorage.setItem(KEPT, locale)
  document.documentElement.lang = locale === 'zh' ? 'zh-CN' : 'en'
}

const inLocale =
  (locale: string): Translate =>
  (text) =>
    text[locale === 'zh' ? 1 : 0]

export function useText(): Translate {
  const [locale] = useLocaleState()
  return inLocale(locale)
}

/** Counts a noun in English, as in `1 job` and `2 jobs`. */
export const plural = (count: number | string, one: string): string =>
  `${count} ${one}${String(count) === '1' ? '' : 's'}`

/** Cuts a text after at most `most` code points, and at the boundary of a grapheme, so that no emoji is divided. */
export function cutText(value: string, most: number): string {
  let [end, count] = [0, 0]
  for (const { segment } of new Intl.Segmenter().segment(value)) {
    count += [...segment].length
    if (count > most) break
    end += segment.length
  }
  return end > 0 ? value.slice(0, end) : [...value].slice(0, most).join('')
}

/** The first character of a name. */
export const initialOf = (name: string): string => [...new Intl.Segmenter().segment(name)][0]?.segment ?? ''

export const textNow: Translate = (text) => inLocale(currentLocale())(text)
