import type { Context } from '#platform/context.ts'
import { countBytes } from '#platform/http/bytes-limit.ts'
import type { Server } from '#platform/http.ts'
import { noSuchFile } from '../errors.ts'
import { OldPath } from '../schema.ts'
import { fileUrl, nodeUrl } from '../view.ts'
import { findNodeAt, findUploadAt } from './queries.ts'

/** A thumbnail lay in a folder that was called like the picture without its extension. */
const THUMBNAIL = /^(.+)\/w[^/]*(\.[A-Za-z0-9]+)$/

/** Where files lay on the disk of a site that moved here (files-13): their addresses stand in texts and on other sites. */
export function oldAddressRoutes(server: Server, ctx: Context) {
  server.get(
    '/storage/*',
    {
      config: { access: 'public' },
      onRequest: countBytes(ctx),
      schema: { tags: ['Files'], hide: true, params: OldPath },
    },
    async (request, reply) => {
      const path = request.params['*']
      const original = path.replace(THUMBNAIL, '$1$2')
      for (const each of new Set([path, original])) {
        const upload = await findUploadAt(ctx.sql, each)
        // Whether this viewer may see it, and in which form, is decided there.
        if (upload !== undefined) return reply.redirect(fileUrl(ctx, upload), 302)
        const node = await findNodeAt(ctx.sql, each)
        if (node !== undefined) return reply.redirect(nodeUrl(ctx, node), 302)
      }
      throw noSuchFile()
    },
  )
}
