import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { currentCaller, newCaller } from '#platform/database/callers.ts'
import { createEnds } from './ends.ts'
import { createPage, type Page } from './page.ts'
import { noting } from './reading.ts'
import { createRush } from './rush.ts'

/** Nothing is kept for longer, whatever was not told of what it was made of. */
const LONGEST_MS = 60_000
/** Other ways to ask for the same page that are remembered. */
const MAX_NAMES = 20_000

/** What something that is kept was made of, and when. */
export type MadeOf = Pick<Page, 'noted' | 'readAt'>

/** Makes a page: the text of the reply, as it is sent. */
export type Make = () => Promise<string>

/** The pages that a process keeps, each until something that it was made of is written. */
export type Pages = {
  /** A kept page that is good for this viewer; 0 is a guest. */
  find(key: string, viewerId: number): Page | undefined
  /** A page that is good for this viewer: kept, or made now. Who asks while one is made waits for the same. */
  get(key: string, viewerId: number, names: ReadonlySet<string>, make: Make): Promise<Page>
  /** Whether a page was asked for a short while before: one that is a single viewer's is worth its memory then. */
  isAskedAgain(key: string): boolean
  /** The key under which a page was asked for by this address before. */
  keyOf(address: string): string | undefined
  remember(address: string, key: string): void
  /** Whether something that is kept still says what the tables say. */
  isExact(made: MadeOf): boolean
  /** Counts what showing a page counts. */
  countShown(page: Page): void
  /** How old what only counts may be in a page that is sent now. */
  ageOfCounts(): number
  /** Every page that is found is made again and compared. */
  isVerified: boolean
  /** Told of each page that is found, made or compared, for metrics. */
  tell(event: PageEvent): void
  /** How many pages are kept, and their bytes. */
  state(): { pages: number; bytes: number }
}

export type PageEvent = 'hit' | 'made' | 'own' | 'compared' | 'different'

const now = () => performance.now()

/** The pages of a context; those of each are its own. */
const ofContext = new WeakMap<Context, Pages>()
export function pagesOf(ctx: Context): Pages {
  const known = ofContext.get(ctx)
  if (known) return known
  const made = createPages(ctx)
  ofContext.set(ctx, made)
  return made
}

function createPages(ctx: Context): Pages {
  const { generations } = ctx.sql
  const { bytes, countsMs, countsAfter, timedMs, isVerified } = ctx.config.keptPages
  const makes = createRush(countsAfter)
  const sends = createRush(countsAfter)
  const kept = new LRUCache<string, Page>({
    maxSize: bytes,
    sizeCalculation: (page, key) => page.size + key.length,
  })
  const names = new LRUCache<string, string>({ max: MAX_NAMES })
  const askedAt = new LRUCache<string, number>({ max: MAX_NAMES })
  const making = new Map<string, Promise<Page>>()
  const counts = ctx.metrics.countPages(() => ({ pages: kept.size, bytes: kept.calculatedSize }))

  const ends = createEnds(ctx.sql)
  const isYoung = ({ noted: { sources }, readAt }: MadeOf) => {
    const time = now()
    const isTold = !sources.isTimed && ends.areOpen(sources.ends, readAt, time)
    return time - readAt < (isTold ? LONGEST_MS : timedMs)
  }
  const isExact = (made: MadeOf) => {
    const { sources } = made.noted
    if (sources.isUnknown || !isYoung(made)) return false
    const last = generations.lastWrite(sources)
    return last.rows <= sources.since && last.counts <= sources.since
  }
  const isGood = (page: Page, viewerId: number) => {
    const { sources } = page.noted
    if (sources.isUnknown || !isYoung(page)) return false
    if (generations.clock() === sources.since) return true
    const last = generations.lastWrite(sources)
    if (last.rows > sources.since) return false
    if (last.counts <= sources.since) return true
    // In a rush counters may be seen a little later, but not by who changed some.
    return (
      makes.isOn(now()) &&
      now() - page.readAt < countsMs &&
      (viewerId === 0 || generations.lastAct(viewerId) <= sources.since)
    )
  }
  const find = (key: string, viewerId: number) => {
    const page = kept.get(key)
    if (!page) return undefined
    if (isGood(page, viewerId)) return page
    if (!isGood(page, 0)) kept.delete(key)
    return undefined
  }

  const make = async (key: string, flags: ReadonlySet<string>, write: Make): Promise<Page> => {
    const readAt = now()
    makes.count(readAt)
    // A caller of its own reads from the primary, whoever asks: a kept page knows of no replica's delay.
    const caller = { ...newCaller(), keys: currentCaller()?.keys ?? [] }
    const { value, noted } = await noting(generations, caller, write)
    const page = createPage(value, noted, readAt, flags)
    if (isGood(page, 0)) kept.set(key, page)
    return page
  }

  return {
    find,
    async get(key, viewerId, flags, write) {
      const known = find(key, viewerId)
      if (known) {
        counts('hit')
        return known
      }
      // What others make may have been read before what this caller knows of: then it is made once more.
      const others = await making.get(key)?.catch(() => undefined)
      if (others && isGood(others, viewerId)) {
        counts('hit')
        return others
      }
      counts('made')
      const made = make(key, flags, write)
      if (!making.has(key)) {
        making.set(key, made)
        const done = () => {
          if (making.get(key) === made) making.delete(key)
        }
        made.then(done, done)
      }
      return made
    },
    isAskedAgain(key) {
      const before = askedAt.get(key)
      askedAt.set(key, now())
      return before !== undefined && now() - before < LONGEST_MS
    },
    keyOf: (address) => names.get(address),
    remember(address, key) {
      if (names.get(address) !== key) names.set(address, key)
    },
    isExact,
    countShown({ noted }) {
      for (const { counts: counted, ids } of noted.shown) counted.add(ids)
    },
    ageOfCounts() {
      sends.count(now())
      return sends.isOn(now()) ? countsMs : 0
    },
    isVerified,
    tell: counts,
    state: () => ({ pages: kept.size, bytes: kept.calculatedSize }),
  }
}
