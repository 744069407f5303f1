import { linksOf, readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { findStatistics, type NotificationRow } from '../queries.ts'
import type { Told } from '../service.ts'
import { findThings } from './queries.ts'
import { wantedOf } from './view.ts'

/**
 * Looks up fields that were missing when rows were stored: no query when complete, else one statement for
 * all.
 */
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

/** Reads the unread counts and newest notifications of a user, and completes the one shown. */
export async function readStatistics(ctx: Context, userId: number) {
  const types = await findStatistics(ctx.sql, userId)
  const first = types.find(({ kind }) => kind === 'system')?.newest[0]
  return { types, told: await findMissing(ctx, first ? [first] : [], () => userId) }
}
