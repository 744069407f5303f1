import { alreadyDecided } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { getLocked, removeNews, tellAuthor } from '../service.ts'
import { decideDeletion } from './queries.ts'

/** Decides a request for deletion, once, and tells the author. */
export async function settleDeletion(
  ctx: Context,
  tx: Tx,
  id: number,
  { accept, mark, by }: { accept: boolean; mark: string | null; by: number },
): Promise<void> {
  const request = await decideDeletion(tx, id, { state: accept ? 'accepted' : 'rejected', mark, by })
  if (!request) throw alreadyDecided()
  const news = await getLocked(tx, request.news_id)
  if (accept) await removeNews(ctx, tx, news)
  await tellAuthor(tx, news, accept ? 'news:delete:accept' : 'news:delete:reject', mark)
}
