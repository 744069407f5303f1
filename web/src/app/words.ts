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

/** Formats 12000 as `12K` in English and as `1.2万` in Chinese. */
export const compact = (count: number, language: Language): string =>
  new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en', { notation: 'compact' }).format(count)

export const plural = (count: number, one: string, shown = String(count)): string =>
  `${shown} ${one}${count === 1 ? '' : 's'}`

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const WEEK = 7 * 86_400

export const timeOf = (written: string): Date => new Date(`${written.replace(' ', 'T').replace(/Z?$/, 'Z')}`)

/** Formats a time as `5m ago`, or as a date after a week. */
export function ago(time: Date, language: Language, now = Date.now()): string {
  const locale = language === 'zh' ? 'zh-CN' : 'en'
  const seconds = (now - time.getTime()) / 1000
  if (seconds > WEEK) {
    const year = time.getUTCFullYear() === new Date(now).getUTCFullYear() ? {} : { year: 'numeric' as const }
    return new Intl.DateTimeFormat(locale, {
      month: 'short',
      day: 'numeric',
      ...year,
      timeZone: 'UTC',
    }).format(time)
  }
  const form = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' })
  for (const [unit, length] of STEPS)
    if (seconds >= length) return form.format(-Math.floor(seconds / length), unit)
  return language === 'zh' ? '刚刚' : 'now'
}
