import {
  type Content,
  type ContentReaders,
  hidesOwner,
  listReceived,
  mountOn,
  readContent,
  type Target,
} from '#contracts/content.ts'
import { withUrls } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { blocked, type DeclaredError } from '#platform/errors.ts'
import { Empty, Id, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { type LikeRow, listLikes, listReceivedLikes } from './queries.ts'
import {
  type LikeRules,
  LikesQuery,
  LikeWithUrls,
  LikeWithUser,
  like,
  likedAlready,
  notLiked,
  ReceivedLike,
  unlike,
  withUsers,
} from './service.ts'

type LikeOptions = LikeRules & {
  create: string
  remove: string
  list?: string
  /** HTTP status for a repeated like. Defaults to the status for the first like (feeds-18). */
  twice?: 400 | 422
  none?: 400 | 422
  silent?: boolean
  urls?: boolean
  pageSize?: number
  /** Throws for a viewer who may read the content but not like it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  errors?: readonly DeclaredError[]
}

const withoutOwner = (row: LikeRow): LikeRow => ({ ...row, target_user: 0 })

export function mountLikes(server: Server, ctx: Context, content: Content, options: LikeOptions): void {
  const find = mountOn(ctx, content)
  const { noun, param } = content
  const route = routesOn(server, ctx, { tag: content.tag })
  const Params = Type.Object({ [param]: Id })
  const twice = options.twice && likedAlready(options.twice)
  const none = options.none && notLiked(options.none)

  route(`POST ${options.create}`, {
    operationId: `like${noun}`,
    summary: 'Like',
    access: 'user',
    params: Params,
    reply: { 201: options.silent ? Empty : Message },
    errors: [blocked, ...(twice ? [twice] : []), ...(options.errors ?? [])],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ request, loaded: target, viewer }) {
      await options.mayWrite?.(target, viewer.id)
      const changed = await like(ctx, content, options, target, viewer.id)
      if (!changed && twice) throw twice()
      return options.silent ? undefined : localizedMessage(request, 'Liked.', '点赞成功。')
    },
  })

  route(`DELETE ${options.remove}`, {
    operationId: `unlike${noun}`,
    summary: 'Remove my like',
    access: 'user',
    params: Params,
    reply: { 204: Empty },
    errors: none ? [none] : [],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ loaded: target, viewer }) {
      const changed = await unlike(ctx, content, options.count, target, viewer.id)
      if (!changed && none) throw none()
    },
  })

  if (options.list === undefined) return
  route(`GET ${options.list}`, {
    operationId: `list${noun}Likes`,
    summary: 'List the likes, newest first',
    access: 'optional',
    params: Params,
    query: LikesQuery(options.pageSize),
    reply: { 200: Type.Array(options.urls ? LikeWithUrls : LikeWithUser) },
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ loaded: target, query, viewer }) {
      const { limit = 15, after = 0 } = query
      const rows = await listLikes(ctx.sql, {
        type: content.type,
        contentId: target.id,
        after,
        limit,
        viewerId: viewer.id,
      })
      const isHidden = hidesOwner(target, viewer.id)
      const shown = isHidden ? rows.map(withoutOwner) : rows
      const likes = await withUsers(ctx, shown, viewer.id)
      return options.urls
        ? likes.map(({ user, ...rest }) => ({ ...rest, user: user && withUrls(user) }))
        : likes
    },
  })
}

const referenceOf = (row: LikeRow) => ({ type: row.likeable_type, id: row.likeable_id })

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
        list: (after, limit) => listReceivedLikes(sql, { viewerId: viewer.id, after, limit }),
        referenceOf,
      })
      const [likes, contents] = await Promise.all([
        withUsers(ctx, rows, viewer.id),
        readContent(ctx, readers, rows.map(referenceOf), viewer.id),
      ])
      return likes.map((like) => {
        const content = contents.get(`${like.likeable_type}/${like.likeable_id}`)
        // Adds `video` to content that lacks it, because clients always read this field (feeds-39).
        return { ...like, likeable: content ? { video: null, ...content } : null }
      })
    },
  })
}
