import { type ContentReaders, listReceived, readContent } from '#contracts/content.ts'
import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import { type LikeRow, listReceivedLikes } from './queries.ts'
import { LikesQuery, ReceivedLike, withUsers } from './service.ts'

const referenceOf = (row: LikeRow) => ({ type: row.likeable_type, id: row.likeable_id })

/** The list of received likes across all kinds of content. `readers` loads each kind. */
export const likeRoutes = (readers: ContentReaders) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Likes' })

  route('GET /user/likes', {
    operationId: 'listReceivedLikes',
    summary: 'List the likes of what I published',
    access: 'user',
    query: LikesQuery(),
    reply: { 200: Type.Array(ReceivedLike) },
    async handler({ query, viewer }) {
      const rows = await listReceived(sql, readers, viewer.id, query, {
        list: (after, limit) => listReceivedLikes(sql, viewer.id, after, limit),
        referenceOf,
      })
      const [likes, contents] = await Promise.all([
        withUsers(ctx, rows, viewer.id),
        readContent(ctx, readers, rows.map(referenceOf), viewer.id),
      ])
      return likes.map((like) => {
        const content = contents.get(`${like.likeable_type}/${like.likeable_id}`)
        // Clients read `video` of all liked content (feeds-39).
        return { ...like, likeable: content ? { video: null, ...content } : null }
      })
    },
  })
}
