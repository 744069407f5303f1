import type { Language } from './words.ts'

/** `ago` is relative for a week. `moment` of today is without the date. `full` contains the time zone. */
export type TimeForm = 'ago' | 'date' | 'minute' | 'moment' | 'full'

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const WEEK = 7 * 86_400
const TODAY = 20 * 3_600
const HOUR_MS = 3_600_000

const DATE = { month: 'short', day: 'numeric' } as const
const CLOCK = { hour: 'numeric', minute: '2-digit' } as const
const OPTIONS = {
  year: { year: 'numeric' },
  day: DATE,
  date: { ...DATE, year: 'numeric' },
  clock: CLOCK,
  moment: { ...DATE, ...CLOCK },
  minute: { ...DATE, year: 'numeric', ...CLOCK },
  full: { dateStyle: 'full', timeStyle: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>

const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : 'en')

const relativeIn = (language: Language) =>
  new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto', style: 'narrow' })
const RELATIVE = { en: relativeIn('en'), zh: relativeIn('zh') }

/** Formatters by form, language and zone. Creating one takes longer than formatting a hundred times. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(form: keyof typeof OPTIONS, language: Language, zone: string | undefined) {
  const key = `${form} ${language} ${zone}`
  const found = formatters.get(key)
  if (found) return found
  const make = (timeZone: string | undefined) =>
    new Intl.DateTimeFormat(localeOf(language), { ...OPTIONS[form], ...(timeZone ? { timeZone } : {}) })
  let made: Intl.DateTimeFormat
  try {
    made = make(zone)
  } catch {
    // PostgreSQL knows zones that this runtime does not.
    made = make('UTC')
  }
  formatters.set(key, made)
  return made
}

/** Formatted times, because one page shows the same times as the next. */
const formatted = new Map<string, string>()
const FORMATTED_MOST = 5_000

function format(
  form: keyof typeof OPTIONS,
  language: Language,
  zone: string | undefined,
  time: number,
): string {
  const key = `${form} ${language} ${zone} ${time}`
  let text = formatted.get(key)
  if (text === undefined) {
    if (formatted.size >= FORMATTED_MOST) formatted.clear()
    text = formatterOf(form, language, zone).format(time)
    formatted.set(key, text)
  }
  return text
}

/** The instant of a time on the wire, which is in UTC. */
export const timeOf = (written: string): Date => new Date(`${written.replace(' ', 'T').replace(/Z?$/, 'Z')}`)

export const instantOf = (written: string): string => timeOf(written).toISOString()

/** Formats a time in a time zone, by default in the zone of the device. */
export function formatTime(
  time: Date,
  form: TimeForm,
  language: Language,
  zone?: string,
  now = Date.now(),
): string {
  const seconds = (now - time.getTime()) / 1000
  const as = (each: keyof typeof OPTIONS) => format(each, language, zone, time.getTime())
  if (form === 'moment') return as(seconds < TODAY ? 'clock' : 'moment')
  if (form !== 'ago') return as(form)
  if (seconds > WEEK) {
    const hour = now - (now % HOUR_MS)
    return as(as('year') === format('year', language, zone, hour) ? 'day' : 'date')
  }
  for (const [unit, length] of STEPS)
    if (seconds >= length) return RELATIVE[language].format(-Math.floor(seconds / length), unit)
  return language === 'zh' ? '刚刚' : 'now'
}
