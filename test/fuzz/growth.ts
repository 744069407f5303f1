/** Processor time of each call that an input causes, in milliseconds by the name of the call. */
export type Work = Map<string, number>

/** Milliseconds that no user notices, and that differ between two measurements. */
const FLOOR_MS = 30
/** Doubled length doubles linear work and quadruples quadratic work. */
const GROWTH = 3
const CHEAP_MS = 2
const REPEATS = 3
const SHORTEST = 100

/**
 * Measures inputs of increasing length. Returns the curve of the first call whose work grows by more than `GROWTH`
 * where the length doubles. Skips the lengths in between when both the shortest and the longest input are cheap.
 * Collects garbage before each repeated measurement, because a long page otherwise costs several times as much at
 * some calls.
 */
export async function findGrowth(
  bound: number,
  measure: (length: number) => Promise<Work>,
  collectGarbage: () => void = () => undefined,
): Promise<string | undefined> {
  let fixed = await measure(1)
  const curve = new Map<number, Work>()
  const at = async (length: number) => {
    const work = curve.get(length) ?? (await measure(length))
    curve.set(length, work)
    return work
  }
  /** Measures again with an empty heap, which is comparable only to other measurements with one. */
  const again = async (length: number, former?: Work) => {
    collectGarbage()
    const work = await measure(length)
    return former ? leastOf(work, former) : work
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
        fixed = await again(1, n > 0 ? fixed : undefined)
        for (const each of [shorter, length])
          curve.set(each, await again(each, n > 0 ? await at(each) : undefined))
      }
      if (!isSteep()) continue
      const lengths = [...curve.keys()].sort((one, other) => one - other)
      return `${name}: ${lengths.map((each) => `${own(each, name).toFixed(1)} ms at ${each}`).join(', ')}`
    }
    shorter = length
  }
  return undefined
}

/** The least of two measurements, because garbage collection and other programs only add to them. */
const leastOf = (work: Work, former: Work): Work =>
  new Map([...work].map(([name, ms]) => [name, Math.min(ms, former.get(name) ?? ms)]))
