/** What stands where a source has no time. */
export const EPOCH = new Date(0).toISOString()

/** The columns of a source that tell when a row was made and when it was changed. */
export const TIMES = { created_at: 'time', updated_at: 'time' } as const

/** The same columns here. */
export const TIME_COLUMNS = { created_at: 'timestamptz', updated_at: 'timestamptz' }

/** When a row of a source was made and changed. */
export const timesOf = (row: { created_at: string | null; updated_at: string | null }) => ({
  created_at: row.created_at ?? EPOCH,
  updated_at: row.updated_at ?? row.created_at ?? EPOCH,
})
