import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { beginEpoch, epochOf, examineEpoch, settleEpoch } from '#platform/epoch.ts'
import { type ChatReader, openChatStream } from '#test/fixtures/chat-streams.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'

const MANY = 2_000_000_000

const world = await createWorld({ STREAM_HEARTBEAT_MS: '100' })
const { app, as, ctx, person, sql } = world
await app.listen({ host: '127.0.0.1', port: 0 })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
await settleEpoch(sql)

async function openChat() {
  const [ann, bob] = [await person(), await person()]
  const { pair, say } = chatsOf(world)
  const chat = await pair(ann, bob)
  return { ann, bob, chat, say: (text: string) => say(ann, chat, text) }
}

/** Gives the data the transaction ids of a cluster that counted much further. */
const pretendOtherCluster = () => sql`
  with messages as (update chat_messages set tx_id = tx_id + ${MANY})
  update site_epoch set system_identifier = 'another'`

const bodies = (stream: ChatReader) => stream.messages.map(({ body }) => body)

/** Waits for heartbeats, which search for messages whose signal was lost. */
async function beats({ chat, ann }: Awaited<ReturnType<typeof openChat>>, stream: ChatReader, count: number) {
  for (let number = 0; number < count; number += 1) {
    const body = `silent ${number}`
    await sql`
      with c as (update chats set last_position = last_position + 1, last_message_id = nextval('chat_messages_id_seq')
        where id = ${chat} returning *)
      insert into chat_messages (id, chat_id, position, sender_id, body)
      select last_message_id, id, last_position, ${ann.id}, ${body} from c`
    await until(() => bodies(stream).includes(body), body)
  }
}

test('repeats no old message after the data moved to a cluster with lower transaction ids (im-15)', async () => {
  const open = await openChat()
  const { bob, say, ann, chat } = open
  for (const text of ['one', 'two']) await say(text)
  const edited = await say('three')
  await as(ann, 'PATCH', `/chats/${chat}/messages/${edited.id}`, { body: 'three!' })
  await pretendOtherCluster()
  assert.ok((await examineEpoch(sql)).isAhead)
  await settleEpoch(sql)
  const stream = await openChatStream(base, bob.token)
  await say('new')
  await until(() => bodies(stream).includes('new'), 'the new message')
  await beats(open, stream, 2)
  assert.deepEqual(bodies(stream), ['new', 'silent 0', 'silent 1'])
  const place = stream.last()
  stream.close()
  await say('missed')
  const resumed = await openChatStream(base, bob.token, { after: place })
  await until(() => bodies(resumed).includes('missed'), 'the missed message')
  assert.deepEqual(
    bodies(resumed).filter((body) => ['one', 'two', 'three!'].includes(body)),
    [],
  )
  assert.deepEqual(resumed.named('reset'), [])
  resumed.close()
})

test('sends reset to a client whose position is of an earlier epoch (im-15, notifications-12)', async () => {
  const { bob, say } = await openChat()
  const before = await openChatStream(base, bob.token)
  await say('one')
  await until(() => before.messages.length === 1, 'the message')
  assert.match(before.last(), /^\d+-\d+(-e[0-9a-f]{8})?$/)
  await beginEpoch(sql, 'a test')
  await before.ended
  assert.deepEqual(before.named('end'), [{ reason: 'epoch_changed' }])
  const name = await epochOf(ctx).name()
  assert.match(name, /^e[0-9a-f]{8}$/)
  for (const chats of [true, false]) {
    const again = await openChatStream(base, bob.token, { after: before.last(), chats })
    await until(() => again.named('reset').length === 1, 'reset')
    assert.ok(again.last().endsWith(`-${name}`), again.last())
    again.close()
    const third = await openChatStream(base, bob.token, { after: again.last(), chats })
    await say('marker')
    if (chats) await until(() => bodies(third).includes('marker'), 'a message')
    assert.deepEqual(third.named('reset'), [])
    third.close()
  }
  const fresh = await openChatStream(base, bob.token)
  await say('last')
  await until(() => bodies(fresh).includes('last'), 'a message')
  assert.deepEqual(fresh.named('reset'), [])
  fresh.close()
})

test('sends reset to a client whose position no transaction has reached (im-15)', async () => {
  const { bob, say } = await openChat()
  const name = await epochOf(ctx).name()
  const suffix = name === '' ? '' : `-${name}`
  for (const after of [`0-${MANY * 10}${suffix}`, `99${suffix}`]) {
    const stream = await openChatStream(base, bob.token, { after })
    await say(after)
    await until(() => bodies(stream).includes(after), 'a message')
    assert.equal(stream.named('reset').length, 1)
    stream.close()
  }
})

test('begins one epoch when several nodes notice a move at the same time', async () => {
  assert.equal(await settleEpoch(sql), undefined)
  for (const change of [
    sql`update site_epoch set system_identifier = 'another'`,
    sql`update site_epoch set database_oid = database_oid + 1`,
    sql`update site_epoch set table_oid = table_oid + 1`,
    sql`update site_epoch set timeline = timeline + 1`,
  ]) {
    const [before] = await sql`select name from site_epoch`
    await change
    const begun = await Promise.all(Array.from({ length: 6 }, () => settleEpoch(sql)))
    const names = begun.filter((name) => name !== undefined)
    assert.equal(names.length, 1)
    const [after] = await sql`select name from site_epoch`
    assert.deepEqual([after?.name, names[0] === before?.name], [names[0], false])
    assert.ok((await examineEpoch(sql)).isHere)
  }
})

test('continues the epoch after a failover to a standby that has every commit', async () => {
  await sql`update site_epoch set timeline = timeline + 1, is_synchronous = true`
  assert.equal(await settleEpoch(sql), undefined)
  // The test database has no synchronous standby, so the next failover may lose commits.
  await sql`update site_epoch set timeline = timeline + 1`
  assert.match(String(await settleEpoch(sql)), /^e/)
})

test('sends the read positions that a client missed (im-15)', async () => {
  const { ann, bob, chat, say } = await openChat()
  const first = await openChatStream(base, ann.token)
  await say('one')
  await until(() => bodies(first).includes('one'), 'the message')
  const place = first.last()
  first.close()
  await as(bob, 'PUT', `/chats/${chat}/position`, { position: 1 })
  const eve = await person()
  const { pair, say: sayIn } = chatsOf(world)
  const blocked = await pair(ann, eve)
  await sayIn(ann, blocked, 'hello')
  const between = await openChatStream(base, ann.token)
  await as(eve, 'PUT', `/chats/${blocked}/position`, { position: 1 })
  await until(() => between.named('read').length > 0, 'the read position of eve')
  between.close()
  await as(eve, 'POST', `/user/black/${ann.id}`)
  const second = await openChatStream(base, ann.token, { after: place })
  await until(() => second.named('read').length > 0, 'the read position')
  await say('two')
  await until(() => bodies(second).includes('two'), 'a later event')
  assert.deepEqual(second.named('read'), [{ chat_id: chat, user_id: bob.id, position: 1 }])
  second.close()
})
