import { linksOf, readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { findStatistics, isPresent, type NotificationRow } from '../queries.ts'
import type { Told } from '../view.ts'
import { findThings } from './queries.ts'
import { wantedOf } from './view.ts'

/** What rows are shown with. Looks up what they were stored without: nothing where nothing is missing, else one statement for all of them. */
export async function findMissing(
  ctx: Context,
  rows: readonly NotificationRow[],
  readerOf: (row: NotificationRow) => number,
): Promise<Told> {
  const wanted = rows.flatMap((row) => wantedOf(row, readerOf(row)))
  const [things, settings] = await Promise.all([
    wanted.length > 0 ? findThings(ctx.sql, wanted) : [],
    readSettings(ctx),
  ])
  const byKey = new Map(things.map((thing) => [`${thing.kind} ${thing.reader} ${thing.id}`, thing]))
  const unit = settings['site:currency-unit'] || settings['site:currency-name']
  return {
    linkTo: linksOf(ctx.config, settings),
    known: (row) => ({
      unit,
      things: Object.fromEntries(
        wantedOf(row, readerOf(row)).map(({ kind, reader, id }) => [
          kind,
          byKey.get(`${kind} ${reader} ${id}`),
        ]),
      ),
    }),
  }
}

/** The numbers and newest notifications of a person, with what the one that is shown was stored without. */
export async function readStatistics(ctx: Context, userId: number) {
  const rows = await findStatistics(ctx.sql, userId)
  const first = rows.filter(isPresent).find(({ type }) => type === 'system')
  return { rows, told: await findMissing(ctx, first ? [first] : [], () => userId) }
}
