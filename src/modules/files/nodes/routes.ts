import type { Context } from '#platform/context.ts'
import { addressKey } from '#platform/http/address.ts'
import { askerOf, countBytes } from '#platform/http/bytes-limit.ts'
import { routesOn } from '#platform/http/route.ts'
import { inScope, type Server } from '#platform/http.ts'
import { parseRule } from '#platform/media/rule.ts'
import { sendBytes } from '#platform/storage/send.ts'
import { noSuchFile } from '../errors.ts'
import {
  maxNodeBytes,
  NodeParams,
  NodeReply,
  RuleQuery,
  SignedQuery,
  StorageTask,
  StorageTaskView,
} from '../schema.ts'
import { sendableBytes } from '../service.ts'
import { finishUpload, getNode, nodeKey, openTask, parseNode } from './service.ts'

/** Storage tasks under the API (files-7). */
export function nodeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Files' })

  route('POST /storage', {
    operationId: 'createStorageTask',
    summary: 'Get an address to upload a picture to, and the node it will have',
    access: 'user',
    body: StorageTask,
    reply: { 201: StorageTaskView },
    handler: ({ viewer, body }) => openTask(ctx, viewer.id, body),
  })

  route('POST /storage/:node', {
    operationId: 'confirmStorageNode',
    summary: 'Whether a node `{channel}:{path}` is stored; the path plain or in base64',
    access: 'public',
    params: NodeParams,
    reply: { 200: NodeReply },
    errors: [noSuchFile],
    handler: async ({ params }) => {
      const { node } = await getNode(ctx.sql, parseNode(params.node))
      return { node }
    },
  })
}

/** Where nodes are uploaded and shown. Outside the API: there is no identity, and limits are by address. */
export function nodeBytesRoutes(server: Server, ctx: Context) {
  server.get(
    '/storage/:node',
    {
      config: { access: 'public' },
      onRequest: countBytes(ctx),
      schema: { hide: true, params: NodeParams, querystring: RuleQuery },
    },
    async (request, reply) => {
      const { node, ...stored } = await getNode(ctx.sql, parseNode(request.params.node))
      const rule = parseRule(request.query.rule ?? '')
      const cacheControl = 'public, max-age=31536000, immutable'
      return sendBytes(
        request,
        reply,
        await sendableBytes(ctx, askerOf(request), { key: nodeKey(node), ...stored }, rule, cacheControl),
      )
    },
  )

  inScope(server, async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.put(
      '/storage/:node',
      {
        bodyLimit: maxNodeBytes,
        config: { access: 'public' },
        onRequest: countBytes(ctx),
        schema: {
          hide: true,
          params: NodeParams,
          querystring: SignedQuery,
          response: { 201: NodeReply },
        },
      },
      async (request, reply) => {
        const node = parseNode(request.params.node)
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const hash = String(request.headers['x-plus-storage-hash'] ?? '')
        await finishUpload(ctx, node, request.query, {
          bytes,
          hash,
          address: addressKey(request.ip),
        })
        return reply.code(201).send({ node: node ?? '' })
      },
    )
  })
}
