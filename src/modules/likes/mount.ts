import { peopleOverlay, withUrls } from '#modules/accounts/index.ts'
import { type Content, hidesOwner, noteMounted, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { blocked, type DeclaredError, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { notePersonal } from '#platform/pages/reading.ts'
import { Empty, Id, Message, Type } from '#platform/schema.ts'
import { likedAlready, notLiked } from './errors.ts'
import { type LikeRow, listLikes } from './queries.ts'
import { LikesQuery, LikeWithUrls, LikeWithUser } from './schema.ts'
import { type LikeRules, like, unlike } from './service.ts'
import { withUsers } from './view.ts'

export type LikeOptions = LikeRules & {
  /** Where POST is answered, such as `/feeds/:feed/like`. */
  create: string
  /** Where DELETE is answered. */
  remove: string
  /** Where GET is answered; absent: there is no list. */
  list?: string
  /** The status of liking what one likes already; absent: it is answered as if it were the first time (feeds-18). */
  twice?: 400 | 422
  /** The status of taking back a like that is not there; absent: 204. */
  none?: 400 | 422
  /** Liking answers 201 without a body. */
  silent?: boolean
  /** The pictures of people in the list are addresses (feeds-20). */
  urls?: boolean
  /** The list's default page size where it is not 15. */
  pageSize?: number
  /** Throws for who may see the content and yet not like it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  /** What `mayWrite` throws. */
  errors?: readonly DeclaredError[]
}

const withoutOwner = (row: LikeRow): LikeRow => ({ ...row, target_user: 0 })

/** Offers likes of content of one kind. */
export function mountLikes(server: Server, ctx: Context, content: Content, options: LikeOptions): void {
  noteMounted(ctx, content)
  const { noun, param } = content
  const route = routesOn(server, ctx, { tag: content.tag })
  const Params = Type.Object({ [param]: Id })
  const twice = options.twice && likedAlready(options.twice)
  const none = options.none && notLiked(options.none)

  const find = async (id: number, viewerId: number): Promise<Target> => {
    const target = await content.find(ctx.sql, id, viewerId)
    if (!target) throw notFound()
    return target
  }

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
      return options.silent ? undefined : say(request, 'Liked.', '点赞成功。')
    },
  })

  route(`DELETE ${options.remove}`, {
    operationId: `unlike${noun}`,
    summary: 'Take a like back',
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
    kept: peopleOverlay,
    params: Params,
    query: LikesQuery(options.pageSize),
    reply: { 200: Type.Array(options.urls ? LikeWithUrls : LikeWithUser) },
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ loaded: target, query, viewer }) {
      const { limit = 15, after = 0 } = query
      const rows = await listLikes(ctx.sql, content.type, target.id, after, limit)
      const isHidden = hidesOwner(target, viewer.id)
      if (isHidden) notePersonal([target.ownerId])
      const shown = isHidden ? rows.map(withoutOwner) : rows
      const likes = await withUsers(ctx, shown, viewer.id)
      return options.urls
        ? likes.map(({ user, ...rest }) => ({ ...rest, user: user && withUrls(user) }))
        : likes
    },
  })
}
