import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sendSignal, transaction } from '#platform/database'
import { openChatStream } from '#test/fixtures/chat-streams.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld, type Person } from '#test/world.ts'
import { PRESENCE_SIGNAL } from './presence.ts'

const world = await createWorld({ STREAM_HEARTBEAT_MS: '200' })
const { as, person, sql, app } = world
await app.listen({ host: '127.0.0.1', port: 0 })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const { pair, say } = chatsOf(world)

test('delivers chat events only to those streams of members that request them (im-15)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const chat = await pair(ann, bob)
  const [mine, theirs, plain, other] = await Promise.all([
    openChatStream(base, ann.token),
    openChatStream(base, bob.token),
    openChatStream(base, bob.token, { chats: false }),
    openChatStream(base, eve.token),
  ])
  const sent = await say(ann, chat, 'Hello')
  await until(
    () => theirs.messages.length === 1 && mine.messages.length === 1,
    'both have the message',
  ).catch(() => assert.fail(JSON.stringify([theirs.messages, mine.messages])))
  assert.deepEqual(theirs.messages[0], sent)
  await as(ann, 'PATCH', `/chats/${chat}/messages/${sent.id}`, { body: 'Hello!' })
  await until(() => theirs.messages.some(({ body }) => body === 'Hello!'), 'the edited message')
  await as(bob, 'POST', `/chats/${chat}/typing`)
  await until(() => mine.named('typing').length === 1, 'typing')
  assert.deepEqual(mine.named('typing')[0], { chat_id: chat, user_id: bob.id })
  await as(bob, 'PUT', `/chats/${chat}/position`, { position: 1 })
  await until(() => mine.named('read').length === 1 && theirs.named('read').length === 1, 'reading')
  assert.deepEqual(mine.named('read')[0], { chat_id: chat, user_id: bob.id, position: 1 })
  await as(ann, 'DELETE', `/chats/${chat}/messages/${sent.id}`)
  await until(() => theirs.messages.some(({ deleted }) => deleted), 'the deletion')
  assert.deepEqual([plain.messages, other.messages, theirs.named('typing')], [[], [], []])
  for (const stream of [mine, theirs, plain, other]) stream.close()
})

test('reports connected members of a conversation to each other (im-15)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const chat = await pair(ann, bob)
  const [mine, theirs, other] = await Promise.all([
    openChatStream(base, ann.token),
    openChatStream(base, bob.token),
    openChatStream(base, eve.token),
  ])
  const present = (who: Person) => as(who, 'POST', `/chats/${chat}/presence`)
  assert.equal((await present(eve)).status, 404)
  assert.equal((await present(ann)).status, 204)
  await until(
    () => mine.named('presence').length === 1 && theirs.named('presence').length === 1,
    'both know of each other',
  )
  assert.deepEqual(mine.named('presence'), [{ chat_id: chat, user_ids: [bob.id] }])
  assert.deepEqual(theirs.named('presence'), [{ chat_id: chat, user_ids: [ann.id] }])
  const marker = await pair(ann, eve)
  /** Waits for a later typing event, because the process delivers all pending presence and typing events first. */
  const settle = async (times: number) => {
    await as(eve, 'POST', `/chats/${marker}/typing`)
    await until(() => mine.named('typing').length === times, 'a later event')
  }
  await as(bob, 'POST', `/user/black/${ann.id}`)
  for (const who of [ann, bob]) {
    await present(who)
    await as(who, 'POST', `/chats/${chat}/typing`)
  }
  await settle(1)
  assert.deepEqual([mine.named('presence').length, theirs.named('presence').length], [1, 1])
  assert.deepEqual(theirs.named('typing'), [])
  await as(bob, 'DELETE', `/user/black/${ann.id}`)
  const admin = await person({ roles: ['founder'] })
  await as(admin, 'PATCH', '/admin/settings', { 'chat:presence': false })
  await present(ann)
  await settle(2)
  assert.equal(theirs.named('presence').length, 1)
  await as(admin, 'PATCH', '/admin/settings', { 'chat:presence': true })
  for (const stream of [mine, theirs, other]) stream.close()
})

test('reports presence to a stream that is still catching up (im-15)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  await transaction(sql, async (tx) => {
    // Blocks the search for missed messages.
    await tx`lock table chat_messages in access exclusive mode`
    const theirs = await openChatStream(base, bob.token)
    sendSignal(sql, PRESENCE_SIGNAL, `${chat}:${ann.id}`)
    await until(() => theirs.named('presence').length === 1, 'presence')
    theirs.close()
  })
})

test('sends all missed messages in order when a stream resumes (im-15)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  const first = await openChatStream(base, bob.token)
  await say(ann, chat, 'm1')
  await until(() => first.messages.length === 1, 'the first message')
  first.close()
  for (let number = 2; number <= 20; number += 1) await say(ann, chat, `m${number}`)
  const second = await openChatStream(base, bob.token, { after: first.last() })
  await until(() => second.messages.some(({ body }) => body === 'm20'), 'what was missed')
  const positions = second.messages.map(({ position }) => position)
  assert.deepEqual(
    positions,
    positions.toSorted((one, other) => one - other),
  )
  assert.deepEqual([...new Set(positions)].filter((position) => position > 1).length, 19)
  second.close()
  const strange = await openChatStream(base, bob.token, { after: '0-999999999999' })
  await say(ann, chat, 'fresh')
  await until(() => strange.messages.some(({ body }) => body === 'fresh'), 'a new message')
  strange.close()
})

test('delivers a chat message whose signal was lost (im-15)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  const stream = await openChatStream(base, bob.token)
  await sql`
    with c as (update chats set last_position = last_position + 1, last_message_id = nextval('chat_messages_id_seq')
      where id = ${chat} returning *)
    insert into chat_messages (id, chat_id, position, sender_id, body)
    select last_message_id, id, last_position, ${ann.id}, 'silent' from c`
  await until(() => stream.messages.some(({ body }) => body === 'silent'), 'the message')
  stream.close()
})
