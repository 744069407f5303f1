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
export const compact = (count: number, language: Language): string => compactOf(language).format(count)

export const plural = (count: number, one: string, shown = String(count)): string =>
  `${shown} ${one}${count === 1 ? '' : 's'}`

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const WEEK = 7 * 86_400

export const timeOf = (written: string): Date => new Date(`${written.replace(' ', 'T').replace(/Z?$/, 'Z')}`)

const DAY = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const
const dayOf = formatter((locale) => new Intl.DateTimeFormat(locale, DAY))
const dayOfYear = formatter((locale) => new Intl.DateTimeFormat(locale, { ...DAY, year: 'numeric' }))
const relative = formatter(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' }),
)

/** Formats a time as `5m ago`, or as a date after a week. */
export function ago(time: Date, language: Language, now = Date.now()): string {
  const seconds = (now - time.getTime()) / 1000
  if (seconds > WEEK) {
    const isThisYear = time.getUTCFullYear() === new Date(now).getUTCFullYear()
    return (isThisYear ? dayOf : dayOfYear)(language).format(time)
  }
  for (const [unit, length] of STEPS)
    if (seconds >= length) return relative(language).format(-Math.floor(seconds / length), unit)
  return language === 'zh' ? '刚刚' : 'now'
}
