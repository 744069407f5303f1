import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { limitByteRequests, type Server } from '#platform/http'
import { type FileRoutesOptions, noSuchFile, OldPath } from '../schema.ts'
import { fileUrl, nodeUrl } from '../service.ts'

/** A use of the file stored at a path of the old site. */
export type OldUse = Row<'file_uses', 'id' | 'owner_id' | 'channel' | 'raw'>

/** Lists the uses of the file at a path, once per content. Uses in the channels of `last` come last. */
const listUsesAt = (sql: Db, path: string, last: string[], { limit, offset }: Page) => sql<OldUse[]>`
  select id, owner_id, channel, raw from (
    select distinct on (u.channel, u.raw, case when u.raw is null then u.id end) u.id, u.owner_id, u.channel, u.raw
    from import_files i join import_uploads c on c.content_id = i.id join file_uses u on u.file_id = c.file_id
    where i.path = ${path} order by u.channel, u.raw, case when u.raw is null then u.id end, u.id
  ) u
  order by channel is null, coalesce(channel = any(${last}), false), id limit ${limit} offset ${offset}`

type Page = { limit: number; offset: number }

/** Node of the picture stored at a path of the old site. */
async function findNodeAt(sql: Db, path: string): Promise<string | undefined> {
  const [row] = await sql<{ node: string }[]>`
    select p.node from import_pictures p join storage_nodes n on n.node = p.node
    where p.path = ${path} limit 1`
  return row?.node
}

/** The old site stored thumbnails in a folder named like the picture without its extension. */
const THUMBNAIL = /^(.+)\/w[^/]*(\.[A-Za-z0-9]+)$/

/** Limit of uses searched for one URL. No known site has more uses of one file. */
const USES_MAX = 200
const PAGE = 20
const GUEST_ID = 0

/**
 * Returns the most accessible use of a file: one that is public and free, otherwise one visible to the
 * viewer. Undefined if all are hidden.
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

/** Redirects file URLs of an imported site (files-13), since texts and other sites still link to them. */
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
      // The redirect depends on the viewer.
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
