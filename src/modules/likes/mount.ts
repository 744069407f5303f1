import type { FastifyRequest } from 'fastify'
import { withUrls } from '#modules/accounts/index.ts'
import { type Content, hidesOwner, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { apiError, notFound } from '#platform/errors.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Id, Message, Type } from '#platform/schema.ts'
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
  /** The status of liking what one likes already; absent: it is answered as if it were the first time. */
  twice?: 400 | 422
  /** The status of taking back a like that is not there; absent: 204. */
  none?: 400 | 422
  /** Liking answers 201 without a body. */
  silent?: boolean
  /** The pictures of people in the list are addresses (specification 2.7). */
  urls?: boolean
  /** The list's default page size where it is not 15. */
  pageSize?: number
  /** Throws for who may see the thing and yet not like it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
}

const likedAlready = (status: number) =>
  apiError(status, 'already_liked', 'You like this already.', '你已经赞过了。')()
const notLiked = (status: number) =>
  apiError(status, 'not_liked', 'You do not like this.', '你还没有赞过。')()

const withoutOwner = (row: LikeRow): LikeRow => ({ ...row, target_user: 0 })

/** Offers likes of things of one kind. */
export function mountLikes(server: Server, ctx: Context, content: Content, options: LikeOptions): void {
  const tags = [content.tag]
  const params = Type.Object({ [content.param]: Id })
  const find = async (request: FastifyRequest): Promise<Target> => {
    const id = (request.params as Record<string, number>)[content.param]!
    const target = await content.find(ctx.sql, id, viewerId(request))
    if (!target) throw notFound()
    return target
  }
  const likeIt = async (request: FastifyRequest) => {
    const target = await find(request)
    const { id: viewer } = viewerOf(request)
    await options.mayWrite?.(target, viewer)
    const changed = await like(ctx, content, options, target, viewer)
    if (!changed && options.twice) throw likedAlready(options.twice)
  }

  const createSchema = { tags, summary: 'Like', params }
  if (options.silent)
    server.post(
      options.create,
      { config: { access: 'user' }, schema: { ...createSchema, response: { 201: Empty } } },
      async (request, reply) => {
        await likeIt(request)
        return reply.code(201).send()
      },
    )
  else
    server.post(
      options.create,
      { config: { access: 'user' }, schema: { ...createSchema, response: { 201: Message } } },
      async (request, reply) => {
        await likeIt(request)
        return reply.code(201).send(say(request, 'Liked.', '点赞成功。'))
      },
    )

  server.delete(
    options.remove,
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Take a like back', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      const target = await find(request)
      const changed = await unlike(ctx, content, options.count, target, viewerOf(request).id)
      if (!changed && options.none) throw notLiked(options.none)
      return reply.code(204).send()
    },
  )

  if (options.list === undefined) return
  const listSchema = {
    tags,
    summary: 'List likes, newest first',
    params,
    querystring: LikesQuery(options.pageSize),
  }
  const list = async (request: FastifyRequest) => {
    const target = await find(request)
    const { limit = 15, after = 0 } = request.query as { limit?: number; after?: number }
    const viewer = viewerId(request)
    const rows = await listLikes(ctx.sql, content.type, target.id, after, limit)
    return withUsers(ctx, hidesOwner(target, viewer) ? rows.map(withoutOwner) : rows, viewer)
  }
  const config = { access: 'optional' as const, before: find }
  if (options.urls)
    server.get(
      options.list,
      { config, schema: { ...listSchema, response: { 200: Type.Array(LikeWithUrls) } } },
      async (request) =>
        (await list(request)).map(({ user, ...rest }) => ({ ...rest, user: user && withUrls(user) })),
    )
  else
    server.get(
      options.list,
      { config, schema: { ...listSchema, response: { 200: Type.Array(LikeWithUser) } } },
      list,
    )
}
