import { useLocaleState } from 'react-admin'

/** A text in both languages of the console: English and Chinese. */
export type Text = readonly [en: string, zh: string]
export type Locale = 'en' | 'zh'
/** Returns the text in the current language. */
export type Translate = (text: Text) => string

const KEPT = 'kith.console.locale'

/** The chosen language, or else that of the browser. */
export function currentLocale(): Locale {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

/** Stores the language and sets it on the page, for screen readers. */
export function keepLocale(locale: string): void {
  localStorage.setItem(KEPT, locale)
  document.documentElement.lang = locale === 'zh' ? 'zh-CN' : 'en'
}

const inLocale =
  (locale: string): Translate =>
  (text) =>
    text[locale === 'zh' ? 1 : 0]

/** Returns a function that picks the text of the current language. */
export function useText(): Translate {
  const [locale] = useLocaleState()
  return inLocale(locale)
}

/** The same outside of components. */
export const textNow: Translate = (text) => inLocale(currentLocale())(text)
