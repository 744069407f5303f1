import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { parseRule } from '#platform/media/rule.ts'
import { sendBytes } from '#platform/storage/send.ts'
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

const tags = ['Files']

/** Storage tasks under the API. */
export function nodeRoutes(server: Server, ctx: Context) {
  server.post(
    '/storage',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Get an address to upload a picture to, and the node it will have',
        body: StorageTask,
        response: { 201: StorageTaskView },
      },
    },
    async (request, reply) => reply.code(201).send(await openTask(ctx, viewerOf(request).id, request.body)),
  )

  server.post(
    '/storage/:node',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Whether a node `{channel}:{path}` is stored; the path plain or in base64',
        params: NodeParams,
        response: { 200: NodeReply },
      },
    },
    async (request) => {
      const { node } = await getNode(ctx.sql, parseNode(request.params.node))
      return { node }
    },
  )
}

/** Where nodes are uploaded and shown. Outside the API: neither identity nor rate limit apply. */
export function nodeBytesRoutes(server: Server, ctx: Context) {
  server.get(
    '/storage/:node',
    {
      config: { access: 'public' },
      schema: { tags, hide: true, params: NodeParams, querystring: RuleQuery },
    },
    async (request, reply) => {
      const { node, mime, size } = await getNode(ctx.sql, parseNode(request.params.node))
      const rule = parseRule(request.query.rule ?? '')
      const cacheControl = 'public, max-age=31536000, immutable'
      return sendBytes(
        request,
        reply,
        await sendableBytes(ctx, { key: nodeKey(node), mime, size }, rule, cacheControl),
      )
    },
  )

  server.register(async (plugin) => {
    const scope = plugin as unknown as Server
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.put(
      '/storage/:node',
      {
        bodyLimit: maxNodeBytes,
        config: { access: 'public' },
        schema: {
          tags,
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
        await finishUpload(ctx, node, request.query, { bytes, hash })
        return reply.code(201).send({ node: node ?? '' })
      },
    )
  })
}
