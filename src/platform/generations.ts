import { LRUCache } from 'lru-cache'
import type { Db } from '#platform/database.ts'
import { type Catalogue, readCatalogue } from '#platform/generations/catalogue.ts'
import { UNKNOWN, type Use, useOf } from '#platform/generations/statement-tables.ts'

/** What was read to make something that is kept, and when. */
export type Sources = {
  /** The clock when the first of it was read. */
  since: number
  tables: ReadonlySet<string>
  isTimed: boolean
  /** It changes by itself at the next of these moments (`Use.ends`). */
  ends: ReadonlySet<string>
  /** Something was read that no generation tells of. */
  isUnknown: boolean
  /** Who may be shown it differently in more than flags, such as what they paid for: anybody, or these people. */
  differsFor: 'anybody' | ReadonlySet<number>
}

/** What was written, as other processes are told. */
export type Written = {
  all: boolean
  tables: readonly string[]
  counts: readonly string[]
  /** Who changed counters: they see their own changes at once. */
  actors: readonly number[]
}

/**
 * Knows which tables were written since when. Each table has a generation: the value of one clock when it was last
 * written. What was read at a clock is good while none of its tables has a later generation. Counters have generations of
 * their own, since what only they change may be shown a moment longer (docs/kept-pages.md).
 */
export type Generations = {
  /** Counts up with every write. */
  clock(): number
  /** What a statement does; without the catalogue nothing is known of it. */
  use(text: string): Use
  /** Called when a writing statement, or the transaction of several, is done, with those on whose behalf. */
  wrote(uses: Iterable<Use>, actors: readonly number[]): void
  /** Raises what another process wrote. */
  hear(written: Written): void
  /** Raises one name in this process alone: what a cache of this process holds. */
  raise(name: string): void
  /** Raises everything: after a time without news of other processes. */
  raiseAll(): void
  /** The last clock at which a table of these was written; counters apart. */
  lastWrite(sources: Pick<Sources, 'tables'>): { rows: number; counts: number }
  /** The clock of the last change of counters by this person. */
  lastAct(userId: number): number
  /** Told what is to be said to other processes. */
  onWritten(tell: (written: Written) => void): void
  /** Reads the catalogue; before that every statement counts as writing everything, and nothing is kept. */
  learn(sql: Db): Promise<void>
  /** Whether the catalogue is known. */
  isReady(): boolean
}

const MAX_TEXTS = 20_000
const MAX_ACTORS = 20_000

/** Nothing was written yet. */
export function createGenerations(): Generations {
  const rows = new Map<string, number>()
  const counts = new Map<string, number>()
  const acts = new LRUCache<number, number>({ max: MAX_ACTORS })
  const uses = new LRUCache<string, Use>({ max: MAX_TEXTS })
  let catalogue: Catalogue | undefined
  let clock = 1
  let allAt = 0
  let forgottenActs = 0
  const tellers: ((written: Written) => void)[] = []

  const raiseSome = ({ all, tables, counts: counted, actors }: Written) => {
    clock += 1
    if (all) allAt = clock
    for (const table of tables) rows.set(table, clock)
    for (const table of counted) counts.set(table, clock)
    for (const actor of actors) {
      if (acts.size >= MAX_ACTORS && !acts.has(actor)) forgottenActs = clock
      acts.set(actor, clock)
    }
  }

  return {
    clock: () => clock,
    use(text) {
      if (!catalogue) return UNKNOWN
      let known = uses.get(text)
      if (!known) {
        known = useOf(text, catalogue)
        uses.set(text, known)
      }
      return known
    },
    wrote(done, actors) {
      const tables = new Set<string>()
      const counted = new Set<string>()
      let all = false
      for (const use of done) {
        all ||= use.writesAll
        for (const table of use.writes) tables.add(table)
        for (const table of use.counts) counted.add(table)
      }
      if (!all && tables.size === 0 && counted.size === 0) return
      const written = {
        all,
        tables: [...tables],
        counts: [...counted],
        actors: counted.size > 0 ? actors : [],
      }
      raiseSome(written)
      for (const tell of tellers) tell(written)
    },
    hear: raiseSome,
    raise(name) {
      clock += 1
      rows.set(name, clock)
    },
    raiseAll() {
      clock += 1
      allAt = clock
    },
    lastWrite({ tables }) {
      let row = allAt
      let count = 0
      for (const table of tables) {
        row = Math.max(row, rows.get(table) ?? 0)
        count = Math.max(count, counts.get(table) ?? 0)
      }
      return { rows: row, counts: count }
    },
    lastAct: (userId) => acts.get(userId) ?? forgottenActs,
    onWritten: (tell) => void tellers.push(tell),
    async learn(sql) {
      catalogue = await readCatalogue(sql)
      uses.clear()
    },
    isReady: () => catalogue !== undefined,
  }
}
