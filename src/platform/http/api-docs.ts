import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import swagger from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeMarkup } from '#lib/markup/html.ts'
import type { Language } from '#platform/errors.ts'
import { VERSION } from '#platform/version.ts'
import type { Access } from './admission.ts'
import { completeDocument } from './api-components.ts'
import { API_TAGS } from './api-tags.ts'
import { addVary, encodingFor, language } from './caching.ts'
import { API, type Server } from './instance.ts'
import type { Documented } from './route-options.ts'

const abilityNeeded = (access: Exclude<Access, string>): string =>
  'ability' in access
    ? `Needs the ability \`${access.ability}\`.`
    : `Needs one of the abilities ${access.anyAbility.map((name) => `\`${name}\``).join(', ')}.`

/** File name of the vendored RapiDoc build. The npm package would add 158 MB to an installation. */
const RAPIDOC = 'rapidoc-9.3.8'

/**
 * Blocks external sources. RapiDoc needs `unsafe-inline`, because a hash cannot allow its style attributes.
 */
const CONTENT_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

const fileOf = (name: string) => readFileSync(new URL(`./api-page/${name}`, import.meta.url))

function addDocumentationPage(server: Server, readName: ReadName): void {
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const name = await readName(language(request))
    return addVary(reply, 'Accept-Language')
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', CONTENT_POLICY)
      .send(
        fileOf('page.html')
          .toString()
          .replaceAll('KITH_SITE', () => escapeMarkup(name)),
      )
  }
  server.get('/docs', page)
  for (const [name, type] of [
    ['page.css', 'text/css'],
    ['page.js', 'text/javascript'],
    ['mark.svg', 'image/svg+xml'],
  ] as const)
    server.get(`/docs/${name}`, async (_request, reply) => {
      if (name === 'mark.svg' && (await server.sendOwnIcon?.(reply))) return reply
      return reply.type(`${type}; charset=utf-8`).header('Cache-Control', 'no-cache').send(fileOf(name))
    })
  server.get(`/docs/${RAPIDOC}.js`, (request, reply) => {
    const packed = fileOf(`${RAPIDOC}.min.js.gz`)
    const isPacked = encodingFor(request.headers['accept-encoding']) !== undefined
    return addVary(reply, 'Accept-Encoding')
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .headers(isPacked ? { 'Content-Encoding': 'gzip' } : {})
      .send(isPacked ? packed : gunzipSync(packed))
  })
}

type ReadName = (language: Language) => Promise<string>

export async function addDocumentation(server: Server, readName: ReadName): Promise<void> {
  const documented = new Map<string, Documented>()
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kith',
        version: VERSION,
        description:
          'A self-hosted social network. Sign in with `POST /api/v2/auth/login`, then send `Authorization: Bearer <access_token>`. Bodies are JSON; `application/x-www-form-urlencoded` is accepted wherever JSON is, with lists as `a[]=1` and objects as `a[b]=1`. `POST`, `PATCH`, `PUT` and `DELETE` also read these parameters from the query, and those of the body take precedence.\n\n**Amounts** are whole numbers of the minor unit: points, or fen of the wallet (1/100 CNY). `15000` fen are 150.00 CNY. Every amount of points or money states its unit.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The server that serves this description' }],
      tags: Object.entries(API_TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transformObject: (document) =>
      completeDocument(
        'openapiObject' in document ? document.openapiObject : {},
        documented,
        JSON.parse(fileOf('examples.json').toString()),
      ),
    transform: ({ schema, url, route }) => {
      const access = route.config?.access
      const isPublic = access === undefined || access === 'public'
      const described = route.config?.documented
      if (described) documented.set(described.operationId, described)
      return {
        url,
        schema: {
          ...schema,
          security: isPublic ? [] : access === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }],
          ...(typeof access === 'object'
            ? { description: [abilityNeeded(access), schema?.description].filter(Boolean).join(' ') }
            : {}),
          hide: !url.startsWith(API) || (schema as { hide?: boolean } | undefined)?.hide === true,
        } as never,
      }
    },
  })
  addDocumentationPage(server, readName)
  const last = new Map<Language, { name: string; text: string }>()
  server.get(
    `${API}/openapi.json`,
    { config: { access: 'public' }, schema: { hide: true, response: { 200: {} } } },
    async (request, reply) => {
      const reads = language(request)
      const name = await readName(reads)
      let made = last.get(reads)
      if (made?.name !== name) {
        const { info, ...description } = server.swagger()
        // Examples come from a site with the default name.
        const text = JSON.stringify({ ...description, info: { ...info, title: name } })
        made = { name, text: text.replaceAll(/\bKith\b/g, () => JSON.stringify(name).slice(1, -1)) }
        last.set(reads, made)
      }
      return reply.type('application/json').serializer(String).send(made.text)
    },
  )
}
