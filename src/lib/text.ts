const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu
// Limits combining marks per letter, because normalization sorts them in quadratic time. The halfwidth voiced sound
// marks are letters that normalization turns into combining marks.
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Folds case, width and invisible characters, so that texts that look the same compare equal. */
export function foldText(text: string): string {
  // Upper case followed by lower case is full case folding (ß becomes ss). The dotted İ and dotless ı become
  // a plain i. Otherwise a name with one of them could imitate a name with i.
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

// Control characters, the blank Braille pattern, the null notehead and annotation marks are invisible, although
// Unicode does not classify them as ignorable.
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\u{1d159}\ufff9-\ufffb]*$/u

export const isBlank = (text: string): boolean => BLANK.test(text)

export function nameKey(name: string): string {
  return foldText(name)
    .replace(/[\s\u0085]+/g, ' ')
    .trim()
}

// Characters that look like a Latin letter in either case. i and l count as one letter.
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

/** Returns equal keys for look-alike names. Strips accents, and maps look-alike letters of other scripts to Latin. */
export const lookalikeKey = (name: string): string =>
  [...nameKey(name).normalize('NFD').replace(/\p{M}/gu, '')]
    .map((point) => LOOKALIKES.get(point) ?? point)
    .join('')

const QUERY_GRAMS_MAX = 16
const LATIN = /^[\p{Script=Latin}\p{Nd}]$/u

/** Returns unigrams, bigrams and, within Latin words, trigrams, for the array column that search reads. */
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
 * Returns the longest grams of a query, all of which every text with the query contains. Other texts may contain
 * these grams too, so callers recheck with `like`.
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
  // Omits single characters when longer grams exist, because single characters exclude almost no text.
  return [...(found.size > 0 ? found : single)].slice(0, QUERY_GRAMS_MAX)
}

function pointsOf(word: string): { points: string[]; latin: boolean[] } {
  const points = [...word]
  return { points, latin: points.map((point) => LATIN.test(point)) }
}

function isTriple(latin: boolean[], at: number): boolean {
  return latin[at] === true && latin[at + 1] === true && latin[at + 2] === true
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

export function codePointLength(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Counts ASCII letters, digits and underscores half, and other characters whole (conventions-32). */
export function displayLength(text: string): number {
  let halves = 0
  for (const point of text) halves += /^\w$/.test(point) ? 1 : 2
  return halves / 2
}

/** Cuts a text after `n` code points. `cutText` cuts texts for readers. */
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

const segmenter = new Intl.Segmenter()
/** Longest grapheme in UTF-16 units that stays whole. One letter may have endless combining marks. */
export const GRAPHEME_MAX = 64

/**
 * Cuts a text for readers after at most `n` code points, at the boundary of a grapheme, so that no emoji is divided.
 */
export function cutText(text: string, n: number): string {
  const cut = cutCharacters(text, n)
  if (cut.length === text.length) return text
  const segments = segmenter.segment(text.slice(0, cut.length + GRAPHEME_MAX))
  const start = segments.containing(cut.length)?.index ?? 0
  return start > 0 && cut.length - start < GRAPHEME_MAX ? cut.slice(0, start) : cut
}
