export const EPOCH = new Date(0).toISOString()

export const TIMES = { created_at: 'time', updated_at: 'time' } as const

export const TIME_COLUMNS = { created_at: 'timestamptz', updated_at: 'timestamptz' }

export const timesOf = (row: { created_at: string | null; updated_at: string | null }) => ({
  created_at: row.created_at ?? EPOCH,
  updated_at: row.updated_at ?? row.created_at ?? EPOCH,
})
