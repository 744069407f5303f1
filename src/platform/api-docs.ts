import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { describeReplies, shareComponents } from '#platform/api-components.ts'
import { API_TAGS } from '#platform/http/api-tags.ts'
import type { Documented } from '#platform/http/route-options.ts'
import type { Access } from '#platform/http/viewer.ts'
import type { Server } from '#platform/http.ts'
import { VERSION } from '#platform/version.ts'

/** Who may call an operation of administrators, in words. */
const abilityNeeded = (access: Exclude<Access, string>): string =>
  'ability' in access
    ? `Needs the ability \`${access.ability}\`.`
    : `Needs one of the abilities ${access.anyAbility.map((name) => `\`${name}\``).join(', ')}.`

const MARK_SHAPES =
  '<circle cx="11" cy="16" r="8" fill="#49c5b6"/><circle cx="22" cy="16" r="8" fill="#ff9398" fill-opacity=".85"/>'
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${MARK_SHAPES}</svg>`
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40" viewBox="0 0 96 32">${MARK_SHAPES}<text x="38" y="23" font-family="sans-serif" font-size="21" font-weight="700" fill="#fff">Kith</text></svg>`

/** Nothing from elsewhere; the page sets styles of its own on elements, which no hash can name. */
const CONTENT_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** OpenAPI 3.1 made from the routes' schemas at /api/v2/openapi.json, and the page to read and try it at /docs. */
export async function addDocumentation(server: Server): Promise<void> {
  const documented = new Map<string, Documented>()
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kith',
        version: VERSION,
        description:
          'A self-hosted social network. Sign in with `POST /api/v2/auth/login`, then send `Authorization: Bearer <access_token>`.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The server that this description comes from' }],
      tags: Object.entries(API_TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      },
    },
    transformObject: (document) =>
      describeReplies(shareComponents('openapiObject' in document ? document.openapiObject : {}), documented),
    transform: ({ schema, url, route }) => {
      const access = route.config?.access
      const body = (schema as { body?: unknown } | undefined)?.body
      const described = route.config?.documented
      if (described) documented.set(described.operationId, described)
      return {
        url,
        schema: {
          ...schema,
          ...(body ? { body } : {}),
          ...(access === undefined || access === 'public'
            ? { security: [] }
            : { security: access === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }] }),
          ...(typeof access === 'object'
            ? {
                description: [abilityNeeded(access), schema?.description].filter(Boolean).join(' '),
              }
            : {}),
          hide: !url.startsWith('/api/v2') || (schema as { hide?: boolean } | undefined)?.hide === true,
        } as never,
      }
    },
  })
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      docExpansion: 'none',
      deepLinking: true,
      filter: true,
      persistAuthorization: true,
      tryItOutEnabled: true,
      tagsSorter: 'alpha',
      validatorUrl: null,
    },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs/', target: '_self' },
    theme: {
      title: 'Kith API',
      favicon: [
        {
          filename: 'kith.svg',
          rel: 'icon',
          sizes: 'any',
          type: 'image/svg+xml',
          content: Buffer.from(MARK),
        },
      ],
    },
    staticCSP: CONTENT_POLICY,
  })
  server.get(
    '/api/v2/openapi.json',
    { config: { access: 'public' }, schema: { hide: true, response: { 200: {} } } },
    (_request, reply) => reply.type('application/json').serializer(JSON.stringify).send(server.swagger()),
  )
}
