/** Returns the optimal string alignment distance, which counts a swap of neighbouring letters as one edit. */
export function editDistance(a: string, b: string): number {
  let [before, last, row] = [
    [] as number[],
    [] as number[],
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ]
  for (let i = 1; i <= a.length; i += 1) {
    ;[before, last, row] = [last, row, [i]]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
  }
  return row[b.length] ?? 0
}

/**
 * Suggests a known word for a misspelled one. Allows no edits in short words, because many short words differ
 * by one letter (HOST and POST).
 */
export function suggestWord(
  given: string,
  known: readonly string[],
  allowed = given.length < 5 ? 0 : given.length < 8 ? 1 : 2,
): string | undefined {
  let best: { name: string; distance: number } | undefined
  for (const name of known) {
    if (Math.abs(name.length - given.length) > allowed) continue
    const distance = editDistance(given, name)
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance }
  }
  return best?.name
}
