import type { FastifyRequest } from 'fastify'
import type { Content, Counts, Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { apiError, notFound } from '#platform/errors.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { Empty, Id, Message, Type } from '#platform/schema.ts'
import { deleteCollection, insertCollection } from './queries.ts'

export type CollectionOptions = {
  /** Where POST is answered, such as `/feeds/:feed/collections`. */
  create: string
  /** Where DELETE is answered. */
  remove: string
  /** The status of collecting what is collected already; absent: it is answered as if it were the first time. */
  twice?: 400 | 422
  /** The status of removing what is not collected; absent: 204. */
  none?: 400 | 422
  /** Keeps the counter of collections of the thing. */
  count?: Counts
}

const collectedAlready = (status: number) =>
  apiError(status, 'already_collected', 'You have collected this already.', '你已经收藏过了。')()
const notCollected = (status: number) =>
  apiError(status, 'not_collected', 'You have not collected this.', '你还没有收藏。')()

/** Offers collecting things of one kind; the module of the kind lists what was collected. */
export function mountCollections(
  server: Server,
  ctx: Context,
  content: Content,
  options: CollectionOptions,
): void {
  const tags = [content.tag]
  const params = Type.Object({ [content.param]: Id })
  const find = async (request: FastifyRequest): Promise<Target> => {
    const id = (request.params as Record<string, number>)[content.param]!
    const target = await content.find(ctx.sql, id, viewerOf(request).id)
    if (!target) throw notFound()
    return target
  }

  server.post(
    options.create,
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Collect', params, response: { 201: Message } },
    },
    async (request, reply) => {
      const { id } = await find(request)
      const { found, changed } = await transaction(ctx.sql, (tx) =>
        insertCollection(tx, content, options.count, id, viewerOf(request).id),
      )
      if (!found) throw notFound()
      if (!changed && options.twice) throw collectedAlready(options.twice)
      return reply.code(201).send(say(request, 'Collected.', '收藏成功。'))
    },
  )

  server.delete(
    options.remove,
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Remove from the collection', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { id } = await find(request)
      const { changed } = await transaction(ctx.sql, (tx) =>
        deleteCollection(tx, content, options.count, id, viewerOf(request).id),
      )
      if (!changed && options.none) throw notCollected(options.none)
      return reply.code(204).send()
    },
  )
}
