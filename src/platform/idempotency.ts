import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { type Db, statement, type Tx, transaction } from '#platform/database.ts'
import { ApiError, apiError, type DeclaredError, fieldError } from '#platform/errors.ts'
import { viewerOf } from '#platform/http.ts'
import type { Row } from '#platform/tables.ts'

/** A successful answer: its status, and its body where it has one. */
export type Done<T = unknown> = { status: number; body?: T }

/**
 * Does the work of a request in one transaction that also keeps its answer. Work that says `single` is one statement:
 * without an answer to keep it needs no transaction around it.
 */
export type Atomically = <T>(
  work: (tx: Tx) => Promise<Done<T>>,
  options?: { single: boolean },
) => Promise<Done<T>>

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
/** What every request with an `Idempotency-Key` may be answered. */
export const IDEMPOTENCY_ERRORS: readonly DeclaredError[] = [keyReused, stillRunning]

type Named = { user: number; key: string; operation: string; fingerprint: string }
type Kept = Row<'idempotency_keys', 'fingerprint' | 'status' | 'response'>

/** Header bytes arrive as Latin-1; most clients that send more than ASCII mean UTF-8. */
function textOf(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? header : text
}

/** The operation in one spelling: another one of the same address (`/transfer/`, `%74ransfer`) is the same operation. */
function operationOf(request: FastifyRequest): string {
  const params = request.params as Record<string, unknown>
  const path = (request.routeOptions.url ?? '').replace(/:(\w+)(\([^)]*\))?/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  return `${request.method} ${path}`
}

/** What the header names this request, or undefined without one. */
function nameOf(ctx: Context, request: FastifyRequest): Named | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
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
    select fingerprint, status, response from idempotency_keys
    where user_id = ${user} and key = ${key} and operation = ${operation}
      and created_at > now() - make_interval(hours => ${HOURS})`
  return row
}

/** Takes the key for this transaction. False while another transaction has it. */
async function claim(tx: Db, { user, key, operation }: Named): Promise<boolean> {
  const [row] = await tx<[{ got: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${user} ${operation} ${key}`}, 4127)) as got`
  return row.got
}

/** Keeps the answer; an older one than 24 hours gives way. */
async function keep(tx: Db, { user, key, operation, fingerprint }: Named, done: Done): Promise<void> {
  await tx`
    insert into idempotency_keys as k (user_id, key, operation, fingerprint, status, response)
    values (${user}, ${key}, ${operation}, ${fingerprint}, ${done.status},
      ${done.body === undefined ? null : tx.json(done.body as never)})
    on conflict (user_id, key, operation) do update set fingerprint = excluded.fingerprint,
      status = excluded.status, response = excluded.response, created_at = excluded.created_at`
}

/** Thrown inside the transaction to leave it for the answer that another one has kept. */
class Answered extends Error {
  readonly kept: Kept
  constructor(kept: Kept) {
    super('answered before')
    this.kept = kept
  }
}

/**
 * Answers a request that moves money. With an `Idempotency-Key` the first success is kept in the transaction of the
 * work, so that it is known exactly when the work took place, and for 24 hours the same request gets it again with
 * `Idempotency-Replayed: true` (conventions-28). `respond` makes the checks that come before the work, and does the work
 * through `atomically`; neither runs for a replay. A failure is not kept: it moved nothing, and may succeed later.
 */
export async function once(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (atomically: Atomically) => Promise<Done>,
): Promise<void> {
  const named = nameOf(ctx, request)
  // A handler returns the reply that it sent, which the types of typed routes know as void.
  const send = ({ status, body }: Done) => reply.code(status).send(body) as unknown as undefined
  if (!named)
    return send(
      await respond((work, { single } = { single: false }) =>
        (single ? statement : transaction)(ctx.sql, work),
      ),
    )
  const replay = (kept: Kept) => {
    if (kept.fingerprint !== named.fingerprint) throw keyReused()
    reply.header('Idempotency-Replayed', 'true')
    return send({ status: kept.status, body: kept.response ?? undefined })
  }
  const known = await findKept(ctx.sql, named)
  if (known) return replay(known)
  try {
    return send(
      await respond((work) =>
        transaction(ctx.sql, async (tx) => {
          if (!(await claim(tx, named))) throw stillRunning()
          // Whoever had the key before has committed by now, and this statement sees it.
          const kept = await findKept(tx, named)
          if (kept) throw new Answered(kept)
          const done = await work(tx)
          await keep(tx, named, done)
          return done
        }),
      ),
    )
  } catch (error) {
    if (error instanceof Answered) return replay(error.kept)
    // The checks before the work failed because the first request finished meanwhile.
    // After a failure of ours, as of a database that is silent, nobody is made to wait for another one.
    const late = error instanceof ApiError ? await findKept(ctx.sql, named) : undefined
    if (late && late.fingerprint === named.fingerprint) return replay(late)
    throw error
  }
}

/** Deletes answers that are no longer replayed, so many at once that no backlog takes too long for one statement. */
export async function deleteOldKeys(sql: Db, batch = 5000): Promise<void> {
  for (let count = batch; count === batch; ) {
    const gone = await sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys
        where created_at < now() - make_interval(hours => ${HOURS}) order by created_at limit ${batch}
      )) returning 1`
    count = gone.length
  }
}
