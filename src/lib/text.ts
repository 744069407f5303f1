export { plainText } from './plain-text.ts'

const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu
// Normalization sorts the marks on a letter in quadratic time: 100,000 of them take ten seconds.
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu

/** Folds case, width and invisible characters away, so that texts a reader takes for the same compare equal. */
export function foldText(text: string): string {
  // Up and down again is full case folding (ß as ss). What it leaves: sigma depends on its neighbours, and the
  // dotted İ keeps its dot; it and the dotless ı become a plain i, so that neither makes a twin of a name.
  return text
    .toWellFormed()
    .replace(INVISIBLE, '')
    .replace(TOO_MANY_MARKS, '$1')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ß', 'ss') // from the capital ẞ
    .replaceAll('ς', 'σ')
    .replace(/i\u0307+/g, 'i')
    .normalize('NFKC')
}

// Controls, the empty braille pattern and annotation marks show nothing either, though Unicode does not say so.
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\u{1d159}\ufff9-\ufffb]*$/u

/** Whether a text has no character that a reader could see: empty, white space and invisible characters only. */
export const isBlank = (text: string): boolean => BLANK.test(text)

/** The form of a name that has to be unique and that is searched; empty when the name shows nothing at all. */
export function nameKey(name: string): string {
  return foldText(name)
    .replace(/[\s\u0085]+/g, ' ')
    .trim()
}

// What looks like a Latin letter, also when written as a capital; i and l count as one.
const LOOKALIKES = new Map(
  Object.entries({
    a: 'аɑα',
    b: 'вʙβ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еєε3',
    g: 'ɡ',
    h: 'һнη',
    i: 'іιıӏɩl1|',
    j: 'јϳ',
    k: 'кκ',
    m: 'мμ',
    n: 'ո',
    o: 'оοσօ0',
    p: 'рρ',
    q: 'ԛ',
    r: 'гⲅ',
    s: 'ѕ5',
    t: 'тτ',
    u: 'υս',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχ',
    y: 'уүγ',
    z: 'ζ',
  }).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
)

/** A form in which names that a reader could take for one another at a glance are the same: marks and scripts differ. */
export const lookalikeKey = (name: string): string =>
  [...nameKey(name).normalize('NFD').replace(/\p{M}/gu, '')]
    .map((point) => LOOKALIKES.get(point) ?? point)
    .join('')

const QUERY_GRAMS_MAX = 16
const LATIN = /^[\p{Script=Latin}\p{Nd}]$/u

/** The one, two and, inside Latin words, three character pieces of a text, kept beside it in an array to be searched. */
export function grams(text: string): string[] {
  const found = new Set<string>()
  for (const word of nameKey(text).split(' ')) {
    const { points, latin } = pointsOf(word)
    for (let i = 0; i < points.length; i++) {
      found.add(points[i]!)
      if (i + 1 < points.length) found.add(points[i]! + points[i + 1]!)
      if (isTriple(latin, i)) found.add(points[i]! + points[i + 1]! + points[i + 2]!)
    }
  }
  found.delete('')
  return [...found]
}

/**
 * The fewest pieces that every text containing the query has among its grams. A text that has them all may still
 * not contain it: recheck with like. Empty only for a query whose name key is empty.
 */
export function gramsOfQuery(query: string): string[] {
  const single = new Set<string>()
  const found = new Set<string>()
  for (const word of nameKey(query).split(' ')) {
    const { points, latin } = pointsOf(word)
    if (points.length === 1) single.add(word)
    for (let i = 0; i + 1 < points.length; i++) {
      if (isTriple(latin, i)) found.add(points[i]! + points[i + 1]! + points[i + 2]!)
      else if (!isTriple(latin, i - 1)) found.add(points[i]! + points[i + 1]!)
    }
  }
  // One character says little beside longer pieces, and dozens of pieces cost more than they exclude.
  return [...(found.size > 0 ? found : single)].slice(0, QUERY_GRAMS_MAX)
}

function pointsOf(word: string): { points: string[]; latin: boolean[] } {
  const points = [...word]
  return { points, latin: points.map((point) => LATIN.test(point)) }
}

function isTriple(latin: boolean[], at: number): boolean {
  return latin[at] === true && latin[at + 1] === true && latin[at + 2] === true
}

/** Makes a text match itself only in a like pattern (with the default escape character). */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Length in Unicode characters (code points), which is what every `max:n` rule counts. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Display length (conventions-32): an ASCII letter, digit or underscore counts a half, every other character one. */
export function displayLength(text: string): number {
  let halves = 0
  for (const point of text) halves += /^\w$/.test(point) ? 1 : 2
  return halves / 2
}

/** The first `n` Unicode characters of a text. */
export function cutCharacters(text: string, n: number): string {
  if (text.length <= n) return text
  let end = 0
  let count = 0
  for (const point of text) {
    if (++count > n) break
    end += point.length
  }
  return text.slice(0, end)
}
