import { type Db, type Fragment, type Sql, type Tx, transaction } from '#platform/database'

/**
 * Views of a kind of content since migration 0340. They add to the column of the content's own row, which has the views of
 * imports and of earlier versions (docs/decisions/0024-views.md).
 */
export type ViewTable = { table: string; key: string; content: string }

const VIEWS_LOCK = 4_127_340

/** Makes flushes of all processes take turns. Otherwise flushes that update rows in another order could deadlock. */
export const takeViewsTurn = (tx: Tx) => tx`select pg_advisory_xact_lock(${VIEWS_LOCK})`

/** Ignores content that was deleted in the meantime. */
export const addViewsTo =
  ({ table, key, content }: ViewTable) =>
  (sql: Sql, ids: number[], counts: number[]): Promise<unknown> =>
    transaction(sql, async (tx) => {
      await takeViewsTurn(tx)
      await tx`
        with seen as materialized (select * from unnest(${ids}::bigint[], ${counts}::bigint[]) as s (id, n)),
        counted as (
          update ${tx(table)} v set views = v.views + s.n from seen s where v.${tx(key)} = s.id returning s.id
        )
        insert into ${tx(table)} (${tx(key)}, views)
        select s.id, s.n from seen s join ${tx(content)} c on c.id = s.id where s.id not in (select id from counted)
        order by s.id`
    })

export const viewsIn = (sql: Db, { table, key }: ViewTable, id: Fragment): Fragment =>
  sql`coalesce((select v.views from ${sql(table)} v where v.${sql(key)} = ${id}), 0)`
