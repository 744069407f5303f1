import type { Catalogue } from './catalogue.ts'

/** What a statement does to tables. */
export type Use = {
  /** Every relation that it names, those that it writes included. */
  reads: ReadonlySet<string>
  writes: ReadonlySet<string>
  /** Tables of which it changes nothing but counters. */
  counts: ReadonlySet<string>
  /** It may write anything: nothing that was kept before is good. */
  writesAll: boolean
  /** What it answers changes by itself as time goes by. */
  isTimed: boolean
  /** What it answers changes by itself at none but these moments, such as `pins.expires_at where state = 'active'`. */
  ends: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()
/** What is to be thought of a statement that nothing is known of. */
export const UNKNOWN: Use = {
  reads: NONE,
  writes: NONE,
  counts: NONE,
  writesAll: true,
  isTimed: true,
  ends: NONE,
}

/** Beginnings of statements that are read through below. */
const READ_THROUGH = new Set(['select', 'with', 'insert', 'update', 'delete', 'values', 'table', 'merge'])
/** Beginnings of statements that change no row. */
const HARMLESS = new Set([
  ...['begin', 'start', 'commit', 'end', 'rollback', 'savepoint', 'release', 'set', 'reset', 'show'],
  ...['listen', 'unlisten', 'notify', 'lock', 'discard', 'deallocate', 'close', 'fetch', 'analyze', 'vacuum'],
])
const TIMED = new Set([
  ...['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'timeofday', 'random'],
  ...['current_timestamp', 'current_date', 'current_time', 'localtime', 'localtimestamp', 'gen_random_uuid'],
])
/** Begins a word that stands for the time, with the moments at which the answer changes. */
const ENDS = 'ends:'
/** The last words of a list of assignments, where they stand outside parentheses. */
const AFTER_SET = new Set(['from', 'where', 'returning'])

/** Whether a column only counts: its changes are seen a little later (docs/kept-pages.md). */
const isCounter = (table: string, column: string) =>
  /_count$/.test(column) ||
  column === 'hot' ||
  column === 'hits' ||
  (column === 'updated_at' && table.endsWith('_counts'))

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$([A-Za-z_]*)\$[\s\S]*?\$\1\$|"((?:[^"]|"")*)"|[A-Za-z_][A-Za-z0-9_$]*|\$\d+|[0-9.]+|[^\s]/g

/** `now() /* until the next pins.expires_at … *\/`: the time, asked for by what changes at the ends of rows alone. */
const UNTIL = /^\/\* until the next ([a-z_]+\.([a-z_]+)(?: where [^*;]+)?) \*\/$/

/**
 * Takes `x.column > now()` for what the comment behind it says: true until the next of these moments. Anything else that
 * asks for the time may change at any moment.
 */
function untilOf(comment: string, tokens: string[]): string | undefined {
  const [, moment, column] = UNTIL.exec(comment) ?? []
  const isCompared = tokens.slice(-5).join(' ') === `${column} > now ( )`
  return isCompared ? moment : undefined
}

/** The words and signs of a statement: without comments, and with its texts as empty ones. */
function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (const [token, , quoted] of text.matchAll(TOKEN)) {
    if (token.startsWith('/*')) {
      const moment = untilOf(token, tokens)
      if (moment) tokens.splice(-3, 3, `${ENDS}${moment}`)
      continue
    }
    if (token.startsWith('--')) continue
    if (token.startsWith("'") || /^\$[A-Za-z_]*\$/.test(token)) tokens.push("''")
    else if (quoted !== undefined) tokens.push(quoted.replaceAll('""', '"'))
    else tokens.push(token.toLowerCase())
  }
  return tokens
}

/** The columns that `update … set` assigns, from the place after `set`; undefined where it is not a plain list. */
function assigned(tokens: string[], from: number): string[] | undefined {
  const columns: string[] = []
  let depth = 0
  let isName = true
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at] as string
    if (isName) {
      if (!/^[a-z_]/.test(token) || tokens[at + 1] !== '=') return undefined
      columns.push(token)
      isName = false
      continue
    }
    if (token === '(' || token === '[') depth += 1
    else if (token === ')' || token === ']') depth -= 1
    if (depth < 0 || (depth === 0 && (AFTER_SET.has(token) || token === ';'))) break
    if (depth === 0 && token === ',') isName = true
  }
  return columns
}

/**
 * Which tables a statement reads and writes, by its words: every word that is the name of a table counts as read, also
 * where it names something else, so that none is missed. What is not understood counts as writing everything.
 */
export function useOf(text: string, catalogue: Catalogue): Use {
  const { relations, cascades, follows, triggers, functions } = catalogue
  const reads = new Set<string>()
  const writes = new Set<string>()
  const counts = new Set<string>()
  let writesAll = false
  let isTimed = false
  const ends = new Set<string>()
  const seen = new Set<string>()

  const write = (table: string) => {
    if (writes.has(table)) return
    writes.add(table)
    for (const body of triggers.get(table) ?? []) readThrough(body)
  }
  const remove = (table: string) => {
    if (seen.has(`delete ${table}`)) return
    seen.add(`delete ${table}`)
    write(table)
    for (const other of cascades.get(table) ?? []) remove(other)
  }
  /** The table whose name begins at a place, and where it ends. */
  const named = (tokens: string[], start: number): [string, number] => {
    let at = start
    if (tokens[at] === 'only') at += 1
    while (tokens[at + 1] === '.') at += 2
    const name = tokens[at] ?? ''
    if (!relations.has(name) || relations.get(name)?.view) writesAll = true
    return [name, at + 1]
  }
  const readUpdate = (tokens: string[], start: number) => {
    let [table, at] = named(tokens, start)
    if (tokens[at] === 'as') at += 1
    if (tokens[at] !== 'set') at += 1
    const columns = tokens[at] === 'set' ? assigned(tokens, at + 1) : undefined
    const onlyCounts =
      columns !== undefined && !triggers.has(table) && columns.every((column) => isCounter(table, column))
    if (onlyCounts) counts.add(table)
    else {
      write(table)
      for (const other of follows.get(table) ?? []) write(other)
    }
  }
  const readThrough = (body: string) => {
    if (seen.has(body)) return
    seen.add(body)
    const tokens = tokensOf(body)
    for (const [at, token] of tokens.entries()) {
      const before = tokens[at - 1]
      if (token === 'insert' && tokens[at + 1] === 'into') write(named(tokens, at + 2)[0])
      else if (token === 'merge' && tokens[at + 1] === 'into') remove(named(tokens, at + 2)[0])
      else if (token === 'delete' && tokens[at + 1] === 'from') remove(named(tokens, at + 2)[0])
      else if (token === 'update' && !['for', 'key', 'do', '.', 'then'].includes(before ?? ''))
        readUpdate(tokens, at + 1)
      else if (token === 'truncate' || token === 'execute') writesAll = true
      if (TIMED.has(token)) isTimed = true
      if (token.startsWith(ENDS)) ends.add(token.slice(ENDS.length))
      const relation = relations.get(token)
      if (relation && !reads.has(token)) {
        reads.add(token)
        if (relation.view) readThrough(relation.view)
      }
      if (tokens[at + 1] === '(' && functions.has(token) && !relation) {
        const code = functions.get(token)
        if (code === null) isTimed = true
        else if (code !== undefined) readThrough(code)
      }
    }
  }

  const statements = tokensOf(text).join(' ').split(' ; ')
  for (const each of statements) {
    const first = each.replace(/^[( ]+/, '').split(' ')[0] ?? ''
    if (first !== '' && first !== ';' && !READ_THROUGH.has(first) && !HARMLESS.has(first)) return UNKNOWN
  }
  readThrough(text)
  for (const table of writes) counts.delete(table)
  return { reads, writes, counts, writesAll, isTimed, ends }
}
