/** Processor time of each call that an input causes, in milliseconds by the name of the call. */
export type Work = Map<string, number>

/** Milliseconds that no user notices, and that differ between two measurements. */
const FLOOR_MS = 15
/** Doubled length doubles linear work and quadruples quadratic work. */
const GROWTH = 3
const CHEAP_MS = 2
const REPEATS = 2
const SHORTEST = 100

/**
 * Measures inputs of increasing length. Returns the curve of the first call whose work grows by more than `GROWTH`
 * where the length doubles. Skips the lengths in between when both the shortest and the longest input are cheap.
 */
export async function findGrowth(
  bound: number,
  measure: (length: number) => Promise<Work>,
): Promise<string | undefined> {
  const fixed = await measure(1)
  const curve = new Map<number, Work>()
  const at = async (length: number) => {
    const work = curve.get(length) ?? (await measure(length))
    curve.set(length, work)
    return work
  }
  const own = (length: number, name: string) => (curve.get(length)?.get(name) ?? 0) - (fixed.get(name) ?? 0)
  const floor = (name: string) => Math.max(FLOOR_MS, (fixed.get(name) ?? 0) / 2)
  const [first = bound, ...longer] = [8, 4, 2, 1]
    .map((part) => Math.floor(bound / part))
    .filter((length) => length >= SHORTEST)
  const isCheap = [...(await at(first)).keys()].every((name) => own(first, name) < CHEAP_MS)
  if (isCheap && [...(await at(bound)).keys()].every((name) => own(bound, name) < floor(name)))
    return undefined
  let shorter = first
  for (const length of longer) {
    for (const name of (await at(length)).keys()) {
      const isSteep = () => own(length, name) > Math.max(floor(name), GROWTH * own(shorter, name))
      for (let n = 0; isSteep() && n < REPEATS; n += 1) {
        keepLeast(fixed, await measure(1))
        for (const each of [shorter, length]) keepLeast(await at(each), await measure(each))
      }
      if (!isSteep()) continue
      const lengths = [...curve.keys()].sort((one, other) => one - other)
      return `${name}: ${lengths.map((each) => `${own(each, name).toFixed(1)} ms at ${each}`).join(', ')}`
    }
    shorter = length
  }
  return undefined
}

/** Keeps the least of several measurements, because garbage collection and other programs only add to them. */
function keepLeast(work: Work, again: Work): void {
  for (const [name, ms] of again) work.set(name, Math.min(ms, work.get(name) ?? ms))
}
