import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { Server } from '#platform/http.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The version of Kith, as in package.json. */
export const VERSION = version

/** OpenAPI 3.1 made from the routes' schemas at /api/v2/openapi.json, and the page to read and try it at /docs. */
export async function addDocumentation(server: Server): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kith',
        version,
        description:
          'A self-hosted social network. Sign in with `POST /api/v2/auth/login`, then send `Authorization: Bearer <access_token>`.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      },
    },
    transform: ({ schema, url, route }) => {
      const access = route.config?.access
      const body = (schema as { body?: unknown } | undefined)?.body
      return {
        url,
        schema: {
          ...schema,
          ...(body ? { body } : {}),
          ...(access === undefined || access === 'public'
            ? {}
            : { security: access === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }] }),
          ...(typeof access === 'object'
            ? {
                description: [`Needs the ability \`${access.ability}\`.`, schema?.description]
                  .filter(Boolean)
                  .join(' '),
              }
            : {}),
          hide: !url.startsWith('/api/v2') || (schema as { hide?: boolean } | undefined)?.hide === true,
        } as never,
      }
    },
  })
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'none', deepLinking: true, persistAuthorization: true, tryItOutEnabled: true },
    theme: { title: 'Kith API' },
    staticCSP: true,
  })
  server.get(
    '/api/v2/openapi.json',
    { config: { access: 'public' }, schema: { hide: true, response: { 200: {} } } },
    (_request, reply) => reply.type('application/json').serializer(JSON.stringify).send(server.swagger()),
  )
}
