import type { Chance } from './chance.ts'

type Happening = { at: number; what: () => Promise<unknown>; isAside: boolean }

const SIDE_BY_SIDE = 6

export type Story = {
  readonly minutes: number
  at(minute: number, what: () => Promise<unknown>): void
  /**
   * Schedules an event, such as a like, for which later events do not wait. The order of such events depends
   * on the speed of the machine.
   */
  aside(minute: number, what: () => Promise<unknown>): void
  sometime(from: number, to: number): number
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
      return hour > 6.5 ? minute : clip(day * DAY + (6.5 + hour / 2.5) * 60)
    },
    async tell(began) {
      // The sort is stable, so events of the same minute keep the order of scheduling.
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
