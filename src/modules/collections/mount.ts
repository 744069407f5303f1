import { type Content, type Counts, noteMounted, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Empty, Id, Message, Type } from '#platform/schema.ts'
import { collectedAlready, notCollected } from './errors.ts'
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
  /** Keeps the counter of collections of the content. */
  count?: Counts
}

/** Offers collecting content of one kind; the module of the kind lists what was collected (feeds-22). */
export function mountCollections(
  server: Server,
  ctx: Context,
  content: Content,
  options: CollectionOptions,
): void {
  noteMounted(ctx, content)
  const { noun, param } = content
  const route = routesOn(server, ctx, { tag: content.tag })
  const Params = Type.Object({ [param]: Id })
  const twice = options.twice && collectedAlready(options.twice)
  const none = options.none && notCollected(options.none)

  const find = async (id: number, viewerId: number): Promise<Target> => {
    const target = await content.find(ctx.sql, id, viewerId)
    if (!target) throw notFound()
    return target
  }

  route(`POST ${options.create}`, {
    operationId: `collect${noun}`,
    summary: 'Keep for later',
    access: 'user',
    params: Params,
    reply: { 201: Message },
    errors: twice ? [twice] : [],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ request, loaded: { id }, viewer }) {
      const { found, changed } = await transaction(ctx.sql, (tx) =>
        insertCollection(tx, content, options.count, id, viewer.id),
      )
      if (!found) throw notFound()
      if (!changed && twice) throw twice()
      return say(request, 'Collected.', '收藏成功。')
    },
  })

  route(`DELETE ${options.remove}`, {
    operationId: `uncollect${noun}`,
    summary: 'Remove from the collection',
    access: 'user',
    params: Params,
    reply: { 204: Empty },
    errors: none ? [none] : [],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ loaded: { id }, viewer }) {
      const { changed } = await transaction(ctx.sql, (tx) =>
        deleteCollection(tx, content, options.count, id, viewer.id),
      )
      if (!changed && none) throw none()
    },
  })
}
