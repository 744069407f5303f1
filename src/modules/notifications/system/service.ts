import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { findStatistics, isPresent, type NotificationRow } from '../queries.ts'
import { findThings } from './queries.ts'
import { type Found, wantedOf } from './view.ts'

/** Looks up what rows were stored without: nothing where nothing is missing, else one statement for all of them. */
export async function findMissing(
  ctx: Context,
  rows: readonly NotificationRow[],
  readerOf: (row: NotificationRow) => number,
): Promise<(row: NotificationRow) => Found> {
  const wanted = rows.flatMap((row) => wantedOf(row, readerOf(row)))
  const [things, settings] = await Promise.all([
    wanted.length > 0 ? findThings(ctx.sql, wanted) : [],
    readSettings(ctx),
  ])
  const byKey = new Map(things.map((thing) => [`${thing.kind} ${thing.reader} ${thing.id}`, thing]))
  const unit = settings['site:currency-unit'] || settings['site:currency-name']
  return (row) => ({
    unit,
    things: Object.fromEntries(
      wantedOf(row, readerOf(row)).map(({ kind, reader, id }) => [
        kind,
        byKey.get(`${kind} ${reader} ${id}`),
      ]),
    ),
  })
}

/** The numbers and newest notifications of a person, with what the one that is shown was stored without. */
export async function readStatistics(ctx: Context, userId: number) {
  const rows = await findStatistics(ctx.sql, userId)
  const first = rows.filter(isPresent).find(({ type }) => type === 'system')
  return { rows, known: await findMissing(ctx, first ? [first] : [], () => userId) }
}
