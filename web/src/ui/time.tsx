import { type ComponentChildren, createContext } from 'preact'
import { useContext, useLayoutEffect, useState } from 'preact/hooks'
import { useSite } from '../app/site.ts'
import { formatTime, type TimeForm, timeOf } from '../app/time.ts'

const ZoneContext = createContext<string | undefined>(undefined)

/**
 * Starts with the site's time zone, in which the server rendered the page, and changes to the zone of the device
 * before the next paint.
 */
export function ZoneProvider({ children }: { children: ComponentChildren }) {
  const { settings } = useSite()
  const [zone, setZone] = useState<string | undefined>(String(settings.site.time_zone ?? 'UTC'))
  useLayoutEffect(() => setZone(undefined), [])
  return <ZoneContext.Provider value={zone}>{children}</ZoneContext.Provider>
}

export function useTimeFormat() {
  const zone = useContext(ZoneContext)
  const { language } = useSite()
  return (time: Date, form: TimeForm) => formatTime(time, form, language, zone)
}

export function Time({ at, form = 'ago', class: name }: { at: string; form?: TimeForm; class?: string }) {
  const format = useTimeFormat()
  const time = timeOf(at)
  return (
    <time class={name} dateTime={time.toISOString()} title={format(time, 'full')}>
      {format(time, form)}
    </time>
  )
}

/** Separates facts by dots, and omits empty ones. */
export const Facts = ({ of }: { of: ComponentChildren[] }) =>
  of.filter(Boolean).map((fact, n) => (n > 0 ? [' · ', fact] : fact))
