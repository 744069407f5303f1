import type { ImportStep } from '#platform/database-import/table.ts'
import { advanceIdentity } from '#platform/database-import/write.ts'
import { COUNTERS } from '../../doctor.ts'

/** Lets every numbering go on after what was brought along. */
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

/** Counts everything anew: the numbers of the source are often too high. */
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
