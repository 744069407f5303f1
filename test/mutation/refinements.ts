import type { Finding } from './guards.ts'

type Ground = 'code' | 'sql' | 'other'

/** Matches code before a slash that begins a regular expression and not a division. */
const BEFORE_PATTERN = /[(,=:[!&|?{};\n]$|\breturn$/

function groundsOf(source: string): Ground[] {
  const grounds: Ground[] = []
  const open: { ground: Ground; braces: number }[] = []
  let isText = false
  for (let at = 0; at < source.length; ) {
    const top = open.at(-1)
    const letter = source[at] ?? ''
    let length = 1
    let ground: Ground = 'code'
    if (top && isText) {
      ground = top.ground
      if (letter === '\\') length = 2
      else if (source.startsWith('${', at)) {
        length = 2
        isText = false
        top.braces = 1
        ground = 'other'
      } else if (letter === '`') {
        open.pop()
        isText = false
        ground = 'other'
      }
    } else if (letter === '`') {
      const isStatement = /(\bsql|>)$/.test(source.slice(Math.max(0, at - 4), at))
      open.push({ ground: isStatement ? 'sql' : 'other', braces: 0 })
      isText = true
      ground = 'other'
    } else {
      const skipped = skip(source, at)
      if (skipped > 0) {
        length = skipped
        ground = 'other'
      } else if (top && letter === '{') top.braces += 1
      else if (top && letter === '}') {
        top.braces -= 1
        isText = top.braces === 0
        if (isText) ground = 'other'
      }
    }
    for (let end = at + length; at < end; at += 1) grounds.push(ground)
  }
  return grounds
}

function skip(source: string, at: number): number {
  const rest = source.slice(at, at + 2000)
  const before = source.slice(Math.max(0, at - 10), at).trimEnd()
  const found =
    /^\/\/.*/.exec(rest) ??
    /^\/\*[\s\S]*?\*\//.exec(rest) ??
    /^'(?:\\.|[^'\\\n])*'/.exec(rest) ??
    /^"(?:\\.|[^"\\\n])*"/.exec(rest) ??
    (BEFORE_PATTERN.test(before) ? /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//.exec(rest) : null)
  return found?.[0].length ?? 0
}

const NEXT_CLAUSE =
  /^\s+(?:and|or|order by|group by|having|limit|offset|returning|for|on conflict|union|do|set|then|end|as|from|left|join|cross|where)\b/
/** An operator at the end of a fragment shows that its condition continues. */
const OPERATOR = /(?:[=<>@~|+*/-]|\b(?:in|like|ilike|any|and|not|is|between|select|from))\s*$/

const isClause = (source: string, at: number) =>
  NEXT_CLAUSE.test(source.slice(at, at + 20)) &&
  !/\bdistinct$|\bbetween\s+\S+$/.test(source.slice(Math.max(0, at - 80), at))

function endOfCondition(source: string, from: number, grounds: Ground[]): number {
  let brackets = 0
  let braces = 0
  let at = from
  for (; at < source.length; at += 1) {
    const letter = source[at] ?? ''
    if (source.startsWith('${', at)) {
      const before = source.slice(from, at)
      if (brackets === 0 && braces === 0 && before.trim() !== '' && !OPERATOR.test(before)) break
      braces += 1
      at += 1
    } else if (braces > 0) {
      if (grounds[at] === 'code' && letter === '{') braces += 1
      else if (letter === '}' && (grounds[at] === 'code' || grounds[at] === 'other')) braces -= 1
    } else if (letter === '`') break
    else if (letter === '(') brackets += 1
    else if (letter === ')') {
      if (brackets === 0) break
      brackets -= 1
    } else if (brackets === 0 && (letter === ',' || isClause(source, at))) break
  }
  return at - (source.slice(from, at).length - source.slice(from, at).trimEnd().length)
}

const on = (source: string, grounds: Ground[], ground: Ground, pattern: RegExp) =>
  [...source.matchAll(pattern)].filter(({ index }) => grounds[index] === ground)

function predicates(source: string, grounds: Ground[]): Finding[] {
  return on(source, grounds, 'sql', /\band (?=\S)/g).flatMap((match): Finding[] => {
    const start = match.index + match[0].length
    const end = endOfCondition(source, start, grounds)
    const isRange = /\bbetween\s+\S+\s+$/.test(source.slice(Math.max(0, match.index - 200), match.index))
    if (isRange || end <= start || /^true\b/.test(source.slice(start, end))) return []
    return [{ kind: 'predicate', start, end, replacement: 'true' }]
  })
}

function isAssignment(source: string, at: number, grounds: Ground[]): boolean {
  let from = at
  while (from > 0 && grounds[from - 1] === 'sql') from -= 1
  const before = source.slice(from, at)
  const last = [...before.matchAll(/\b(set|where|on|when|and|or|not|having|select|then|else)\b/g)].at(-1)
  if (!last) return /^\s*,/.test(before) || source.slice(Math.max(0, from - 400), from).includes(' set ')
  return (
    last[1] === 'set' || last[1] === 'then' || last[1] === 'else' || /\bend\b/.test(before.slice(last.index))
  )
}

const OTHER: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '=': '<>' }

function comparisons(source: string, grounds: Ground[]): Finding[] {
  const found = [
    // Skips comparisons with `now()`, whose exact microsecond no test can hit.
    ...on(source, grounds, 'sql', /(?<=(?<!now\(\)) )(?:<=|>=|<|>|=)(?= (?!now\(\)))/g).filter(
      ({ 0: sign, index }) => sign !== '=' || !isAssignment(source, index, grounds),
    ),
    ...on(source, grounds, 'code', /(?<=[\w)\]] )(?:<=|>=|<|>)(?= (?:\d|[A-Z][A-Z_]+\b))/g),
  ]
  return found.map(({ 0: sign, index }) => ({
    kind: 'compare',
    start: index,
    end: index + sign.length,
    replacement: OTHER[sign] ?? sign,
  }))
}

/** Skips ascending orders of locking reads, because only a deadlock would reveal the change. */
function orders(source: string, grounds: Ground[]): Finding[] {
  const descending = on(source, grounds, 'sql', /(?<=[\w)}"]) desc\b(?!")/g)
  const ascending = on(source, grounds, 'sql', /\border by [\w.]+(?=\s*(?:limit\b|offset\b|\)|`|\$\{limit))/g)
  return [
    ...descending.map(({ 0: text, index }): Finding => {
      return { kind: 'order', start: index, end: index + text.length, replacement: '' }
    }),
    ...ascending.map(({ 0: text, index }): Finding => {
      const end = index + text.length
      return { kind: 'order', start: end, end, replacement: ' desc' }
    }),
  ]
}

const BOUNDS = [
  /(?<=\b(?:Int|Text|RawText|Address|IdList)\()-?\d[\d_]*/g,
  /(?<=\bInt\(-?[\w.]+, )-?\d[\d_]*/g,
  /(?<=\b(?:minimum|maximum|minLength|maxLength|minItems|maxItems): )-?\d[\d_]*/g,
]

function bounds(source: string, grounds: Ground[]): Finding[] {
  return BOUNDS.flatMap((pattern) =>
    on(source, grounds, 'code', pattern).map(({ 0: number, index }): Finding => {
      const replacement = String(Number(number.replaceAll('_', '')) + 1)
      return { kind: 'bound', start: index, end: index + number.length, replacement }
    }),
  )
}

function conflicts(source: string, grounds: Ground[]): Finding[] {
  return on(source, grounds, 'sql', /\bon conflict\b/g).map(({ index }): Finding => {
    let at = index
    let brackets = 0
    for (let braces = 0; at < source.length; at += 1) {
      const letter = source[at] ?? ''
      if (source.startsWith('${', at)) braces += 1
      else if (letter === '}' && braces > 0 && grounds[at] !== 'sql') braces -= 1
      else if (braces > 0) continue
      else if (letter === '`' || (letter === ')' && brackets === 0)) break
      else if (letter === '(') brackets += 1
      else if (letter === ')') brackets -= 1
      else if (brackets === 0 && /^\s+returning\b/.test(source.slice(at, at + 40))) break
    }
    return { kind: 'conflict', start: index, end: at, replacement: '' }
  })
}

export function refinements(source: string): Finding[] {
  const grounds = groundsOf(source)
  return [predicates, comparisons, orders, bounds, conflicts].flatMap((find) => find(source, grounds))
}
