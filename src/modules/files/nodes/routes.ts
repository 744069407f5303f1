import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import {
  addressKey,
  byteRequester,
  compileInput,
  encapsulate,
  limitByteRequests,
  routesOn,
  type Server,
  sendBytes,
} from '#platform/http'
import { parseRule } from '#platform/media'
import {
  maxNodeBytes,
  NodeParams,
  NodeReply,
  noSuchFile,
  RuleQuery,
  SignedQuery,
  StorageTask,
  StorageTaskView,
  wrongSize,
} from '../schema.ts'
import { sendableBytes } from '../service.ts'
import { finishUpload, getNode, getOpenTask, nodeKey, openTask, parseNode } from './service.ts'

const checkParams = compileInput(NodeParams)
const checkQuery = compileInput(SignedQuery)

/** Returns the open task of an upload request. Reads only its head. */
function taskOf(ctx: Context, { params, query }: FastifyRequest) {
  const [path, signed] = [checkParams(params), checkQuery(query)]
  if ('error' in path) throw notFound()
  if ('error' in signed) throw signed.error
  return getOpenTask(ctx, parseNode((path.value as NodeParams).node), signed.value as SignedQuery)
}

/** Storage tasks in the API (files-7). */
export function nodeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Files' })

  route('POST /storage', {
    operationId: 'createStorageTask',
    summary: 'Create an upload address and node for a picture',
    access: 'user',
    body: StorageTask,
    reply: { 201: StorageTaskView },
    handler: ({ viewer, body }) => openTask(ctx, viewer.id, body),
  })

  route('POST /storage/:node', {
    operationId: 'confirmStorageNode',
    summary: 'Check whether a node `{channel}:{path}` is stored; the path plain or in base64',
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

/**
 * Uploads and downloads of nodes. They are outside the API, so they have no viewer and their limits apply per
 * address.
 */
export function nodeBytesRoutes(server: Server, ctx: Context) {
  server.get(
    '/storage/:node',
    {
      config: { access: 'public' },
      onRequest: limitByteRequests(ctx),
      schema: { hide: true, params: NodeParams, querystring: RuleQuery },
    },
    async (request, reply) => {
      const { node, ...stored } = await getNode(ctx.sql, parseNode(request.params.node))
      const rule = parseRule(request.query.rule ?? '')
      const cacheControl = 'public, max-age=31536000, immutable'
      return sendBytes(
        request,
        reply,
        await sendableBytes(
          ctx,
          byteRequester(request),
          { key: nodeKey(node), ...stored },
          rule,
          cacheControl,
        ),
      )
    },
  )

  encapsulate(server, async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.put(
      '/storage/:node',
      {
        bodyLimit: maxNodeBytes,
        config: { access: 'public' },
        onRequest: [
          limitByteRequests(ctx),
          // Runs before the body is read, so that unauthorized requests cannot fill the memory.
          async (request) => {
            const task = await taskOf(ctx, request)
            const length = Number(request.headers['content-length'] ?? 0)
            // Above the limit of the route, the parser rejects the body unread.
            if (length > task.declared_size && length <= maxNodeBytes) throw wrongSize()
          },
        ],
        schema: { hide: true, response: { 201: NodeReply } },
      },
      async (request, reply) => {
        const task = await taskOf(ctx, request)
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const hash = String(request.headers['x-plus-storage-hash'] ?? '')
        await finishUpload(ctx, task, { bytes, hash, address: addressKey(request.ip) })
        return reply.code(201).send({ node: task.node })
      },
    )
  })
}
