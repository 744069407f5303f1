import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { type Db, type Row, statement, type Tx, transaction } from '#platform/database'
import { ApiError, apiError, type DeclaredError, fieldError, invalidInput } from '#platform/errors.ts'
import { viewerOf } from './admission.ts'
import { language } from './caching.ts'
import { errorBody, sendError, toApiError } from './error-reply.ts'
import { InputError } from './input.ts'

type StoredReply = { status: number; body?: unknown }

type RunAtomically = (work: (tx: Tx) => Promise<unknown>, options?: { single: boolean }) => Promise<unknown>

const HOURS = 24

const invalidKey = fieldError(
  'Idempotency-Key',
  'validation_failed',
  'The Idempotency-Key header must have 1 to 255 printable characters.',
  'Idempotency-Key 须为 1 到 255 个可见字符。',
)
const keyReused = fieldError(
  'Idempotency-Key',
  'idempotency_key_reused',
  'This Idempotency-Key was used with another body.',
  '该 Idempotency-Key 已用于内容不同的请求。',
)
const stillRunning = apiError(
  409,
  'idempotency_key_running',
  'The first request with this Idempotency-Key is still running.',
  '使用该 Idempotency-Key 的请求仍在处理中。',
)
/** `invalidInput` names an invalid key. */
export const IDEMPOTENCY_ERRORS: readonly DeclaredError[] = [invalidInput, keyReused, stillRunning]

type Named = { user: number; key: string; operation: string; fingerprint: string }
type Kept = Row<'idempotency_keys', 'fingerprint' | 'status' | 'response' | 'refusal_code'>

/** Node decodes headers as Latin-1, but most clients send UTF-8. */
function textOf(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? header : text
}

/**
 * Normalizes aliases and spellings of a path (`/transfer/`, `%74ransfer`), so that a retry on another path
 * does not pay twice.
 */
function operationOf(request: FastifyRequest): string {
  const params = request.params as Record<string, unknown>
  const { operation = '' } = request.routeOptions.config.documented ?? {}
  return operation.replace(/:(\w+)(\([^)]*\))?/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
}

function nameOf(ctx: Context, request: FastifyRequest): Named | undefined {
  const key = request.headers['idempotency-key']
  // The server reads a form with files after this check, so it cannot compare the forms of two requests.
  const isForm = request.headers['content-type']?.startsWith('multipart/')
  if (key === undefined || isForm) return undefined
  if (typeof key !== 'string' || !/^\P{C}{1,255}$/u.test(textOf(key))) throw invalidKey()
  return {
    user: viewerOf(request).id,
    key,
    operation: operationOf(request),
    fingerprint: ctx.secrets.sign(JSON.stringify(request.body ?? null)),
  }
}

async function findKept(sql: Db, { user, key, operation }: Named): Promise<Kept | undefined> {
  const [row] = await sql<Kept[]>`
    select fingerprint, status, response, refusal_code from idempotency_keys
    where user_id = ${user} and key = ${key} and operation = ${operation}
      and (created_at > now() - make_interval(hours => ${HOURS}) or cleanup > idempotency_cleanup() - ${HOURS})`
  return row
}

/** Takes an advisory lock on the key. Returns false while another transaction holds the lock. */
async function claim(tx: Db, { user, key, operation }: Named): Promise<boolean> {
  const [row] = await tx<[{ got: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${user} ${operation} ${key}`}, 4127)) as got`
  return row.got
}

async function keep(
  tx: Db,
  { user, key, operation, fingerprint }: Named,
  done: StoredReply,
  refusalCode: string | null = null,
): Promise<void> {
  await tx`
    insert into idempotency_keys as k (user_id, key, operation, fingerprint, status, response, refusal_code)
    values (${user}, ${key}, ${operation}, ${fingerprint}, ${done.status},
      ${done.body === undefined ? null : tx.json(done.body as never)}, ${refusalCode})
    on conflict (user_id, key, operation) do update set fingerprint = excluded.fingerprint,
      status = excluded.status, response = excluded.response, refusal_code = excluded.refusal_code,
      created_at = excluded.created_at, cleanup = excluded.cleanup`
}

/**
 * Stores a 422 after its transaction was rolled back. Returns the reply of a concurrent request instead, if
 * that request stored one first.
 */
async function keepRefusal(
  ctx: Context,
  request: FastifyRequest,
  named: Named,
  refusal: ApiError,
): Promise<Kept | undefined> {
  const body = errorBody(refusal, language(request))
  return transaction(ctx.sql, async (tx) => {
    if (!(await claim(tx, named))) return undefined
    const kept = await findKept(tx, named)
    if (!kept) await keep(tx, named, { status: refusal.status, body }, refusal.code)
    return kept
  })
}

/** Thrown to roll back the transaction when a concurrent request has stored a reply for the key. */
class Answered extends Error {
  readonly kept: Kept
  constructor(kept: Kept) {
    super('answered before')
    this.kept = kept
  }
}

/**
 * Runs a request of an idempotent route that replies with `status`. If the request has an `Idempotency-Key`, stores
 * a successful reply or a 422 for 24 hours under this key (conventions-28). A retry receives the stored reply without
 * running `respond`.
 */
export async function withIdempotencyKey(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  respond: (atomically: RunAtomically) => Promise<unknown>,
): Promise<FastifyReply> {
  const named = nameOf(ctx, request)
  if (!named) {
    const body = await respond((work, { single } = { single: false }) =>
      (single ? statement : transaction)(ctx.sql, work),
    )
    return reply.code(status).send(body)
  }
  const replay = (kept: Kept) => {
    if (kept.fingerprint !== named.fingerprint) throw keyReused()
    reply.header('Idempotency-Replayed', 'true')
    return kept.refusal_code === null
      ? reply.code(kept.status).send(kept.response ?? undefined)
      : sendError(reply.code(kept.status), kept.refusal_code, kept.response)
  }
  const known = await findKept(ctx.sql, named)
  if (known) return replay(known)
  try {
    const body = await respond((work) =>
      transaction(ctx.sql, async (tx) => {
        if (!(await claim(tx, named))) throw stillRunning()
        // Repeats the lookup, because a concurrent request may have stored a reply before the lock was acquired.
        const kept = await findKept(tx, named)
        if (kept) throw new Answered(kept)
        const done = await work(tx)
        await keep(tx, named, { status, body: done })
        return done
      }),
    )
    return reply.code(status).send(body)
  } catch (error) {
    if (error instanceof Answered) return replay(error.kept)
    // Looks for a stored reply after a failed check, because a concurrent request with the key may have caused the
    // failure. Does not look after an unexpected error, because the database may not respond.
    if (!(error instanceof ApiError || error instanceof InputError)) throw error
    const told = toApiError(error)
    const late =
      (await findKept(ctx.sql, named)) ??
      (told.status === 422 ? await keepRefusal(ctx, request, named, told) : undefined)
    if (late && late.fingerprint === named.fingerprint) return replay(late)
    throw error
  }
}

/**
 * Deletes replies that are old by the clock and by the number of these hourly cleanups, because a clock that was wrong
 * makes replies look old. Deletes in batches, so that a backlog does not exceed the statement timeout.
 */
export async function deleteOldKeys(sql: Db, batch = 5000): Promise<void> {
  await sql`select nextval('idempotency_cleanups')`
  for (let count = batch; count === batch; ) {
    const gone = await sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys
        where created_at < now() - make_interval(hours => ${HOURS}) and cleanup <= idempotency_cleanup() - ${HOURS}
        order by created_at limit ${batch}
      )) returning 1`
    count = gone.length
  }
}
