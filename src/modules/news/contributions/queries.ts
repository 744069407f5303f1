import type { Db } from '#platform/database.ts'

/** Whether a person's identity was certified. */
export const isCertified = async (sql: Db, userId: number): Promise<boolean> =>
  (await sql`select from users where id = ${userId} and verified is not null`).length > 0

/** Asks for the deletion of an article once while the request is open. */
export const askForDeletion = (sql: Db, news: { id: number; userId: number; title: string }) => sql`
  insert into news_deletions (news_id, user_id, title) values (${news.id}, ${news.userId}, ${news.title})
  on conflict do nothing`

export type DeletionRow = {
  id: number
  news_id: number
  user_id: number
  title: string
  state: 'pending' | 'accepted' | 'rejected' | 'cancelled'
  mark: string | null
  decided_by: number | null
  decided_at: string | null
  created_at: string
}

/** Decides an open request, once; undefined when it is not open any more. */
export async function decideDeletion(
  sql: Db,
  id: number,
  decision: { state: 'accepted' | 'rejected'; mark: string | null; by: number },
): Promise<DeletionRow | undefined> {
  const [row] = await sql<DeletionRow[]>`
    update news_deletions set state = ${decision.state}, mark = ${decision.mark}, decided_by = ${decision.by},
      decided_at = now()
    where id = ${id} and state = 'pending' returning *`
  return row
}

/** Ends open requests about an article that is gone without them. */
export const cancelDeletions = (sql: Db, newsId: number) => sql`
  update news_deletions set state = 'cancelled', decided_at = now() where news_id = ${newsId} and state = 'pending'`
