import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Ajv } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { buildApp } from '#app'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { readConfig } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import { createSecrets } from '#platform/crypto.ts'
import { type DatabaseOptions, openDatabase, type Sql } from '#platform/database.ts'
import type { Server } from '#platform/http.ts'
import { runWaitingJobs } from '#platform/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createRateLimiter } from '#platform/rate-limit.ts'
import { createSignals } from '#platform/signals.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { checkedStatements } from '#test/fixtures/checked-statements.ts'
import { recordReplies } from '#test/wire-record.ts'
import { tasksOn } from '../src/worker.ts'

type Connection = { host: string; port: number; user: string; database: string }
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** A person of a test, signed in. */
export type Person = { id: number; name: string; token: string }

/** What came back: the parsed body (null when empty), status and headers. */
export type Answer = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads bodies of every shape
  body: any
  headers: Record<string, string | number | string[] | undefined>
}

export type World = {
  app: Server
  ctx: Context
  sql: Sql
  connection: Connection
  /** Codes and messages that would have been sent. */
  outbox: { to: string; text: string; code?: string }[]
  person(options?: { name?: string; roles?: string[] }): Promise<Person>
  as(
    person: Person,
    method: Method,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  guest(method: Method, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Does the jobs that wait now, such as sending codes to the outbox. */
  work(): Promise<void>
}

let counter = 0

/** An app on a database of its own, cloned from the migrated template; closed after the test file. */
export async function createWorld(
  env: Record<string, string> = {},
  options: {
    /** Routes of the test's own, under /api/v2/test. */
    routes?: (server: Server, ctx: Context) => void
    /** Sees every statement that the app sends to the database. */
    onQuery?: DatabaseOptions['onQuery']
    /** Another database to clone, which is of this version and has no connections. */
    template?: string
  } = {},
): Promise<World> {
  const admin = JSON.parse(process.env.KITH_TEST_DATABASE ?? 'null') as Connection | null
  if (!admin) throw new Error('Run tests with `npm test`, which starts the database they use.')
  const database = `kith_${randomBytes(6).toString('hex')}`
  const adminSql = openDatabase({ connection: admin, poolSize: 1, statementTimeoutMs: 60_000 })
  // Copying the files costs a twentieth of writing every page to the log.
  const { template = 'kith_template' } = options
  await adminSql.unsafe(`create database ${database} template ${template} strategy file_copy`)
  const connection = { ...admin, database }
  // Where pages are compared, so is what is known of statements.
  const checked = process.env.KEPT_PAGES_VERIFY === 'true' ? checkedStatements() : undefined
  const onQuery: DatabaseOptions['onQuery'] = checked
    ? (query) => {
        checked.note(query.text)
        options.onQuery?.(query)
      }
    : options.onQuery
  const sql = openDatabase({
    connection,
    poolSize: 12,
    statementTimeoutMs: 30_000,
    ...(onQuery ? { onQuery } : {}),
  })
  const dataDir = await mkdtemp(join(tmpdir(), 'kith-world-'))
  const config = readConfig({
    RATE_LIMIT_ANONYMOUS: '0',
    RATE_LIMIT_USER: '0',
    RATE_LIMIT_SENSITIVE: '0',
    RATE_LIMIT_FILES: '0',
    RATE_LIMIT_VARIANTS: '0',
    // Tests look at what was counted at once, whoever asks.
    KEPT_PAGES_COUNTS_MS: '0',
    KEPT_PAGES_VERIFY: process.env.KEPT_PAGES_VERIFY ?? 'false',
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
    ...env,
  })
  const log = createLog({ level: config.logLevel })
  const outbox: World['outbox'] = []
  const signals = createSignals(sql)
  const ctx: Context = {
    config,
    sql,
    log,
    limiter: createRateLimiter({ log }),
    metrics: createMetrics(),
    signals,
    secrets: createSecrets('a secret of the tests, long enough'),
    storage: createStorage({ kind: 'local', root: join(dataDir, 'uploads') }),
    mail: {
      async send({ to, text, code }) {
        outbox.push({ to, text, ...(code === undefined ? {} : { code }) })
      },
      verifyTransport: async () => 'log' as const,
      close: async () => {},
    },
    push: { send: async () => ({ gone: [] }) },
    sms: {
      async send({ phone, text, code }) {
        outbox.push({ to: phone, text, ...(code === undefined ? {} : { code }) })
      },
    },
    onClose: [],
  }
  await signals.listen()
  const holdAgainstSchema = bodyCheck()
  ctx.inspectBody = holdAgainstSchema
  const app = await buildApp(ctx)
  holdRepliesAgainstSchemas(app, holdAgainstSchema)
  holdErrorsAgainstDocumentation(app)
  recordReplies(app)
  await app.register(async (api) => options.routes?.(api as unknown as Server, ctx), {
    prefix: '/api/v2/test',
  })
  await app.ready()

  after(async () => {
    await app.close()
    for (const work of ctx.onClose) await work()
    await checked?.check(sql)
    await signals.close()
    ctx.limiter.close()
    await sql.end()
    // Only to save space: the whole server goes after the run, so a busy moment is no failure.
    await adminSql.unsafe(`drop database if exists ${database} with (force)`).catch(() => {})
    await adminSql.end()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })

  const call = async (
    method: Method,
    url: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer> => {
    const reply = await app.inject({
      method,
      url:
        url.startsWith('/api/') || url.startsWith('/health') || url.startsWith('http')
          ? url
          : `/api/v2${url}`,
      headers,
      ...(body === undefined ? {} : { payload: body as object }),
    })
    const json = reply.body !== '' && String(reply.headers['content-type']).includes('json')
    return {
      status: reply.statusCode,
      body: json ? reply.json() : reply.body === '' ? null : reply.body,
      headers: reply.headers,
    }
  }

  return {
    app,
    ctx,
    sql,
    connection,
    outbox,
    async person({ name, roles = ['owner'] } = {}) {
      counter += 1
      const given = name ?? `u${process.pid % 1000}_${counter}_${randomBytes(2).toString('hex')}`
      const id = await createUser(sql, { name: given, password: null, roles })
      const { access_token } = await issueToken(sql, id)
      return { id, name: given, token: access_token }
    },
    as: (person, method, url, body, headers = {}) =>
      call(method, url, body, { authorization: `Bearer ${person.token}`, ...headers }),
    guest: (method, url, body, headers = {}) => call(method, url, body, headers),
    work: () => runWaitingJobs(connection, tasksOn(ctx)),
  }
}

/** In tests every successful reply is held against its schema, which the serializer alone would bend into shape. */
function bodyCheck() {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const compiled = new WeakMap<object, ReturnType<Ajv['compile']>>()
  return (request: FastifyRequest, status: number, body: unknown) => {
    const schemas = request.routeOptions.schema?.response as Record<string, object> | undefined
    const schema = schemas?.[String(status)]
    if (!schema)
      throw new Error(`${request.method} ${request.routeOptions.url} has no schema for status ${status}`)
    let validate = compiled.get(schema)
    if (!validate) {
      validate = ajv.compile(schema)
      compiled.set(schema, validate)
    }
    if (!validate(body))
      throw new Error(
        `${request.method} ${request.routeOptions.url} breaks its schema: ${ajv.errorsText(validate.errors)}`,
      )
  }
}

function holdRepliesAgainstSchemas(app: Server, check: ReturnType<typeof bodyCheck>) {
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (reply.statusCode < 400 && request.url.startsWith('/api/')) check(request, reply.statusCode, payload)
    return payload
  })
}

/** Errors that any route may answer with: they come from what all of them share. */
const SHARED_ERRORS = new Set([
  ...['unauthenticated', 'validation_failed', 'too_many_requests', 'unavailable', 'internal_error'],
  ...['body_too_large', 'unsupported_media_type', 'bad_request', 'method_not_allowed', 'no_such_path'],
])

/** In tests a route answers only with errors that its documentation names: another one becomes a 500. */
function holdErrorsAgainstDocumentation(app: Server) {
  app.addHook('onSend', async (request, reply, payload) => {
    const { documented } = request.routeOptions.config
    const code = String(reply.getHeader('x-error-code') ?? '')
    if (!documented || code === '' || SHARED_ERRORS.has(code)) return payload
    const isKnown = documented.errors.some(
      (error) => error.code === code && error.status === reply.statusCode,
    )
    if (!isKnown)
      throw new Error(
        `${documented.operationId} answers ${reply.statusCode} ${code}, which it does not declare`,
      )
    return payload
  })
}
