import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
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
import { parseRule } from '../media/rule.ts'
import {
  type FileRoutesOptions,
  maxNodeBytes,
  NodeParams,
  NodeReply,
  noSuchFile,
  OldPath,
  RuleQuery,
  SignedQuery,
  StorageTask,
  StorageTaskView,
  wrongSize,
} from '../schema.ts'
import { fileUrl, nodeUrl, sendableBytes } from '../service.ts'
import { finishUpload, getNode, getOpenTask, nodeKey, openTask, parseNode } from './service.ts'

const checkParams = compileInput(NodeParams)
const checkQuery = compileInput(SignedQuery)

function taskOf(ctx: Context, { params, query }: FastifyRequest) {
  const [path, signed] = [checkParams(params), checkQuery(query)]
  if ('error' in path) throw notFound()
  if ('error' in signed) throw signed.error
  return getOpenTask(ctx, parseNode((path.value as NodeParams).node), signed.value as SignedQuery)
}

export function nodeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Files' })

  route('POST /storage', {
    operationId: 'createStorageTask',
    summary: 'Create an upload URL and a node for a picture',
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
 * Serves node uploads and downloads outside the API, without a viewer. Rate limits apply per client address.
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
          // Authorizes the upload before the body is read, so that unauthorized requests cannot fill the
          // memory.
          async (request) => {
            const task = await taskOf(ctx, request)
            const length = Number(request.headers['content-length'] ?? 0)
            // Skips bodies above the size limit, because the parser rejects them without reading them.
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

type OldUse = Row<'file_uses', 'id' | 'owner_id' | 'channel' | 'raw'>

const listUsesAt = (sql: Db, path: string, last: string[], { limit, offset }: Page) => sql<OldUse[]>`
  select id, owner_id, channel, raw from (
    select distinct on (u.channel, u.raw, case when u.raw is null then u.id end) u.id, u.owner_id, u.channel, u.raw
    from import_files i join import_uploads c on c.content_id = i.id join file_uses u on u.file_id = c.file_id
    where i.path = ${path} order by u.channel, u.raw, case when u.raw is null then u.id end, u.id
  ) u
  order by channel is null, coalesce(channel = any(${last}), false), id limit ${limit} offset ${offset}`

type Page = { limit: number; offset: number }

async function findNodeAt(sql: Db, path: string): Promise<string | undefined> {
  const [row] = await sql<{ node: string }[]>`
    select p.node from import_pictures p join storage_nodes n on n.node = p.node
    where p.path = ${path} limit 1`
  return row?.node
}

/** Imported sites store thumbnails in a folder named after the picture, without its extension. */
const THUMBNAIL = /^(.+)\/w[^/]*(\.[A-Za-z0-9]+)$/

/** Maximum number of uses examined for one path, so that a request runs a limited number of queries. */
const USES_MAX = 200
const PAGE = 20
const GUEST_ID = 0

/**
 * Returns the first visible use that requires no payment, or else the first visible use. Returns undefined when
 * all examined uses are hidden from the viewer.
 */
async function findReadableUse(
  ctx: Context,
  path: string,
  viewerId: number,
  { isHidden, findUnpaid, confidential }: FileRoutesOptions,
): Promise<number | undefined> {
  const viewers = viewerId === GUEST_ID ? [GUEST_ID] : [GUEST_ID, viewerId]
  let shown: number | undefined
  for (let offset = 0; offset < USES_MAX; offset += PAGE) {
    const uses = await listUsesAt(ctx.sql, path, [...confidential], { limit: PAGE, offset })
    for (const use of uses)
      for (const viewer of viewers) {
        if (await isHidden(use, viewer)) continue
        if ((await findUnpaid(use.id, viewer)) === null) return use.id
        shown ??= use.id
      }
    if (uses.length < PAGE) break
  }
  return shown
}

/** Redirects file URLs of an imported site, because texts and other sites link to them (files-13). */
export function oldAddressRoutes(server: Server, ctx: Context, options: FileRoutesOptions) {
  server.get(
    '/storage/*',
    {
      config: { access: 'optional' },
      onRequest: limitByteRequests(ctx),
      schema: { tags: ['Files'], hide: true, params: OldPath },
    },
    async (request, reply) => {
      const path = request.params['*']
      const original = path.replace(THUMBNAIL, '$1$2')
      // Prevents shared caching, because the redirect depends on the viewer.
      reply.header('Cache-Control', 'private, no-cache')
      for (const each of new Set([path, original])) {
        const upload = await findReadableUse(ctx, each, request.viewer?.id ?? GUEST_ID, options)
        if (upload !== undefined) return reply.redirect(fileUrl(ctx, upload), 302)
        const node = await findNodeAt(ctx.sql, each)
        if (node !== undefined) return reply.redirect(nodeUrl(ctx, node), 302)
      }
      throw noSuchFile()
    },
  )
}
