import { useSite } from './site.ts'

export type Language = 'en' | 'zh'

type Said = string | ((...given: never[]) => string)

export function words<T extends Record<string, readonly [Said, Said]>>(
  pairs: T,
): Record<Language, { [K in keyof T]: T[K][0] extends string ? string : T[K][0] }> {
  const side = (place: 0 | 1) =>
    Object.fromEntries(Object.entries(pairs).map(([key, pair]) => [key, pair[place]])) as never
  return { en: side(0), zh: side(1) }
}

export const useWords = <T>(table: Record<Language, T>): T => table[useSite().language]

const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : 'en')

/** Makes a formatter once for each language, because making one takes longer than using it. */
const formatter = <F>(make: (locale: string) => F): ((language: Language) => F) => {
  const made: Partial<Record<Language, F>> = {}
  return (language) => (made[language] ??= make(localeOf(language)))
}

const compactOf = formatter((locale) => new Intl.NumberFormat(locale, { notation: 'compact' }))

/** Formats 12000 as `12K` in English and as `1.2万` in Chinese. */
export const colon = (language: Language): string => (language === 'zh' ? '：' : ': ')

export const compact = (count: number, language: Language): string => compactOf(language).format(count)

export const pluralOf = (count: number | string, one: string): string =>
  String(count) === '1' ? one : `${one}s`

/** Counts a noun in English, as in `1 post` and `2 posts`. `shown` replaces the number. */
export const plural = (count: number | string, one: string, shown = String(count)): string =>
  `${shown} ${pluralOf(count, one)}`
