import { listReceived, type Readers, readContent } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { type LikeRow, listReceivedLikes } from './queries.ts'
import { LikesQuery, ReceivedLike } from './schema.ts'
import { withUsers } from './view.ts'

const referenceOf = (row: LikeRow) => ({ type: row.likeable_type, id: row.likeable_id })

/** The list of likes across all kinds of things; `readers` knows how each kind is seen. */
export const likeRoutes = (readers: Readers) => (server: Server, ctx: Context) => {
  server.get(
    '/user/likes',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Likes'],
        summary: 'Likes of my things',
        querystring: LikesQuery(),
        response: { 200: Type.Array(ReceivedLike) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const rows = await listReceived(ctx.sql, readers, viewer, request.query, {
        list: (after, limit) => listReceivedLikes(ctx.sql, viewer, after, limit),
        referenceOf,
      })
      const references = rows.map(referenceOf)
      const [likes, things] = await Promise.all([
        withUsers(ctx, rows, viewer),
        readContent(ctx, readers, references, viewer),
      ])
      return likes.map((like) => ({
        ...like,
        likeable: (things.get(`${like.likeable_type}/${like.likeable_id}`) ?? null) as Record<
          string,
          unknown
        > | null,
      }))
    },
  )
}
