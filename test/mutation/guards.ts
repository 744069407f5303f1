/** What a guard is made of. */
export type Kind = 'refusal' | 'check' | 'deleted' | 'person' | 'lock' | 'access'

/** One guard in a source file, and what stands there without it. */
export type Guard = {
  file: string
  kind: Kind
  line: number
  /** The line where it begins, trimmed: with the file and the kind it names the guard when lines move. */
  text: string
  start: number
  end: number
  replacement: string
}

type Finding = { kind: Kind; start: number; end: number; replacement: string }

/** The place after the bracket that closes the one at `open`; strings and templates are stepped over. */
function closing(source: string, open: number): number {
  let depth = 0
  let quote = ''
  for (let at = open; at < source.length; at += 1) {
    const letter = source[at] ?? ''
    if (quote !== '') {
      if (letter === '\\') at += 1
      else if (letter === quote) quote = ''
    } else if (`'"\``.includes(letter)) quote = letter
    else if (letter === '(') depth += 1
    else if (letter === ')') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return source.length
}

/** `if (…) throw …`, in which the condition is found, for it may do something, and never holds. */
function refusals(source: string): Finding[] {
  return [...source.matchAll(/\bif \(/g)].flatMap((match): Finding[] => {
    const open = match.index + 3
    const end = closing(source, open)
    if (!/^\s*(\{\s*)?throw\b/.test(source.slice(end, end + 40))) return []
    return [{ kind: 'refusal', start: open, end, replacement: `(${source.slice(open, end)} && false)` }]
  })
}

/** A call for the sake of what it throws. */
function checks(source: string): Finding[] {
  const calls = /^[ \t]+(?:await )?((?:require|check|admit|refuse|assert|ensure|demand|forbid)[A-Z]\w*\()/gm
  return [...source.matchAll(calls)].flatMap((match): Finding[] => {
    const end = closing(source, match.index + match[0].length - 1)
    if (!/^\s*\n/.test(source.slice(end, end + 20))) return []
    const start = match.index + (match[0].length - match[0].trimStart().length)
    return [{ kind: 'check', start, end, replacement: 'void 0' }]
  })
}

/** Pieces that are looked for as they stand; `undefined` leaves one alone. */
const PIECES: [Kind, RegExp, (found: string, before: string) => string | undefined][] = [
  [
    'deleted',
    /\b(\w+\.)?deleted_at is null/g,
    // The condition of a partial index has to be repeated as it is.
    (_, before) => (/on conflict[^`]*where $/.test(before) ? undefined : 'true'),
  ],
  [
    'person',
    /(?<=\b(?:and|where) )(\w+\.)?(user_id|owner_id|founder_id) = \$\{(\w+\.)?(userId|viewerId|ownerId|viewer\.id|personId)\}/g,
    () => 'true',
  ],
  ['lock', /\bfor (no key update|update|share)( of \w+(, \w+)*)?( skip locked)?(?=[`\s)}])/g, () => ''],
  ['access', /\baccess: 'user'/g, () => "access: 'optional'"],
  ['access', /\baccess: \{ ability[^}]*\}/g, () => "access: 'user'"],
  ['access', /(?<=\bconst access = )\{ ability[^}]*\}/g, () => "'user' as const"],
]

function pieces(source: string): Finding[] {
  return PIECES.flatMap(([kind, pattern, replace]) =>
    [...source.matchAll(pattern)].flatMap((match): Finding[] => {
      const replacement = replace(match[0], source.slice(Math.max(0, match.index - 200), match.index))
      if (replacement === undefined) return []
      return [{ kind, start: match.index, end: match.index + match[0].length, replacement }]
    }),
  )
}

/** Every guard of a source file that this program knows to remove, in the order of the file. */
export function guardsOf(file: string, source: string): Guard[] {
  return [...refusals(source), ...checks(source), ...pieces(source)]
    .map((finding) => {
      const from = source.lastIndexOf('\n', finding.start) + 1
      const text = source
        .slice(from, (source.indexOf('\n', finding.start) + 1 || source.length + 1) - 1)
        .trim()
      return { ...finding, file, text, line: source.slice(0, finding.start).split('\n').length }
    })
    .filter(({ text }) => !/^(\*|\/\/|\/\*|--)/.test(text))
    .sort((one, other) => one.start - other.start)
}

/** The source without a guard. */
export const without = (source: string, { start, end, replacement }: Guard): string =>
  source.slice(0, start) + replacement + source.slice(end)
