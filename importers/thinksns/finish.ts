import { COUNTERS } from '../../src/site.ts'
import type { ImportStep } from './database/table.ts'
import { advanceIdentity } from './database/write.ts'

export const setIdentities: ImportStep = {
  name: 'numbering',
  async run({ transaction }) {
    await transaction(async (tx) => {
      const columns = await tx<{ table: string; column: string }[]>`
        select table_name as table, column_name as column from information_schema.columns
        where table_schema = 'public' and is_identity = 'YES'`
      for (const { table, column } of columns) await advanceIdentity(tx, table, column)
    })
  },
}

/**
 * Numbers the rows of lists that Kith sorts by an id that the source lacks. Sorts them by time, because rows that came
 * back after an earlier run would otherwise stand first.
 */
export const numberLists: ImportStep = {
  name: 'order of lists',
  async run({ transaction }) {
    for (const [table, target] of [
      ['user_blocks', 'target_id'],
      ['question_watchers', 'question_id'],
    ] as const)
      await transaction(
        (tx) => tx`
          with placed as (
            select user_id, row_number() over (partition by user_id order by created_at, ${tx(target)})
              <> row_number() over (partition by user_id order by id) as misplaced
            from ${tx(table)}
          ),
          ordered as (
            select user_id, ${tx(target)} as target from ${tx(table)}
            where user_id in (select user_id from placed where misplaced) order by user_id, created_at, ${tx(target)}
          ),
          numbered as (
            select user_id, target, nextval(pg_get_serial_sequence(${table}, 'id')) as id from ordered
          )
          update ${tx(table)} t set id = n.id from numbered n
          where t.user_id = n.user_id and t.${tx(target)} = n.target`,
      )
  },
}

/** Recounts all counters that a repair may overwrite, because counters of the source are often too high. */
export const recountAll: ImportStep = {
  name: 'counting',
  async run({ transaction, progress }) {
    for (const check of COUNTERS) {
      if (check.mendable === false) continue
      progress(check.name)
      await transaction((tx) => check.mend(tx))
    }
  },
}

/** Removes the categories and the singer that an earlier run made for rows without one, if no row needs them. */
export const dropSpares: ImportStep = {
  name: 'spare categories',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`delete from news_categories c where id = 0 and not exists (select from news where category_id = 0)`
      await tx`delete from group_categories c where id = 0 and not exists (select from groups where category_id = 0)`
      await tx`
        delete from tag_categories c where id = 1 and not exists (select from tags where tag_category_id = 1)
          and not exists (select from import_targets where source_table = 'tag_categories' and target = '1')`
      await tx`delete from music_singers c where id = 0 and not exists (select from music_songs where singer_id = 0)`
    }),
}
