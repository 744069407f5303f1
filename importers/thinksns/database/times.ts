/** Replacement for a missing time. */
export const EPOCH = new Date(0).toISOString()

/** Columns of creation and update times in a source. */
export const TIMES = { created_at: 'time', updated_at: 'time' } as const

/** The same columns here. */
export const TIME_COLUMNS = { created_at: 'timestamptz', updated_at: 'timestamptz' }

/** Reads the creation and update time of a source row. */
export const timesOf = (row: { created_at: string | null; updated_at: string | null }) => ({
  created_at: row.created_at ?? EPOCH,
  updated_at: row.updated_at ?? row.created_at ?? EPOCH,
})
