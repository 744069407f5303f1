import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openDatabase, transaction } from '#platform/database'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'

const { app, as, connection, person } = await createWorld({
  DATABASE_POOL_SIZE: '8',
  STREAM_HEARTBEAT_MS: '600000',
})
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo
const other = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 60_000 })

/** Opens a stream, and returns the status of the response. */
async function open(token: string): Promise<number> {
  const abort = new AbortController()
  const { status } = await fetch(`http://127.0.0.1:${port}/api/v2/user/notifications/stream?chats=1`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  })
  abort.abort()
  return status
}

for (const [phase, table] of [
  ['open', 'notification_cursors'],
  ['catch up', 'chat_messages'],
] as const)
  test(`keeps database connections for other requests while many streams ${phase}`, async () => {
    const members = await Promise.all(Array.from({ length: 30 }, () => person()))
    const writer = await person()
    // Caches the tokens, so that only the streams wait.
    for (const each of [...members, writer]) assert.equal((await as(each, 'GET', '/user')).status, 200)
    const opening = await transaction(other, async (tx) => {
      await tx.unsafe(`lock table ${table} in access exclusive mode`)
      const opening = members.map(({ token }) => open(token))
      await untilWaiting(other, 2)
      const post = { feed_content: 'x', feed_from: 1, feed_mark: Date.now() }
      assert.equal((await as(writer, 'POST', '/feeds', post)).status, 201)
      const waiting = await other`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      assert.equal(waiting.length, 2)
      return opening
    })
    for (const status of await Promise.all(opening)) assert.ok([200, 503].includes(status))
  })
