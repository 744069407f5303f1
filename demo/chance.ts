export type Chance = {
  number(): number
  between(low: number, high: number): number
  happens(share: number): boolean
  one<T>(list: readonly T[]): T
  some<T>(list: readonly T[], count: number): T[]
  /** Returns an independent generator. Its draws do not change later numbers of the parent. */
  fork(name: string): Chance
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(number() * (high - low + 1))
  return {
    number,
    between,
    happens: (share) => number() < share,
    one: (list) => list[between(0, list.length - 1)] as (typeof list)[number],
    some(list, count) {
      const left = [...list]
      return Array.from(
        { length: Math.min(count, left.length) },
        () => left.splice(between(0, left.length - 1), 1)[0]!,
      )
    },
    fork: (name) =>
      chanceOf(
        [...name].reduce(
          (hash, letter) => Math.imul(hash ^ letter.codePointAt(0)!, 16777619),
          seed ^ 0x811c9dc5,
        ),
      ),
  }
}
