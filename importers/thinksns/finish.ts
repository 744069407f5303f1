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
