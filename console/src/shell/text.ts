import { useLocaleState } from 'react-admin'

/** A text in the two languages that the console speaks: English and Chinese. */
export type Text = readonly [en: string, zh: string]
export type Locale = 'en' | 'zh'
/** Picks of a text what is said in the language in force. */
export type Translate = (text: Text) => string

const KEPT = 'kith.console.locale'

/** The language that was chosen, or else that of the browser. */
export function currentLocale(): Locale {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

/** Keeps the language and tells the page, so that readers pronounce it. */
export function keepLocale(locale: string): void {
  localStorage.setItem(KEPT, locale)
  document.documentElement.lang = locale === 'zh' ? 'zh-CN' : 'en'
}

const inLocale =
  (locale: string): Translate =>
  (text) =>
    text[locale === 'zh' ? 1 : 0]

/** Picks the text of the language in force. */
export function useText(): Translate {
  const [locale] = useLocaleState()
  return inLocale(locale)
}

/** The same where nothing is rendered. */
export const textNow: Translate = (text) => inLocale(currentLocale())(text)
