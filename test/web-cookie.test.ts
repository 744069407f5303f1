import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'

await buildSite()
const STOPPED = 418
/** Stops each request before its handler. `viewer` is the user whom its credentials name. */
const { app, person } = await createWorld(
  { WEB: 'on', PUBLIC_URL: 'http://kith.test' },
  {
    prepare: (server) =>
      server.addHook('preValidation', (request, reply, done) => {
        if (!request.url.startsWith('/api/')) return done()
        reply
          .code(STOPPED)
          .serializer(JSON.stringify)
          .send({ viewer: request.viewer?.id ?? 0 })
      }),
  },
)

type Kind = 'marked' | 'fetch' | 'element' | 'navigation' | 'foreign'
const SAME = { 'sec-fetch-site': 'same-origin' }
const REQUESTS: [Kind, Record<string, string>][] = [
  ['marked', { ...SAME, 'x-kith-site': '1', origin: 'http://kith.test' }],
  ['marked', { ...SAME, 'x-kith-site': '1', origin: 'https://www.kith.test' }],
  ['marked', { 'x-kith-site': '1', origin: 'http://kith.test' }],
  ['fetch', { ...SAME, 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }],
  ...[
    'image',
    'video',
    'audio',
    'track',
    'style',
    'script',
    'font',
    'object',
    'embed',
    'manifest',
    'worker',
  ].map((dest): [Kind, Record<string, string>] => [
    'element',
    { ...SAME, 'sec-fetch-dest': dest, 'sec-fetch-mode': 'no-cors' },
  ]),
  ...['document', 'iframe', 'frame'].map((dest): [Kind, Record<string, string>] => [
    'navigation',
    { ...SAME, 'sec-fetch-dest': dest, 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' },
  ]),
  ['navigation', { ...SAME, 'sec-fetch-dest': 'document', origin: 'http://kith.test' }],
  ['foreign', {}],
  ['foreign', { 'x-kith-site': '1', origin: 'http://evil.test' }],
  ['foreign', { 'x-kith-site': '1', origin: 'null' }],
  ['foreign', { 'x-kith-site': '1', 'sec-fetch-site': 'cross-site', origin: 'http://kith.test' }],
  ['foreign', { 'x-kith-site': '1', 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' }],
  ['foreign', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
]

const FILES = ['/files/:file', '/user/exports/:export/archive']
/** Routes that give, use or end credentials besides the session. */
const CREDENTIALS =
  /^(?:POST \/users|\w+ \/auth\/.+|(?:POST|PATCH|PUT) \/socialite\/:provider(?:\/returns)?|(?:GET|PUT) \/(?:im|easemob)\/password|POST \/admin\/(?:backups\/:backup\/downloads|restore(?:\/uploads)?))$/

const routes = app.routeTable.filter(
  ({ url, method }) => url.startsWith('/api/v2/') && method !== 'HEAD' && method !== 'OPTIONS',
)

test('takes the session cookie of a request by its route and by what sent it', async () => {
  assert.ok(routes.length > 700, `saw only ${routes.length}`)
  const ada = await person({ roles: ['founder', 'owner'] })
  const cookie = cookieOf(ada)
  const wrong: string[] = []
  for (const { method, url } of routes) {
    const path = url.slice('/api/v2'.length)
    const isRead = method === 'GET'
    for (const [kind, headers] of REQUESTS) {
      const isTaken =
        !CREDENTIALS.test(`${method} ${path}`) &&
        (kind === 'marked' || (isRead && (kind === 'fetch' || (kind !== 'foreign' && FILES.includes(path)))))
      const answer = await app.inject({
        method: method as 'GET',
        url: url.replace(/:\w+/g, '1').replace('*', '1'),
        headers: { cookie, ...headers },
      })
      const viewer = answer.statusCode === STOPPED ? (answer.json() as { viewer: number }).viewer : 0
      if (viewer !== (isTaken ? ada.id : 0))
        wrong.push(
          `${method} ${path} ${JSON.stringify(headers)}: ${answer.statusCode} ${answer.body.slice(0, 60)}`,
        )
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [])
})

test('names every route whose reply has a credential', () => {
  const { paths, components } = app.swagger() as unknown as {
    paths: Record<
      string,
      Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
    >
    components: { schemas: Record<string, Schema> }
  }
  type Schema = { $ref?: string; properties?: Record<string, Schema> }
  const found: string[] = []
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(operations))
      for (const { content = {} } of Object.values(responses)) {
        const schema = content['application/json']?.schema
        const { properties = {} } = components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema ?? {}
        if (['access_token', 'token', 'im_pwd_hash'].some((name) => Object.hasOwn(properties, name)))
          found.push(`${method.toUpperCase()} ${path.slice('/api/v2'.length).replace(/\{(\w+)\}/g, ':$1')}`)
      }
  assert.ok(found.length >= 10, found.join())
  assert.deepEqual(
    found.filter((operation) => !CREDENTIALS.test(operation)),
    [],
  )
})
