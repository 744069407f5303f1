import type { Chance } from './chance.ts'

/** One thing that happens: at which minute of the weeks that are told, and what. */
type Happening = { at: number; what: () => Promise<unknown> }

/** What happens over some weeks, in the order of time however it was written down. */
export type Story = {
  readonly minutes: number
  /** Lets something happen. What lies beyond the end happens just before it. */
  at(minute: number, what: () => Promise<unknown>): void
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
    at: (minute, what) => void happenings.push({ at: clip(minute), what }),
    sometime(from, to) {
      const minute = clip(from + chance.number() * (to - from))
      const [day, hour] = [Math.floor(minute / DAY), (minute % DAY) / 60]
      // Who would be asleep does it in the morning.
      return hour > 6.5 ? minute : clip(day * DAY + (6.5 + hour / 2.5) * 60)
    },
    async tell(began) {
      // Sorting keeps what was written down first first.
      const inOrder = happenings.toSorted((a, b) => a.at - b.at)
      for (const [n, { at, what }] of inOrder.entries()) {
        began(at, n, inOrder.length)
        await what()
      }
    },
  }
}
