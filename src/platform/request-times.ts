/** Upper ends in seconds of the classes that times of requests are sorted into; what took longer is in one more. */
export const TIME_CLASSES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Requests since the last look: how many, how many of them failed here (5xx), and how many fell into each class. */
export type Traffic = { requests: number; faults: number; times: number[] }

/** Counts requests of this process until somebody takes the counts, which begins anew. */
export function countTraffic() {
  const none = (): Traffic => ({
    requests: 0,
    faults: 0,
    times: new Array<number>(TIME_CLASSES.length + 1).fill(0),
  })
  let traffic = none()
  return {
    add(status: number, seconds: number): void {
      let at = 0
      while (at < TIME_CLASSES.length && seconds > TIME_CLASSES[at]!) at += 1
      traffic.requests += 1
      if (status >= 500) traffic.faults += 1
      traffic.times[at]! += 1
    },
    take(): Traffic {
      const taken = traffic
      traffic = none()
      return taken
    },
  }
}

/** The time that a part of requests stayed below, in milliseconds: evenly spread within a class. Null of no requests. */
export function quantileMs(times: readonly number[], part: number): number | null {
  const wanted = times.reduce((sum, count) => sum + count, 0) * part
  let below = 0
  for (const [at, count] of times.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = at === 0 ? 0 : TIME_CLASSES[at - 1]!
      // Nothing bounds the last class, so that its beginning is all that is known.
      const to = TIME_CLASSES[at] ?? from
      return Math.round((from + ((to - from) * (wanted - below)) / count) * 10_000) / 10
    }
    below += count
  }
  return null
}
