/** A message of an administrator, with its progress. */
export type NoticeRow = {
  id: number
  user_id: number
  contents: string
  /** Null: everybody. */
  user_ids: number[] | null
  status: 'sending' | 'sent' | 'withdrawn'
  sent: number
  total: number
  created_at: string
  finished_at: string | null
}
