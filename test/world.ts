import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Ajv } from 'ajv'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildApp } from '#app'
import { createUser } from '#modules/accounts/index.ts'
import { mailSender } from '#modules/mail/index.ts'
import type { MailMessage } from '#modules/mail/mail.ts'
import { smsSender } from '#modules/text-messages/index.ts'
import type { TextMessage } from '#modules/text-messages/services/text-service.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { readConfig } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { createSecrets } from '#platform/crypto.ts'
import { createSignals, type DatabaseOptions, openDatabase, type Sql } from '#platform/database'
import { createLocalStorage } from '#platform/files'
import type { Server } from '#platform/http'
import { runWaitingJobs } from '#platform/jobs'
import { createLog, createMetrics } from '#platform/observability'
import { createRateLimiter } from '#platform/processes'
import { recordExamples } from '#test/example-record.ts'
import { recordReplies } from '#test/wire-record.ts'
import { allTasks } from '../src/worker.ts'

type Connection = { host: string; port: number; user: string; database: string }
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export type Person = { id: number; name: string; token: string }

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
  work(): Promise<void>
}

let counter = 0

export async function createWorld(
  env: Record<string, string> = {},
  options: {
    routes?: (server: Server, ctx: Context) => void
    onQuery?: DatabaseOptions['onQuery']
    prepare?: (app: Server) => void
    /** Database to clone. It must have no open connections. */
    template?: string
  } = {},
): Promise<World> {
  const admin = JSON.parse(process.env.KITH_TEST_DATABASE ?? 'null') as Connection | null
  if (!admin) throw new Error('Run tests with `npm test`, which starts the database they use.')
  const database = `kith_${randomBytes(6).toString('hex')}`
  const adminSql = openDatabase({ connection: admin, poolSize: 1, statementTimeoutMs: 0 })
  const { template = 'kith_template' } = options
  // Copying files is 20 times faster than writing every page to the WAL.
  await adminSql.unsafe(`create database ${database} template ${template} strategy file_copy`)
  const connection = { ...admin, database }
  const sql = openDatabase({
    connection,
    poolSize: 12,
    // Ends a deadlocked test long before the runner's timeout.
    statementTimeoutMs: 120_000,
    ...(options.onQuery ? { onQuery: options.onQuery } : {}),
  })
  const dataDir = await mkdtemp(join(tmpdir(), 'kith-world-'))
  const config = readConfig({
    RATE_LIMIT_ANONYMOUS: '0',
    RATE_LIMIT_PAGES: '0',
    RATE_LIMIT_USER: '0',
    RATE_LIMIT_SENSITIVE: '0',
    RATE_LIMIT_FILES: '0',
    RATE_LIMIT_VARIANTS: '0',
    WEB: 'off',
    // Exceeds the duration of any provider's response in a test.
    IM_CONFIRM_MS: '60000',
    GUEST_CACHE_MS: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
    ...env,
  })
  const log = createLog({ level: config.logLevel })
  const ahead = Date.now() + 3_600_000
  const outbox: World['outbox'] = []
  const signals = createSignals(sql)
  const ctx: Context = {
    config,
    sql,
    log,
    // Stops the limiter's clock, so that no rate window ends during a test.
    limiter: createRateLimiter({ log, now: () => ahead }),
    metrics: createMetrics(),
    signals,
    secrets: createSecrets('a secret of the tests, long enough'),
    storage: createLocalStorage(join(dataDir, 'uploads')),
    onClose: [],
    state: new Map(),
  }
  Object.assign(mailSender(ctx), {
    async send({ to, text, code }: MailMessage) {
      outbox.push({ to, text, ...(code === undefined ? {} : { code }) })
    },
  })
  Object.assign(smsSender(ctx), {
    services: {},
    async send({ phone, text, code }: TextMessage) {
      outbox.push({ to: phone, text, ...(code === undefined ? {} : { code }) })
      return { service: 'outbox', reference: null, refusals: [] }
    },
  })
  await signals.listen()
  ctx.inspectBody = checkBody
  const app = await buildApp(ctx)
  holdRepliesAgainstSchemas(app)
  holdErrorsAgainstDocumentation(app)
  recordReplies(app)
  recordExamples(app)
  options.prepare?.(app)
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits an asynchronous plugin.
  await app.register(async (api) => options.routes?.(api as unknown as Server, ctx), {
    prefix: '/api/v2/test',
  })
  await app.ready()

  after(async () => {
    await app.close()
    for (const work of ctx.onClose) await work()
    await signals.close()
    await ctx.limiter.close()
    await sql.end()
    // Ignores failures, because the whole server is deleted after the run.
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
    work: () => runWaitingJobs(connection, allTasks(ctx)),
  }
}

const ajv = new Ajv({ strict: false, validateFormats: false })
const compiled = new WeakMap<object, ReturnType<Ajv['compile']>>()

/** Validates responses, because the serializer would convert wrong types silently. */
function checkBody(request: FastifyRequest, status: number, body: unknown): void {
  const schemas = request.routeOptions.schema?.response as Record<string, object> | undefined
  const schema = schemas?.[String(status)]
  if (!schema)
    throw new Error(`${request.method} ${request.routeOptions.url} has no schema for status ${status}`)
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  const undeclared = findUndeclared(schema, body)
  if (undeclared)
    throw new Error(
      `${request.method} ${request.routeOptions.url} sends ${undeclared}, which its schema does not declare`,
    )
  if (!validate(body))
    throw new Error(
      `${request.method} ${request.routeOptions.url} breaks its schema: ${ajv.errorsText(validate.errors)}`,
    )
}

type AnySchema = {
  properties?: Record<string, AnySchema>
  additionalProperties?: AnySchema | boolean
  items?: AnySchema
  anyOf?: AnySchema[]
}

/** Finds the first field that the schema does not declare. The serializer would drop such a field silently. */
function findUndeclared(schema: AnySchema, value: unknown, path = 'body'): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = schema.items && findUndeclared(schema.items, item, `${path}[]`)
      if (found) return found
    }
    return undefined
  }
  if (schema.anyOf) {
    const found = schema.anyOf.map((each) => findUndeclared(each, value, path))
    return found.includes(undefined) ? undefined : found[0]
  }
  if (!schema.properties || schema.additionalProperties) return undefined
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue
    const inner = schema.properties[name]
    const found = inner ? findUndeclared(inner, item, `${path}.${name}`) : `${path}.${name}`
    if (found) return found
  }
  return undefined
}

function holdRepliesAgainstSchemas(app: Server) {
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (reply.statusCode < 400 && request.url.startsWith('/api/'))
      checkBody(request, reply.statusCode, payload)
    return payload
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const status = reply.statusCode
    const type = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? ''
    if (status >= 300 || !payload || !request.url.startsWith('/api/')) return payload
    const { response } = (request.routeOptions.schema ?? {}) as { response?: Record<string, AnyReply> }
    const declared = response?.[status] && Object.keys(response[status].content ?? { 'application/json': {} })
    if (declared && !declared.includes(type))
      throw new Error(`${request.method} ${request.routeOptions.url} sends ${type} and declares ${declared}`)
    return payload
  })
}

type AnyReply = { content?: Record<string, object> }

const SHARED_ERRORS = new Set([
  ...['unauthenticated', 'validation_failed', 'too_many_requests', 'unavailable', 'internal_error'],
  ...['body_too_large', 'unsupported_media_type', 'bad_request', 'method_not_allowed', 'no_such_path'],
])

/**
 * Sets the status on the error, because Fastify keeps the status of an error response that fails to be sent.
 */
function wrongReply(reply: FastifyReply, fault: string): Error {
  reply.removeHeader('x-error-code')
  return Object.assign(new Error(`${reply.request.routeOptions.config.documented?.operationId} ${fault}`), {
    statusCode: 500,
  })
}

function holdErrorsAgainstDocumentation(app: Server) {
  app.addHook('onSend', async (request, reply, payload) => {
    const { documented } = request.routeOptions.config
    const code = String(reply.getHeader('x-error-code') ?? '')
    if (!documented || code === '' || reply.statusCode >= 500) return payload
    const ofStatus = documented.errors.filter(({ status }) => status === reply.statusCode)
    const declared = ofStatus.find((error) => error.code === code)
    // An operation documents either all codes of a status or none.
    if (!declared && (ofStatus.length > 0 || !SHARED_ERRORS.has(code)))
      throw wrongReply(reply, `answers ${reply.statusCode} ${code}, which it does not declare`)
    const fields = ['message', 'errors', ...(declared?.adds ?? [])]
    const others = Object.keys(JSON.parse(String(payload))).filter((name) => !fields.includes(name))
    if (others.length > 0) throw wrongReply(reply, `answers ${code} with undeclared fields: ${others}`)
    return payload
  })
}
