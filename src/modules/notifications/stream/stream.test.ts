import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { buildApp } from '#app'
import { type Notice, notify } from '#modules/notifications/index.ts'
import { issueToken, revokeTokens } from '#modules/tokens/index.ts'
import { createSignals, openDatabase, type Sql } from '#platform/database'
import { createMetrics } from '#platform/observability'
import { openStream, type Reader, until } from '#test/fixtures/streams.ts'
import { createWorld, type Person } from '#test/world.ts'

const { app, as, guest, person, sql, ctx, connection } = await createWorld({ STREAM_HEARTBEAT_MS: '100' })
await app.listen({ port: 0, host: '127.0.0.1' })
const portOf = (server: typeof app) => (server.server.address() as AddressInfo).port

const open = (who: Person, options: { after?: number; port?: number } = {}) =>
  openStream(`http://127.0.0.1:${options.port ?? portOf(app)}`, who.token, options.after)

let causes = 0
const tell = async (recipients: Person[], on = sql as Parameters<typeof notify>[0]) => {
  causes += 1
  const id = causes
  const notice: Notice = {
    type: 'like',
    recipients: recipients.map(({ id }) => id),
    senderId: 0,
    cause: { type: 'feeds', id },
    data: { resource: { type: 'feeds', id } },
  }
  await notify(on, notice)
  return id
}
async function another() {
  const signals = createSignals(sql)
  const config = { ...ctx.config, streamHeartbeatMs: 15_000 }
  const server = await buildApp({ ...ctx, config, signals, metrics: createMetrics(), state: new Map() })
  await signals.listen()
  server.addHook('onClose', () => signals.close())
  await server.listen({ port: 0, host: '127.0.0.1' })
  return server
}
const openStreams = async () =>
  Number(/^notification_streams_open (\d+)$/m.exec(await ctx.metrics.render())?.[1])
const idsOf = (reader: Reader) => reader.events.map(({ data }) => data.data.commentable.id)

test('delivers a notification to every open stream of its recipient (notifications-12)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell([ann])
  const [one, two, other] = [await open(ann), await open(ann), await open(bob)]
  const id = await tell([ann])
  await until(() => one.events.length === 1 && two.events.length === 1, 'both have the event')
  assert.equal(one.events[0]?.event, 'notification')
  assert.equal(one.events[0]?.id, 2)
  const listed = (await as(ann, 'GET', '/user/notifications?type=like')).body.data[0]
  assert.deepEqual(one.events[0]?.data, { type: 'like', ...listed })
  assert.deepEqual(idsOf(two), [id])
  assert.deepEqual(other.events, [])
  await until(() => one.comments >= 2, 'heartbeats')
  for (const reader of [one, two, other]) reader.close()
  await until(async () => (await openStreams()) === 0, 'all streams are closed')
})

test('delivers all notifications when streams resume during a delivery', async () => {
  const ann = await person()
  const served = await open(ann)
  const expected: number[] = []
  const readers: Reader[] = []
  for (let round = 0; round < 8; round += 1) {
    const telling = (async () => {
      for (let index = 0; index < 10; index += 1) expected.push(await tell([ann]))
    })()
    readers.push(await open(ann, { after: 0 }))
    await telling
  }
  for (const reader of [served, ...readers]) {
    await until(() => reader.events.length === expected.length, 'every reader has all events')
    assert.deepEqual(idsOf(reader), expected)
    reader.close()
  }
})

test('delivers each missed notification once to a resuming stream (notifications-12)', async () => {
  const ann = await person()
  const first = await open(ann)
  const expected = [await tell([ann])]
  await until(() => first.events.length === 1, 'the first event')
  first.close()
  for (let index = 0; index < 130; index += 1) expected.push(await tell([ann]))
  const second = await open(ann, { after: first.last() })
  expected.push(await tell([ann]))
  await until(() => second.events.length === 131, 'all that was missed')
  assert.deepEqual([...idsOf(first), ...idsOf(second)], expected)
  const third = await open(ann, { after: 10_000 })
  expected.push(await tell([ann]))
  await until(() => third.events.length === 2, 'reset and the new event')
  assert.deepEqual(
    third.events.map(({ event }) => event),
    ['reset', 'notification'],
  )
  second.close()
  third.close()
})

test('sends the start position of a stream before its first event (notifications-12)', async () => {
  const ann = await person()
  await tell([ann])
  const first = await open(ann)
  await until(() => first.place !== undefined, 'the place')
  assert.equal(first.place, 1)
  first.close()
  const id = await tell([ann])
  const second = await open(ann, { after: first.place ?? 0 })
  await until(() => second.events.length === 1, 'what came meanwhile')
  assert.deepEqual(idsOf(second), [id])
  second.close()
})

test('delivers notifications in the order of their commits', async () => {
  const [ann, bob] = [await person(), await person()]
  const [reader, marker] = [await open(ann), await open(bob)]
  const order: number[] = []
  let second: Promise<number> | undefined
  await sql.begin(async (tx) => {
    order.push(await tell([ann], tx))
    second = tell([ann])
    await tell([bob])
    await until(() => marker.events.length === 1, 'a later event of another user')
    assert.deepEqual(reader.events, [])
  })
  marker.close()
  order.push((await second) as number)
  await Promise.all(Array.from({ length: 30 }, async () => order.push(await tell([ann]))))
  await until(() => reader.events.length === 32, 'all events')
  assert.deepEqual(idsOf(reader).slice(0, 2), order.slice(0, 2))
  assert.deepEqual(idsOf(reader).toSorted(), order.toSorted())
  assert.deepEqual(
    reader.events.map(({ id }) => id),
    Array.from({ length: 32 }, (_, index) => index + 1),
  )
  reader.close()
})

test('sends no notification of a transaction that rolled back (notifications-1)', async () => {
  const ann = await person()
  const reader = await open(ann)
  await sql
    .begin(async (tx) => {
      await tell([ann], tx)
      throw new Error('no')
    })
    .catch(() => {})
  const id = await tell([ann])
  await until(() => reader.events.length > 0, 'the event')
  assert.deepEqual(idsOf(reader), [id])
  reader.close()
})

test('delivers notifications that another server writes to the same database', async () => {
  const ann = await person()
  const second = await another()
  const reader = await open(ann, { port: portOf(second) })
  const expected = [await tell([ann])]
  await until(() => reader.events.length === 1, 'the event through the other server')
  await second.close()
  await reader.ended
  assert.equal(reader.events.pop()?.event, 'end')
  expected.push(await tell([ann]))
  const resumed = await open(ann, { after: reader.last() })
  expected.push(await tell([ann]))
  await until(() => resumed.events.length === 2, 'what was missed')
  assert.deepEqual([...idsOf(reader), ...idsOf(resumed)], expected)
  resumed.close()
})

/**
 * Opens a stream with a token that soon expires. If the token expires too early, retries with a longer
 * lifetime.
 */
async function openForAMoment(who: Person): Promise<Reader> {
  for (let seconds = 1; ; seconds *= 3) {
    const { access_token: token } = await issueToken(sql, who.id)
    await sql`update tokens set expires_at = now() + make_interval(secs => ${seconds}) where user_id = ${who.id}`
    const reader = await open({ ...who, token }).catch(() => undefined)
    if (reader) return reader
    assert.ok(seconds < 100, 'the stream never opened')
  }
}

test('closes a stream when its token is revoked or expires', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  const [revoked, untouched, expired] = [await open(ann), await open(bob), await openForAMoment(cid)]
  await revokeTokens(ctx, sql, ann.id)
  await Promise.all([revoked.ended, expired.ended])
  assert.deepEqual(revoked.events[0]?.data, { reason: 'token_revoked' })
  assert.deepEqual(expired.events[0]?.data, { reason: 'token_expired' })
  await tell([bob])
  await until(() => untouched.events.length === 1, 'the other stream goes on')
  untouched.close()
  const headers = { authorization: `Bearer ${ann.token}` }
  assert.equal((await guest('GET', '/user/notifications/stream', undefined, headers)).status, 401)
})

test('opens no stream for a HEAD request', async () => {
  const ann = await person()
  const before = await openStreams()
  const head = await as(ann, 'HEAD', '/user/notifications/stream')
  assert.equal(head.status, 200)
  assert.match(String(head.headers['content-type']), /^text\/event-stream/)
  assert.equal(await openStreams(), before)
  assert.equal((await guest('GET', '/user/notifications/stream')).status, 401)
  assert.equal((await as(ann, 'GET', '/user/notifications/stream?last_event_id=x')).status, 422)
  assert.equal((await guest('HEAD', `/user/notifications/stream?token=${ann.token}`)).status, 200)
})

test('closes the oldest stream of a user who opens an eleventh (notifications-12)', async () => {
  const ann = await person()
  const readers: Reader[] = []
  for (let index = 0; index < 11; index += 1) readers.push(await open(ann))
  await readers[0]!.ended
  assert.deepEqual(readers[0]!.events[0]?.data, { reason: 'too_many_streams' })
  for (const reader of readers) reader.close()
  await until(async () => (await openStreams()) === 0, 'all streams are closed')
})

test('closes the stream of a client that stops reading', async () => {
  const ann = await person()
  const socket: Socket = connect(portOf(app), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `GET /api/v2/user/notifications/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n\r\n`,
  )
  await until(async () => (await openStreams()) === 1, 'the stream is open')
  socket.pause()
  const contents = 'x'.repeat(20_000)
  const notice = (id: number): Notice => ({
    type: 'comment',
    recipients: [ann.id],
    senderId: 0,
    cause: { type: 'comments', id },
    data: { contents },
  })
  for (let round = 0; round < 10; round += 1)
    await notify(
      sql,
      Array.from({ length: 100 }, (_, index) => notice(round * 100 + index + 1)),
    )
  await until(async () => (await openStreams()) === 0, 'the stream is dropped')
  assert.match(await ctx.metrics.render(), /^notification_streams_dropped_total 1$/m)
  socket.destroy()
  const patient = await another()
  const reader = await open(ann, { after: 0, port: portOf(patient) })
  await until(() => reader.events.length === 1000, 'everything, for a reader that reads')
  await patient.close()
})

test('delivers an event to each of a hundred open streams', async () => {
  const server = await another()
  const port = portOf(server)
  const people = await Promise.all(Array.from({ length: 25 }, () => person()))
  const readers: Reader[] = []
  for (let round = 0; round < 4; round += 1)
    readers.push(...(await Promise.all(people.map((each) => open(each, { port })))))
  assert.equal(readers.length, 100)
  await tell(people)
  await until(() => readers.every((reader) => reader.events.length === 1), 'all have the event')
  await server.close()
  await Promise.all(readers.map((reader) => reader.ended))
})

test('delivers an event at the next heartbeat when a process dies between commit and signal', async () => {
  const ann = await person()
  const [reader, other] = [await open(ann), await open(ann)]
  /** Commits `work` with a connection that closes before it sends its signals. */
  const dieAfter = async (work: (dying: Sql) => Promise<unknown>) => {
    const dying = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
    await work(dying)
    await dying.reserve()
    await dying.end({ timeout: 0 })
  }
  await dieAfter(async (dying) => tell([ann], dying))
  await until(() => reader.events.length === 1, 'the event')
  await dieAfter((dying) => revokeTokens(ctx, dying, ann.id))
  await Promise.all([reader.ended, other.ended])
})

test('closes all but ten streams of a user when thirty open concurrently', async () => {
  const ann = await person()
  const readers = await Promise.all(Array.from({ length: 30 }, () => open(ann)))
  const ended = () => readers.filter(({ events }) => events[0]?.event === 'end').length
  await until(async () => ended() === 20 && (await openStreams()) === 10, 'ten are left')
  for (const reader of readers) reader.close()
})
