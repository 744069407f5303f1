import type { userViews } from '#modules/accounts/index.ts'

type Authored = { user_id: number; anonymity: boolean }

/** Whether the author has to stay unknown to this viewer. */
const hides = (row: Authored, viewerId: number) => row.anonymity && row.user_id !== viewerId

/** The people to be shown with rows: not those who are to stay unknown, so that no slip can tell of them. */
export const shownPeople = (rows: Authored[], viewerId: number) =>
  rows.filter((row) => !hides(row, viewerId)).map((row) => row.user_id)

export type People = Awaited<ReturnType<typeof userViews>>

/** How the author stands in a reply: as nobody where they have to stay unknown. */
export const author = (row: Authored, viewerId: number, people: People) =>
  hides(row, viewerId) ? { user_id: 0 } : { user_id: row.user_id, user: people.get(row.user_id) ?? null }

export const bit = (value: boolean) => (value ? 1 : 0)
