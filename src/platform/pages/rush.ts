const WINDOW_MS = 1000

/** Tells whether something was done at least so often within a second, just now or a moment ago. */
export function createRush(after: number) {
  let [begun, made, before] = [0, 0, 0]
  const turn = (now: number) => {
    if (now - begun < WINDOW_MS) return
    before = now - begun < 2 * WINDOW_MS ? made : 0
    made = 0
    begun = now
  }
  return {
    count(now: number): void {
      turn(now)
      made += 1
    },
    isOn(now: number): boolean {
      turn(now)
      return Math.max(made, before) >= after
    },
  }
}
