import { type Content, type Counts, registerMount, type Target } from '#contracts/content.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { Empty, Id, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { collectedAlready, deleteCollection, insertCollection, notCollected } from './queries.ts'

export type CollectionOptions = {
  /** Path of POST, such as `/feeds/:feed/collections`. */
  create: string
  remove: string
  /** Status of a duplicate collection. Default: success. */
  twice?: 400 | 422
  /** Status of removing content that is not collected. Default: 204. */
  none?: 400 | 422
  /** Updates the collection counter of the content. */
  count?: Counts
}

/** Mounts the collection routes of a kind of content. Its module lists collected content (feeds-22). */
export function mountCollections(
  server: Server,
  ctx: Context,
  content: Content,
  options: CollectionOptions,
): void {
  registerMount(ctx, content)
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
    summary: 'Add to my collection',
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
      return localizedMessage(request, 'Collected.', '收藏成功。')
    },
  })

  route(`DELETE ${options.remove}`, {
    operationId: `uncollect${noun}`,
    summary: 'Remove from my collection',
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
