import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageFolder } from '#platform/http'
import { buildSite } from '#test/web-browser.ts'

type Language = 'en' | 'zh'
type Failures = {
  failureText(error: unknown, language: Language): string
  mayRetry(error: unknown): boolean
  isDecided(error: unknown): boolean
  KithError: new (status: number, code: string, message: string, more?: object) => Error
}

await buildSite()

/** Bundles a module of the site, which Node cannot import by itself. */
async function importSite(): Promise<Failures> {
  const web = packageFolder('web')
  const { build } = (await import(join(web, 'node_modules/esbuild/lib/main.js'))) as {
    build(options: object): Promise<{ outputFiles: { text: string }[] }>
  }
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from './src/app/failures.ts'; export { KithError } from '@kith/client'`,
      resolveDir: web,
    },
    alias: {
      '@kith/client': join(web, '../sdk/src/index.ts'),
      'openapi-fetch': join(web, 'node_modules/openapi-fetch'),
    },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  const [{ text } = { text: '' }] = outputFiles
  return (await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)) as Failures
}
const { failureText, mayRetry, isDecided, KithError } = await importSite()

const JARGON =
  /token|\bHTTP\b|JSON|header|idempotency|X-Request|multipart|\w_\w|undefined|TypeError|\b[45]\d\d\b/i
const ADVICE = /\b(try|reload|choose|sign in|wait|go back|look at|turn on|enter|connected)\b/i
const OPERATIONS = Object.entries(
  (
    JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>
    }
  ).paths,
)

test('tells people no word of programmers for any declared error', () => {
  const codes = new Set<string>()
  for (const [path, methods] of OPERATIONS) {
    if (path.includes('/admin/')) continue
    for (const { responses } of Object.values(methods))
      for (const [status, { description = '' }] of Object.entries(responses))
        for (const [, code = '', message = ''] of description.matchAll(/`(\w+)`: ([^\n]+)/g)) {
          codes.add(code)
          const text = failureText(new KithError(Number(status), code, message), 'en')
          // The form of the sign-in asks for the code itself.
          if (code !== 'second_factor_required') assert.doesNotMatch(text, JARGON, code)
        }
  }
  assert.ok(codes.size > 150, `${codes.size} codes`)
})

test('says what to do next when a proxy, the network or a script fails', () => {
  const statuses = [400, 401, 403, 404, 405, 408, 413, 414, 415, 429, 431, 500, 501, 502, 503, 504, 507, 520]
  const errors = [
    ...statuses.map((status) => new KithError(status, `http_${status}`, `HTTP ${status}`)),
    new KithError(401, 'unauthenticated', 'Sign in to continue: the access token is missing.'),
    new KithError(500, 'internal_error', 'Quote the X-Request-Id.'),
    new KithError(0, 'network_error', 'The server could not be reached: TypeError: Failed to fetch'),
    new KithError(0, 'script_failed', ''),
    new TypeError("Cannot read properties of undefined (reading 'x')"),
    'a string',
  ]
  for (const error of errors) {
    const [en, zh] = (['en', 'zh'] as const).map((language) => failureText(error, language)) as [
      string,
      string,
    ]
    assert.doesNotMatch(en, JARGON)
    assert.match(en, ADVICE, `${en} says nothing to do`)
    assert.match(zh, /^[^a-zA-Z]*请|[^a-zA-Z]*请[^a-zA-Z]*。$/u, zh)
  }
})

test('offers a retry only when the same request can succeed later', () => {
  const may = (status: number, code = `http_${status}`) => mayRetry(new KithError(status, code, ''))
  for (const status of [0, 401, 408, 429, 500, 502, 503, 507]) assert.ok(may(status), String(status))
  for (const status of [400, 403, 404, 413, 415, 422]) assert.ok(!may(status), String(status))
  assert.ok(!mayRetry(new Error('The file is gone')))
})

test('keeps the idempotency key of a request that may have had an effect', () => {
  for (const status of [0, 401, 408, 409, 429, 500, 502, 504])
    assert.ok(!isDecided(new KithError(status, '', '')), String(status))
  for (const status of [400, 402, 403, 404, 413, 422])
    assert.ok(isDecided(new KithError(status, '', '')), String(status))
  assert.ok(!isDecided(new TypeError('Failed to fetch')))
})

test('names the limit and the types of uploads', () => {
  const large = (most: number) =>
    failureText(new KithError(422, 'file_too_large', '', { body: { most } }), 'en')
  assert.equal(large(10_485_760), 'This file is larger than 10 MB. Choose a smaller one.')
  assert.equal(large(300_000), 'This file is larger than 292 KB. Choose a smaller one.')
  const types = ['image/jpeg', 'video/mp4', 'video/x-m4v']
  assert.equal(
    failureText(new KithError(422, 'file_not_accepted', '', { body: { types } }), 'zh'),
    '仅支持 JPEG, MP4, M4V 文件，请选择其他文件。',
  )
})

test('tells the wait of a rate limit in minutes', () => {
  const wait = (retryAfter: number | null) =>
    failureText(new KithError(429, 'too_many_requests', '', { retryAfter }), 'en')
  assert.equal(wait(null), 'Too many requests. Try again in 1 min.')
  assert.equal(wait(3600), 'Too many requests. Try again in 60 min.')
})

test('drops the names of fields from the messages of the API', () => {
  const of = (text: string, language: Language) =>
    failureText(new KithError(422, 'validation_failed', '', { fields: { feed_content: [text] } }), language)
  assert.equal(
    of('The feed_content field may not have more than 255 characters.', 'en'),
    'This field may not have more than 255 characters.',
  )
  assert.equal(of('动态内容不能超过 255 个字符。', 'zh'), '动态内容不能超过 255 个字符。')
})

test('shows errors on the site only by the vocabulary of failures', () => {
  const shown = globSync('web/src/**/*.{ts,tsx}')
    .filter((file) => !/failures\.ts|server\.tsx/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /\b(?:error|cause|reason|failed?)\??\.message|String\(error\)/g,
        ),
      ].map(([text]) => `${file}: ${text}`),
    )
  assert.deepEqual(shown, [])
})
