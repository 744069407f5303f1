import { type Caller, currentCaller, onBehalfOf } from '#platform/database/callers.ts'
import type { LiveCounts, Reading } from '#platform/database/reading.ts'
import type { Generations, Sources } from '#platform/generations.ts'

/** What stands in a text for a number that changes by itself: `LIVE + place * SPAN + base`. */
const LIVE = 2 ** 52
const SPAN = 2 ** 36
const PLACES = 2 ** 16

/** A count in the text of a page: what is stored of it, and where the rest is asked. */
export type Live = { counts: LiveCounts; id: number; base: number }

/** What something was made of, what showing it counts, and the numbers that are put in when it is sent. */
export type Noted = {
  sources: Sources
  shown: readonly { counts: LiveCounts; ids: number[] }[]
  /** The count that a number of the text stands for; undefined for one that is just a number. */
  liveOf(value: number): Live | undefined
  hasLive: boolean
}

/** What is shown comes from something that no generation tells of: it is not kept. */
export const noteUnknown = (): void => currentCaller()?.reading?.readUnknown()

/**
 * Some viewers are shown this differently, in more than flags: these people, or whoever is signed in where it is not known
 * who they are. They get pages of their own.
 */
export const notePersonal = (people?: readonly number[]): void =>
  currentCaller()?.reading?.readPersonal(people)

/** Does the work while writing down what it reads; nothing is counted by it. */
export async function noting<T>(
  generations: Generations,
  caller: Caller,
  work: () => Promise<T>,
): Promise<{ value: T; noted: Noted }> {
  const since = generations.clock()
  const tables = new Set<string>()
  const shown: { counts: LiveCounts; ids: number[] }[] = []
  const places: { counts: LiveCounts; id: number }[] = []
  const ends = new Set<string>()
  let isTimed = false
  const apart = new Set<number>()
  let isForAnybodyApart = false
  let isUnknown = !generations.isReady()
  const reading: Reading = {
    read(use) {
      for (const table of use.reads) tables.add(table)
      for (const end of use.ends) ends.add(end)
      isTimed ||= use.isTimed
      isUnknown ||= use.writesAll || use.writes.size + use.counts.size > 0
    },
    readCache: (name) => void tables.add(name),
    readUnknown: () => {
      isUnknown = true
    },
    readPersonal: (people) => {
      isForAnybodyApart ||= people === undefined
      for (const id of people ?? []) apart.add(id)
    },
    shows: (counts, ids) => void shown.push({ counts, ids }),
    live(counts, id) {
      if (places.length >= PLACES) {
        isUnknown = true
        return 0
      }
      places.push({ counts, id })
      return LIVE + (places.length - 1) * SPAN
    },
  }
  const value = await onBehalfOf({ ...caller, isGone: false, reading }, work)
  return {
    value,
    noted: {
      sources: {
        since,
        tables,
        isTimed,
        ends,
        isUnknown,
        differsFor: isForAnybodyApart ? 'anybody' : apart,
      },
      shown,
      hasLive: places.length > 0,
      liveOf(number) {
        if (number < LIVE || !Number.isSafeInteger(number)) return undefined
        const place = places[Math.floor((number - LIVE) / SPAN)]
        return place && { ...place, base: (number - LIVE) % SPAN }
      },
    },
  }
}
