import type { Chance } from './chance.ts'

/** One thing that happens: at which minute of the weeks that are told, and what. */
type Happening = { at: number; what: () => Promise<unknown>; isAside: boolean }

/** How many asides go on at once. */
const SIDE_BY_SIDE = 6

/** What happens over some weeks, in the order of time however it was written down. */
export type Story = {
  readonly minutes: number
  /** Lets something happen. What lies beyond the end happens just before it. */
  at(minute: number, what: () => Promise<unknown>): void
  /**
   * Lets something happen that nothing later refers to, such as a like: what comes next does not wait for it. Only the order
   * of such rows among themselves is left to the machine.
   */
  aside(minute: number, what: () => Promise<unknown>): void
  /** A minute between two, in which people are awake. */
  sometime(from: number, to: number): number
  /** Goes through it all. `began` is told the minute of what comes next. */
  tell(began: (minute: number, done: number, total: number) => void): Promise<void>
}

const DAY = 1440

export function createStory(chance: Chance, days: number): Story {
  const minutes = days * DAY
  const happenings: Happening[] = []
  const clip = (minute: number) => Math.min(minutes - 5, Math.max(0, minute))
  return {
    minutes,
    at: (minute, what) => void happenings.push({ at: clip(minute), what, isAside: false }),
    aside: (minute, what) => void happenings.push({ at: clip(minute), what, isAside: true }),
    sometime(from, to) {
      const minute = clip(from + chance.number() * (to - from))
      const [day, hour] = [Math.floor(minute / DAY), (minute % DAY) / 60]
      // Who would be asleep does it in the morning.
      return hour > 6.5 ? minute : clip(day * DAY + (6.5 + hour / 2.5) * 60)
    },
    async tell(began) {
      // Sorting keeps what was written down first first.
      const inOrder = happenings.toSorted((a, b) => a.at - b.at)
      const asides = new Set<Promise<void>>()
      const failures: unknown[] = []
      for (const [n, { at, what, isAside }] of inOrder.entries()) {
        began(at, n, inOrder.length)
        if (!isAside) await what()
        else {
          const going = what().then(
            () => void asides.delete(going),
            (error) => {
              asides.delete(going)
              failures.push(error)
            },
          )
          asides.add(going)
          if (asides.size >= SIDE_BY_SIDE) await Promise.race(asides)
        }
        if (failures.length > 0) break
      }
      await Promise.all(asides)
      if (failures.length > 0) throw failures[0]
    },
  }
}
