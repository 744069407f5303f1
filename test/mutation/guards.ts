import { refinements } from './refinements.ts'

export type Kind =
  | 'refusal'
  | 'quiet'
  | 'check'
  | 'deleted'
  | 'state'
  | 'person'
  | 'parent'
  | 'filter'
  | 'lock'
  | 'access'
  | 'predicate'
  | 'compare'
  | 'order'
  | 'bound'
  | 'conflict'

export type Guard = {
  file: string
  kind: Kind
  line: number
  text: string
  start: number
  end: number
  replacement: string
}

export type Finding = { kind: Kind; start: number; end: number; replacement: string }

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

/** Disables early exits. The mutant still evaluates the condition for its side effects, but ignores the result. */
function refusals(source: string): Finding[] {
  return [...source.matchAll(/\bif \(/g)].flatMap((match): Finding[] => {
    const open = match.index + 3
    const end = closing(source, open)
    const [, word] = /^\s*(?:\{\s*)?(throw|return|continue)\b/.exec(source.slice(end, end + 40)) ?? []
    if (word === undefined) return []
    const kind = word === 'throw' ? 'refusal' : 'quiet'
    return [{ kind, start: open, end, replacement: `(${source.slice(open, end)} && false)` }]
  })
}

function filters(source: string): Finding[] {
  const calls = /\$\{(?:(noBlockBetween|unblocked|when)|visible[A-Z]\w*)\(/g
  return [...source.matchAll(calls)].flatMap((match): Finding[] => {
    const end = closing(source, match.index + match[0].length - 1)
    const before = source.slice(Math.max(0, match.index - 12), match.index)
    // Skips a fragment that is a table expression and not a condition.
    if (source[end] !== '}' || (match[1] === undefined && !/\b(where|and|or) (not )?$/.test(before)))
      return []
    return [
      { kind: 'filter', start: match.index, end: end + 1, replacement: match[1] === undefined ? 'true' : '' },
    ]
  })
}

function checks(source: string): Finding[] {
  const calls = /^[ \t]+(?:await )?((?:require|check|admit|refuse|assert|ensure|demand|forbid)[A-Z]\w*\()/gm
  return [...source.matchAll(calls)].flatMap((match): Finding[] => {
    const end = closing(source, match.index + match[0].length - 1)
    if (!/^\s*\n/.test(source.slice(end, end + 20))) return []
    const start = match.index + (match[0].length - match[0].trimStart().length)
    return [{ kind: 'check', start, end, replacement: 'void 0' }]
  })
}

const PIECES: [Kind, RegExp, (found: string, before: string) => string | undefined][] = [
  [
    'deleted',
    /\b(\w+\.)?deleted_at is null/g,
    // Skips `on conflict`, which must repeat the condition of a partial index.
    (_, before) => (/on conflict[^`]*where $/.test(before) ? undefined : 'true'),
  ],
  [
    'person',
    /(?<=\b(?:and|where) )(\w+\.)?(user_id|owner_id|founder_id) = \$\{(\w+\.)?(userId|viewerId|ownerId|viewer\.id|personId)\}/g,
    () => 'true',
  ],
  [
    'parent',
    /(?<=\b(?:and|where) )(\w+\.)?(?!user_id|owner_id|founder_id)\w+_id = \$\{[\w.]+\}/g,
    (_, before) => (/\bset [^`]*$/.test(before) && !/\bwhere [^`]*$/.test(before) ? undefined : 'true'),
  ],
  [
    'state',
    /(?<=\b(?:and|where) )(\w+\.)?(\w*(?:state|status)) (=|<>) ('\w+'|\d+)/g,
    (_, before) => (/on conflict[^`]*where $/.test(before) ? undefined : 'true'),
  ],
  [
    'state',
    /(?<=\b(?:and|where) )(\w+\.)?(?!deleted_at)\w+_(at|until|since) (is null|is not null|[<>]=? now\(\)( [-+] interval '[^']*')?)/g,
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

export function guardsOf(file: string, source: string): Guard[] {
  return [
    ...refusals(source),
    ...checks(source),
    ...filters(source),
    ...pieces(source),
    ...refinements(source),
  ]
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

export const without = (source: string, { start, end, replacement }: Guard): string =>
  source.slice(0, start) + replacement + source.slice(end)
