import type { Context } from '#platform/context.ts'
import { currentCaller, newCaller } from '#platform/database/callers.ts'
import { createPage, NO_FLAGS } from './page.ts'
import { type MadeOf, pagesOf } from './pages.ts'
import { noting } from './reading.ts'

/** How often, and how long after each other, two are compared before they count as different. */
const COMPARISONS = 6
const PAUSE_MS = 100

/**
 * Makes again what is kept, and compares. A write that is under way, here or in another process, makes them differ for a
 * moment: only a page that stays good and different is a fault.
 */
export async function compare(
  ctx: Context,
  of: {
    page: MadeOf
    key: string
    shown: () => Promise<string | undefined>
    write: () => Promise<string>
  },
): Promise<void> {
  const pages = pagesOf(ctx)
  let [shown, fresh]: (string | undefined)[] = []
  for (let attempt = 0; attempt < COMPARISONS; attempt += 1) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    const caller = { ...newCaller(), keys: currentCaller()?.keys ?? [] }
    const made = await noting(ctx.sql.generations, caller, of.write).catch(() => undefined)
    shown = await of.shown()
    fresh =
      made &&
      createPage(made.value, made.noted, of.page.readAt, new Set()).forViewer(NO_FLAGS).bytes.toString()
    if (!pages.isExact(of.page)) return
    if (shown === fresh) return pages.tell('compared')
  }
  pages.tell('different')
  const at = [...(shown ?? '')].findIndex((letter, place) => letter !== fresh?.[place])
  const around = (text: string | undefined) => text?.slice(Math.max(0, at - 80), at + 80)
  ctx.log.error(
    { key: of.key, kept: around(shown), made: around(fresh) },
    'a kept page is not what is made now',
  )
  throw new Error(
    `${of.key} is kept as …${around(shown)}… and made as …${around(fresh)}… (${[...of.page.noted.sources.tables].join(', ')})`,
  )
}
