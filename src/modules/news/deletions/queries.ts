import type { Db, Tables } from '#platform/database'

/** Inserts a deletion request unless one is open. */
export const askForDeletion = (sql: Db, news: { id: number; userId: number; title: string }) => sql`
  insert into news_deletions (news_id, user_id, title) values (${news.id}, ${news.userId}, ${news.title})
  on conflict do nothing`

export type NewsDeletionRow = Tables['news_deletions'] & {
  state: 'pending' | 'accepted' | 'rejected' | 'cancelled'
}

/** Decides an open request once. Returns undefined when it is not open. */
export async function decideDeletion(
  sql: Db,
  id: number,
  decision: { state: 'accepted' | 'rejected'; mark: string | null; by: number },
): Promise<NewsDeletionRow | undefined> {
  const [row] = await sql<NewsDeletionRow[]>`
    update news_deletions set state = ${decision.state}, mark = ${decision.mark}, decided_by = ${decision.by},
      decided_at = now()
    where id = ${id} and state = 'pending' returning *`
  return row
}

/** Cancels open requests about a deleted article. */
export const cancelDeletions = (sql: Db, newsId: number) => sql`
  update news_deletions set state = 'cancelled', decided_at = now() where news_id = ${newsId} and state = 'pending'`
