import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { readSettings } from '../service.ts'
import { aboutPage } from './view.ts'

/** The page that clients open to tell about the site. */
export function aboutRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /aboutus', {
    operationId: 'getAboutPage',
    summary: 'Read about the site: a page for people, or the way to the address that `site:about-url` names',
    access: 'public',
    reply: { 200: Type.String({ description: 'HTML' }), 302: Empty },
    returns: 'A page for people, in HTML.',
    handler: async ({ request, reply }) => {
      const settings = await readSettings(ctx)
      const url = settings['site:about-url']
      // Anything but a web address would run in the client that follows it.
      if (url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
        return reply.redirect(new URL(url).href, 302)
      return reply
        .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
        .type('text/html; charset=utf-8')
        .send(aboutPage(settings['site:about-content'], language(request)))
    },
  })
}
