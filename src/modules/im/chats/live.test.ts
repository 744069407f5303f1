import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sendSignal, transaction } from '#platform/database'
import { openChatStream } from '#test/fixtures/chat-streams.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld, type Person } from '#test/world.ts'
import { PRESENCE_SIGNAL } from './presence.ts'

const world = await createWorld({ STREAM_HEARTBEAT_MS: '200' })
const { as, person, sql, app } = world
await app.listen({ host: '127.0.0.1', port: 0 })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const { pair, say } = chatsOf(world)
const { makeGroup } = imGroupsOf(world)
/** Opens a conversation in which both have written. */
const talk = async (one: Person, other: Person) => {
  const chat = await pair(one, other)
  await say(one, chat, 'Hello')
  await say(other, chat, 'Hello')
  return chat
}

test('delivers chat events only to those streams of members that request them (im-15)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const chat = await pair(ann, bob)
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
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
  const chat = await talk(ann, bob)
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
  const marker = await talk(ann, eve)
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

test('hides presence and typing from people who do not share the conversation (im-15)', async () => {
  const [ann, eve, clock] = [await person(), await person(), await person()]
  const [mine, hers] = await Promise.all([openChatStream(base, ann.token), openChatStream(base, eve.token)])
  const markers = [await talk(clock, ann), await talk(clock, eve)]
  const fromClock = (stream: typeof mine) =>
    (stream.named('typing') as { user_id: number }[]).filter(({ user_id }) => user_id === clock.id).length
  let ticks = 0
  const seen = async (chat: number) => {
    await as(eve, 'POST', `/chats/${chat}/typing`)
    await as(eve, 'POST', `/chats/${chat}/presence`)
    // An answer to `presence` is a second signal, which precedes the second round.
    for (const _round of [1, 2]) {
      ticks += 1
      for (const marker of markers) await as(clock, 'POST', `/chats/${marker}/typing`)
      await until(() => fromClock(mine) === ticks && fromClock(hers) === ticks, 'a later event')
    }
    const ofChat = (stream: typeof mine, event: string) =>
      (stream.named(event) as { chat_id: number }[]).some(({ chat_id }) => chat_id === chat)
    return {
      typing: ofChat(mine, 'typing'),
      announced: ofChat(mine, 'presence'),
      answered: ofChat(hers, 'presence'),
    }
  }
  const nothing = { typing: false, announced: false, answered: false }
  const everything = { typing: true, announced: true, answered: true }
  const chat = await pair(eve, ann)
  assert.deepEqual(await seen(chat), nothing)
  await say(eve, chat, 'Who are you?')
  assert.deepEqual(await seen(chat), nothing)
  const group = await makeGroup(eve, { members: String(ann.id) })
  const { id: shared } = (await as(eve, 'PUT', `/chats/groups/${group}`)).body
  assert.deepEqual(await seen(shared), nothing)
  await say(eve, shared, 'Hello all')
  assert.deepEqual(await seen(shared), { ...everything, answered: false })
  await say(ann, shared, 'Hello')
  assert.deepEqual(await seen(shared), everything)
  await as(eve, 'PUT', `/user/followings/${ann.id}`)
  assert.deepEqual(await seen(chat), nothing)
  await as(ann, 'PUT', `/user/followings/${eve.id}`)
  assert.deepEqual(await seen(chat), everything)
  for (const stream of [mine, hers]) stream.close()
})

test('hides read positions across a block in both directions (im-14)', async () => {
  const [ann, bob, cleo] = [await person(), await person(), await person()]
  const chat = await talk(ann, bob)
  const group = await makeGroup(cleo, { members: `${ann.id},${bob.id}` })
  const { id: shared } = (await as(ann, 'PUT', `/chats/groups/${group}`)).body
  for (const who of [ann, bob, cleo]) await say(who, shared, 'Here')
  const positions = async (who: Person, id: number) =>
    (await as(who, 'GET', `/chats/${id}/positions`)).body.data.map(
      ({ user_id }: { user_id: number }) => user_id,
    )
  assert.deepEqual(await positions(ann, chat), [ann.id, bob.id])
  await as(bob, 'POST', `/user/black/${ann.id}`)
  for (const [who, id, shown] of [
    [ann, chat, [ann.id]],
    [bob, chat, [bob.id]],
    [ann, shared, [ann.id, cleo.id]],
    [bob, shared, [bob.id, cleo.id]],
    [cleo, shared, [ann.id, bob.id, cleo.id]],
  ] as const)
    assert.deepEqual(await positions(who, id), shown)
  const streams = await Promise.all([ann, bob].map(({ token }) => openChatStream(base, token)))
  const [mine, theirs] = streams as [(typeof streams)[0], (typeof streams)[0]]
  await sql`update chat_members set read_position = 0 where chat_id = ${chat}`
  for (const who of [ann, bob]) await as(who, 'PUT', `/chats/${chat}/position`, { position: 2 })
  const readers = (stream: typeof mine) =>
    (stream.named('read') as { user_id: number }[]).map(({ user_id }) => user_id)
  await until(() => readers(mine).length > 0 && readers(theirs).length > 0, 'their own events')
  for (const who of [ann, bob]) await say(cleo, await pair(cleo, who), 'later')
  await until(() => mine.messages.length > 0 && theirs.messages.length > 0, 'a later event')
  assert.deepEqual([readers(mine), readers(theirs)], [[ann.id], [bob.id]])
  for (const stream of streams) stream.close()
})

test('reports presence to a stream that is still catching up (im-15)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
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
