import { listReceived, type Readers, readContent } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { type LikeRow, listReceivedLikes } from './queries.ts'
import { LikesQuery, ReceivedLike } from './schema.ts'
import { withUsers } from './view.ts'

const referenceOf = (row: LikeRow) => ({ type: row.likeable_type, id: row.likeable_id })

/** The list of likes across all kinds of content; `readers` knows how each kind is seen. */
export const likeRoutes = (readers: Readers) => (server: Server, ctx: Context) => {
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
        // Clients read `video` of whatever was liked (feeds-39).
        return { ...like, likeable: content ? { video: null, ...content } : null }
      })
    },
  })
}
