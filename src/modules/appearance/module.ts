import { hash } from 'node:crypto'
import { accentTokens } from '#lib/colour.ts'
import type { Context } from '#platform/context.ts'
import { isUnchanged, limitByteRequests, noSuchPath, type Server } from '#platform/http'
import type { Module } from '../../module.ts'
import { findPicture, pictureSettings } from './pictures.ts'

const YEAR = 'public, max-age=31536000, immutable'
/** Maximum age of a picture whose address has no version, such as `/favicon.ico`. */
const MINUTES = 'public, max-age=300'

/** Style sheet with the colours of an accent, which follows the site's own. Depends on its address only. */
function styleOf(hex: string): string {
  const { light, dark } = accentTokens(hex)
  const both = (name: keyof typeof light) => `light-dark(${light[name]}, ${dark[name]})`
  return `:root {
  --accent: ${both('accent')};
  --accent-strong: ${both('strong')};
  --on-accent: ${both('on')};
  --accent-soft: ${both('soft')};
  --mark-one: ${both('accent')};
  --mark-both: light-dark(${light.strong}, ${dark.on});
}
`
}

/** Serves the look of the site outside the API, without a viewer. */
function appearanceRoutes(server: Server, ctx: Context) {
  const options = { config: { access: 'public' as const }, onRequest: limitByteRequests(ctx) }

  server.get<{ Params: { file: string }; Querystring: { v?: string } }>(
    '/site-pictures/:file',
    { ...options, schema: { hide: true } },
    async (request, reply) => {
      const picture = await findPicture(ctx, request.params.file)
      if (!picture) throw noSuchPath()
      reply
        .header('Cache-Control', request.query.v === undefined ? MINUTES : YEAR)
        .header('Content-Security-Policy', "default-src 'none'; sandbox")
        .header('Cross-Origin-Resource-Policy', 'cross-origin')
        .type(picture.mime)
      const tag = hash('sha1', picture.bytes, 'base64url')
      return isUnchanged(request, reply, `"${tag}"`) ? reply.send() : reply.send(picture.bytes)
    },
  )

  server.get<{ Params: { colour: string } }>(
    '/site-accents/:colour.css',
    { ...options, schema: { hide: true } },
    async (request, reply) => {
      const { colour } = request.params
      if (!/^[0-9a-f]{6}$/.test(colour)) throw noSuchPath()
      return reply
        .header('Cache-Control', YEAR)
        .type('text/css; charset=utf-8')
        .send(styleOf(`#${colour}`))
    },
  )

  server.sendOwnIcon = async (reply) => {
    const picture = await findPicture(ctx, 'favicon.ico')
    if (!picture) return false
    reply.header('Cache-Control', MINUTES).type(picture.mime).send(picture.bytes)
    return true
  }
}

export const module: Module = {
  outerRoutes: () => [appearanceRoutes],
  settingChecks: pictureSettings,
}
