/**
 * Sets the clock of the server node and that of the database ahead and back during payments, chats and jobs. Part of
 * `npm run torture`.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase, type Sql } from '#platform/database'
import { addJob } from '#platform/jobs'
import { openChatStream } from '#test/fixtures/chat-streams.ts'
import { assertSound, nextPayment, type Payment, randomOf, retry, settle } from '#test/fixtures/payments.ts'
import { endServers, startPostgres } from '#test/fixtures/postgres.ts'
import { send, startServer } from '#test/fixtures/sites.ts'
import { assertNoFault } from './paying.ts'
import { openShiftedClocks } from './shifted-clock.ts'

const HOUR = 3600
const OFFSETS = [HOUR, -HOUR, 48 * HOUR, -48 * HOUR]
/** Longer than the interval at which the scheduler reads the clock of the database. */
const SHIFTED_MS = 18_000
const PAYERS = 3
const LIMIT_MS = 10_000
/** A schedule that runs each minute, and an interval at which the scheduler reads the clock. */
const SCHEDULE_MS = 80_000

type Person = { id: number; token: string }

async function until(isTrue: () => Promise<boolean> | boolean, limit: number, fault: string) {
  const started = performance.now()
  while (!(await isTrue())) {
    assert.ok(performance.now() - started < limit, `${fault} within ${limit} ms`)
    await wait(100)
  }
  return Math.round(performance.now() - started)
}

const nameOf = (seconds: number) =>
  `${seconds > 0 ? '+' : '−'}${Math.abs(seconds) < 24 * HOUR ? `${Math.abs(seconds) / HOUR} h` : `${Math.abs(seconds) / HOUR / 24} d`}`

export async function shiftClocks(folder: string, seed: number): Promise<string> {
  const random = randomOf(seed)
  const open = await openShiftedClocks(folder)
  const [nodeClock, databaseClock] = [await open('node'), await open('database')]
  const postgres = await startPostgres({}, databaseClock.env)
  const query = async <T>(question: (sql: Sql) => Promise<T>): Promise<T> => {
    const sql = openDatabase({ connection: postgres.url, poolSize: 1, statementTimeoutMs: 60_000 })
    return question(sql).finally(() => sql.end())
  }
  const dataDir = join(folder, 'data')
  const server = startServer(dataDir, {
    ...nodeClock.env,
    DATABASE_URL: postgres.url,
    WORKER: 'inside',
    STREAM_HEARTBEAT_MS: '500',
  })
  try {
    const address = await server.address
    const site = await settle(address, query)
    const [owner, other] = site.buyers as [Person, Person]
    const opened = await send(address, owner.token, 'PUT', `/chats/people/${other.id}`)
    const chat = (opened.body as { id: number }).id
    // The clock of the database decides when a token expires, so they have to outlive two days.
    await query((sql) => sql`update tokens set expires_at = expires_at + interval '10 days'`)
    const reader = await openChatStream(address, other.token)

    const payments: Payment[] = []
    let counts: Record<number, number> = {}
    let isOver = false
    const pay = async () => {
      while (!isOver) {
        const payment = nextPayment(site, payments.length, random)
        payments.push(payment)
        const { token, path, body, key } = payment
        const answer = await send(address, token, 'POST', path, body, key)
        payment.answer = answer
        counts[answer.status] = (counts[answer.status] ?? 0) + 1
        await wait(100)
      }
    }
    const paying = Promise.all(Array.from({ length: PAYERS }, pay))
    // A failed check ends the server, and with it the payments.
    paying.catch(() => {})

    const said: string[] = []
    const speak = async () => {
      const body = `words ${said.length}`
      const { status } = await send(address, owner.token, 'POST', `/chats/${chat}/messages`, { body })
      assert.equal(status, 201)
      said.push(body)
      return until(
        () => reader.messages.some((message) => message.body === body),
        LIMIT_MS,
        `the stream got no message`,
      )
    }
    const work = async () => {
      const findJobs = (sql: Sql) => sql`select from graphile_worker.jobs where key = 'torture'`
      await query((sql) => addJob(sql, 'check_health', {}, { key: 'torture' }))
      return until(async () => (await query(findJobs)).length === 0, LIMIT_MS, 'no worker ran a job')
    }
    const clocksPart = async () => {
      const { body } = await send(address, site.founder.token, 'GET', '/admin/health')
      const { parts } = body as { parts: { name: string; state: string }[] }
      return parts.find(({ name }) => name === 'clocks')?.state
    }
    const findRuns = () =>
      query(async (sql) => {
        const rows = await sql<{ runs: string }[]>`
          select identifier || ' ' || last_execution as runs from graphile_worker._private_known_crontabs
          where identifier = 'ask_for_payments' or identifier like 'erase%' order by 1`
        return rows.map(({ runs }) => runs).join()
      })

    const told: string[] = []
    let slowest = 0
    let schedule = 0
    for (const [name, clock] of [
      ['node', nodeClock],
      ['database', databaseClock],
    ] as const)
      for (const offset of OFFSETS) {
        const at = `${name} ${nameOf(offset)}`
        counts = {}
        await clock.set(offset)
        slowest = Math.max(slowest, await speak(), await work())
        await until(
          async () => (await clocksPart()) === 'warning',
          LIMIT_MS,
          `${at}: health did not report it`,
        )
        await wait(SHIFTED_MS)
        slowest = Math.max(slowest, await speak(), await work())
        await clock.set(0)
        slowest = Math.max(slowest, await speak(), await work())
        await until(async () => (await clocksPart()) === 'good', LIMIT_MS, `${at}: health still reports it`)
        const before = await findRuns()
        schedule = Math.max(
          schedule,
          await until(
            async () => (await findRuns()) !== before,
            SCHEDULE_MS,
            `${at}: no schedule ran afterwards`,
          ),
        )
        assertNoFault(counts)
        const refused = Object.entries(counts).filter(([status]) => Number(status) >= 500)
        const refusals = refused.map(([status, count]) => `${count} × ${status}`).join(', ') || 'no 5xx'
        console.log(`  ${at}: ${counts[201] ?? 0} payments, ${refusals}`)
        told.push(at)
      }
    isOver = true
    await paying
    assert.deepEqual(
      reader.messages.map(({ body }) => body),
      said,
      'a stream lost, repeated or reordered messages',
    )
    reader.close()
    await retry(address, payments)
    await assertSound(address, query, site, payments)
    server.child.kill('SIGTERM')
    await server.ended
    return `${told.join(', ')}: ${payments.length} payments all there, once, ${said.length} messages in order; slowest message or job ${slowest} ms, a schedule ran ${Math.round(schedule / 1000)} s after the clock was right, at most`
  } finally {
    server.child.kill('SIGKILL')
    await endServers()
  }
}
