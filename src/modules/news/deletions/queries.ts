import type { Db } from '#platform/database.ts'
import type { Tables } from '#platform/tables.ts'

/** Asks for the deletion of an article once while the request is open. */
export const askForDeletion = (sql: Db, news: { id: number; userId: number; title: string }) => sql`
  insert into news_deletions (news_id, user_id, title) values (${news.id}, ${news.userId}, ${news.title})
  on conflict do nothing`

export type NewsDeletionRow = Tables['news_deletions'] & {
  state: 'pending' | 'accepted' | 'rejected' | 'cancelled'
}

/** Decides an open request, once; undefined when it is not open any more. */
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

/** Ends open requests about an article that is gone without them. */
export const cancelDeletions = (sql: Db, newsId: number) => sql`
  update news_deletions set state = 'cancelled', decided_at = now() where news_id = ${newsId} and state = 'pending'`
