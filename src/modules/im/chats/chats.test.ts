import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { openChatStream } from '#test/fixtures/chat-streams.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { until } from '#test/fixtures/streams.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'
import { deleteExpiredMessages, eraseMessages } from './messages/service.ts'

const world = await createWorld({ STREAM_HEARTBEAT_MS: '200' })
const { as, person, sql, ctx, app, work } = world
await app.listen({ host: '127.0.0.1', port: 0 })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const { makeGroup } = imGroupsOf(world)

const { pair, send, say } = chatsOf(world)
const textsOf = async (who: Person, chat: number, query = ''): Promise<string[]> =>
  (await as(who, 'GET', `/chats/${chat}/messages${query}`)).body.data.map(
    ({ body }: { body: string }) => body,
  )
const code = (answer: { headers: Record<string, unknown> }) => answer.headers['x-error-code']

test('opens the same conversation for both users of a pair (im-11)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const ids = await Promise.all([pair(ann, bob), pair(bob, ann), pair(ann, bob)])
  assert.equal(new Set(ids).size, 1)
  const [id] = ids
  const shown = (await as(ann, 'GET', `/chats/${id}`)).body
  assert.deepEqual([shown.person.id, shown.group, shown.unread, shown.last_message], [bob.id, null, 0, null])
  assert.equal((await as(eve, 'GET', `/chats/${id}`)).status, 404)
  assert.equal((await send(eve, id!, { body: 'Hello' })).status, 404)
  assert.equal(code(await as(ann, 'PUT', `/chats/people/${ann.id}`)), 'chat_with_oneself')
  assert.equal((await as(ann, 'PUT', '/chats/people/99999999')).status, 404)
})

test('numbers messages without gaps or repeats under concurrent sends (im-12)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  await Promise.all(Array.from({ length: 30 }, (_, index) => say(index % 2 ? ann : bob, chat, `m${index}`)))
  const { data } = (await as(ann, 'GET', `/chats/${chat}/messages`)).body
  assert.deepEqual(
    data.map(({ position }: { position: number }) => position),
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  const ids = data.map(({ id }: { id: number }) => id)
  assert.deepEqual(
    ids,
    ids.toSorted((one: number, other: number) => one - other),
  )
})

test('stores a message once under an Idempotency-Key (im-12)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  const key = { 'idempotency-key': 'one message' }
  const first = await send(ann, chat, { body: 'Once' }, key)
  const second = await send(ann, chat, { body: 'Once' }, key)
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.equal(second.headers['idempotency-replayed'], 'true')
  assert.deepEqual(second.body, first.body)
  assert.equal((await send(ann, chat, { body: 'Other' }, key)).status, 422)
  assert.deepEqual(await textsOf(bob, chat), ['Once'])
})

test('pages messages before and after a given position (im-12)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  for (const text of ['a', 'b', 'c', 'd', 'e']) await say(ann, chat, text)
  assert.deepEqual(await textsOf(bob, chat, '?limit=2'), ['d', 'e'])
  assert.deepEqual(await textsOf(bob, chat, '?limit=2&before=4'), ['b', 'c'])
  assert.deepEqual(await textsOf(bob, chat, '?limit=2&after=1'), ['b', 'c'])
  assert.deepEqual(await textsOf(bob, chat, '?after=5'), [])
})

test("counts unread messages after the viewer's read position (im-12)", async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  for (const text of ['a', 'b', 'c']) await say(ann, chat, text)
  const unread = async (who: Person) => (await as(who, 'GET', '/chats')).body[0].unread
  assert.deepEqual([await unread(ann), await unread(bob)], [0, 3])
  const read = (position: number) => as(bob, 'PUT', `/chats/${chat}/position`, { position })
  assert.deepEqual((await read(2)).body, { position: 2 })
  assert.deepEqual((await read(1)).body, { position: 2 })
  assert.equal(await unread(bob), 1)
  assert.deepEqual((await read(99)).body, { position: 3 })
  assert.equal(await unread(bob), 0)
  await say(bob, chat, 'd')
  assert.deepEqual([await unread(ann), await unread(bob)], [1, 0])
  const positions = (await as(ann, 'GET', `/chats/${chat}/positions`)).body.data
  assert.deepEqual(
    positions.map(({ user_id, position }: Record<string, number>) => [user_id, position]),
    [
      [ann.id, 3],
      [bob.id, 4],
    ].sort(([one = 0], [other = 0]) => one - other),
  )
})

test('stores a message to a group of twelve members as one row', async () => {
  const [owner, ...members] = await Promise.all(Array.from({ length: 12 }, () => person()))
  const group = await makeGroup(owner!, { members: members.map(({ id }) => id).join(',') })
  const { id: chat } = (await as(owner!, 'PUT', `/chats/groups/${group}`)).body
  const count = async () =>
    Number(
      (await sql<[{ n: number }]>`select count(*)::int as n from chat_messages where chat_id = ${chat}`)[0].n,
    )
  const before = await count()
  await say(owner!, chat, 'To all')
  assert.equal(await count(), before + 1)
  const [row] = await sql<
    [{ n: number }]
  >`select count(*)::int as n from chat_members where chat_id = ${chat}`
  assert.equal(row.n, 1)
  for (const member of members) assert.equal((await as(member, 'GET', '/chats')).body[0].unread, before + 1)
})

test('omits the read position of a former member of the group', async () => {
  const [owner, ann, bob] = [await person(), await person(), await person()]
  const group = await makeGroup(owner, { members: `${ann.id},${bob.id}` })
  const { id: chat } = (await as(owner, 'PUT', `/chats/groups/${group}`)).body
  for (const who of [owner, ann, bob]) await say(who, chat, 'Here')
  const readers = async () => {
    const { data } = (await as(owner, 'GET', `/chats/${chat}/positions`)).body
    return data.map(({ user_id }: { user_id: number }) => user_id)
  }
  assert.deepEqual(await readers(), [owner.id, ann.id, bob.id])
  await as(bob, 'DELETE', '/im/group/member', { im_group_id: Number(group), members: String(bob.id) })
  assert.deepEqual(await readers(), [owner.id, ann.id])
})

test('hides messages sent before the viewer joined the group (im-11)', async () => {
  const [owner, ann, bob] = [await person(), await person(), await person()]
  const group = await makeGroup(owner, { members: String(ann.id) })
  const { id: chat } = (await as(owner, 'PUT', `/chats/groups/${group}`)).body
  await say(owner, chat, 'Before')
  assert.equal((await as(bob, 'PUT', `/chats/groups/${group}`)).status, 404)
  await as(owner, 'POST', '/im/group/member', { im_group_id: Number(group), members: String(bob.id) })
  await say(owner, chat, 'After')
  assert.ok(!(await textsOf(bob, chat)).includes('Before'))
  assert.ok((await textsOf(bob, chat)).includes('After'))
  assert.ok((await textsOf(ann, chat)).includes('Before'))
  assert.equal((await as(bob, 'DELETE', `/chats/${chat}`)).status, 204)
  assert.equal((await as(bob, 'GET', `/chats/${chat}`)).status, 404)
  assert.equal((await send(bob, chat, { body: 'Still here' })).status, 404)
  assert.equal(code(await as(owner, 'DELETE', `/chats/${chat}`)), 'im_owner_stays')
})

test("stores each announcement of a group as a message in the group's conversation", async () => {
  const [owner, ann] = [await person(), await person()]
  const group = await makeGroup(owner)
  await as(owner, 'POST', '/im/group/member', { im_group_id: Number(group), members: String(ann.id) })
  await work()
  const { id: chat } = (await as(owner, 'PUT', `/chats/groups/${group}`)).body
  const { data } = (await as(owner, 'GET', `/chats/${chat}/messages`)).body
  assert.deepEqual(
    data.map(({ sender_id, ext }: { sender_id: number; ext: { type: string } }) => [sender_id, ext.type]),
    [
      [0, 'ts_group_create'],
      [0, 'ts_user_join'],
    ],
  )
})

test('lets only the sender edit and delete a message, within the time limit (im-13)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  const [one, two, old] = [
    await say(ann, chat, 'one'),
    await say(ann, chat, 'two'),
    await say(ann, chat, 'old'),
  ]
  const path = (id: number) => `/chats/${chat}/messages/${id}`
  assert.equal((await as(bob, 'PATCH', path(one.id), { body: 'x' })).status, 403)
  assert.equal((await as(bob, 'DELETE', path(one.id))).status, 403)
  const edited = await as(ann, 'PATCH', path(one.id), { body: 'One' })
  assert.deepEqual([edited.status, edited.body.body], [200, 'One'])
  assert.ok(edited.body.edited_at)
  assert.equal((await as(ann, 'DELETE', path(two.id))).status, 204)
  await sql`update chat_messages set created_at = now() - interval '11 minutes' where id = ${old.id}`
  assert.equal(code(await as(ann, 'PATCH', path(old.id), { body: 'x' })), 'message_too_old')
  assert.equal(code(await as(ann, 'DELETE', path(old.id))), 'message_too_old')
  assert.deepEqual(await textsOf(bob, chat), ['One', '', 'old'])
})

test('accepts replies, mentions, files and links in a message (im-12)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const chat = await pair(ann, bob)
  const first = await say(ann, chat, 'first')
  const other = await say(ann, await pair(ann, eve), 'elsewhere')
  const file = await uploadPicture(world, ann)
  const feed = (await as(ann, 'POST', '/feeds', { feed_from: 1, feed_mark: 1, feed_content: 'Hi' })).body.id
  const sent = await send(ann, chat, {
    file,
    link: { type: 'feeds', id: feed },
    reply_to: first.id,
    mentions: [bob.id, eve.id],
  })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  assert.deepEqual(
    [sent.body.file.id, sent.body.link, sent.body.reply_to, sent.body.mentions],
    [file, { type: 'feeds', id: feed }, first.id, [bob.id]],
  )
  assert.equal((await as(bob, 'GET', `/files/${file}?json=1`)).status, 200)
  assert.equal((await as(eve, 'GET', `/files/${file}?json=1`)).status, 404)
  assert.equal(code(await send(ann, chat, {})), 'message_empty')
  assert.equal((await send(ann, chat, { body: 'x', reply_to: other.id })).status, 422)
  assert.equal((await send(ann, chat, { body: 'x', file })).status, 422)
  for (const link of [
    { type: 'feeds', id: 99_999_999 },
    { type: 'constructor', id: 1 },
  ])
    assert.equal((await send(ann, chat, { link })).status, 422)
})

test('rejects private messages between two users when one blocks the other (im-14)', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  const group = await makeGroup(ann, { members: String(bob.id) })
  const { id: shared } = (await as(ann, 'PUT', `/chats/groups/${group}`)).body
  await as(ann, 'POST', `/user/black/${bob.id}`)
  for (const who of [ann, bob]) assert.equal((await send(who, chat, { body: 'x' })).status, 403)
  await say(bob, shared, 'from bob')
  assert.ok(!(await textsOf(ann, shared)).includes('from bob'))
  assert.ok((await textsOf(bob, shared)).includes('from bob'))
  const lastOf = async (who: Person) =>
    (await as(who, 'GET', '/chats')).body.find(({ id }: { id: number }) => id === shared).last_message
  assert.equal(await lastOf(ann), null)
  assert.equal((await lastOf(bob)).body, 'from bob')
})

test('does not deliver a group message to a member who blocks its sender (im-14)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const group = await makeGroup(ann, { members: String(bob.id) })
  const { id: shared } = (await as(ann, 'PUT', `/chats/groups/${group}`)).body
  await as(ann, 'POST', `/user/black/${bob.id}`)
  const stream = await openChatStream(base, ann.token)
  await say(bob, shared, 'from bob')
  await say(eve, await pair(eve, ann), 'from eve')
  await until(() => stream.messages.some(({ body }) => body === 'from eve'), 'a later message')
  assert.ok(!stream.messages.some(({ body }) => body === 'from bob'))
  stream.close()
})

test('hides a conversation from the member who cleared it until the next message', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  await say(bob, chat, 'old')
  assert.equal((await as(ann, 'DELETE', `/chats/${chat}`)).status, 204)
  assert.deepEqual((await as(ann, 'GET', '/chats')).body, [])
  assert.equal((await as(bob, 'GET', '/chats')).body.length, 1)
  await say(bob, chat, 'new')
  assert.deepEqual(await textsOf(ann, chat), ['new'])
  assert.deepEqual(await textsOf(bob, chat), ['old', 'new'])
})

test("searches only the viewer's conversations", async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const [chat, other] = [await pair(ann, bob), await pair(bob, eve)]
  await say(ann, chat, 'Meet at 100% noon')
  await say(eve, other, 'Meet at midnight')
  const found = async (who: Person, query: string) =>
    (await as(who, 'GET', `/chats/messages?q=${query}`)).body.data.map(({ body }: { body: string }) => body)
  assert.deepEqual(await found(ann, 'meet'), ['Meet at 100% noon'])
  assert.deepEqual(await found(bob, 'meet'), ['Meet at midnight', 'Meet at 100% noon'])
  assert.deepEqual(await found(bob, `meet&chat=${chat}`), ['Meet at 100% noon'])
  assert.deepEqual(await found(ann, '0%25'), ['Meet at 100% noon'])
  assert.deepEqual(await found(ann, '%25%25'), [])
})

test('shows moderators a reported message with five messages before and after it (im-16)', async () => {
  const [ann, bob, eve, admin] = [
    await person(),
    await person(),
    await person(),
    await person({ roles: ['founder'] }),
  ]
  const chat = await pair(ann, bob)
  const numbered = async (text: string) => {
    const messages = []
    for (let n = 0; n < 6; n += 1) messages.push(await say(ann, chat, `${text} ${n}`))
    return messages
  }
  const before = await numbered('before')
  const bad = await say(ann, chat, 'insult')
  const after = await numbered('after')
  const context = (id: number) => as(admin, 'GET', `/admin/chat-messages/${id}`)
  assert.equal((await context(bad.id)).status, 404)
  const report = (who: Person) => as(who, 'POST', `/chats/messages/${bad.id}/reports`, { reason: 'rude' })
  assert.equal((await report(eve)).status, 404)
  assert.equal((await report(bob)).status, 201)
  const shown = (await context(bad.id)).body
  assert.deepEqual(
    [shown.message.body, shown.context.map(({ id }: { id: number }) => id)],
    ['insult', [...before.slice(1), ...after.slice(0, 5)].map(({ id }) => id)],
  )
  assert.equal((await context(before[5].id)).status, 404)
  assert.equal((await as(bob, 'GET', `/admin/chat-messages/${bad.id}`)).status, 403)
  const [listed] = (await as(admin, 'GET', '/admin/reports?type=chat-messages')).body.data
  assert.deepEqual([listed.subject, listed.target_user], ['insult', ann.id])
  const decided = await as(admin, 'PATCH', `/admin/reports/${listed.id}`, { action: 'deal', remove: true })
  assert.ok(decided.status < 300, JSON.stringify(decided.body))
  const texts = [...before.map(({ body }) => body), '', ...after.map(({ body }) => body)]
  assert.deepEqual(await textsOf(bob, chat), texts)
})

test('returns a chat file to members, and to moderators within five messages of a report (im-16)', async () => {
  const [ann, bob, eve, admin] = [
    await person(),
    await person(),
    await person(),
    await person({ roles: ['founder'] }),
  ]
  const chat = await pair(ann, bob)
  const earlier = []
  for (let n = 0; n < 6; n += 1) earlier.push(await say(ann, chat, `before ${n}`))
  const file = await uploadPicture(world, ann)
  assert.equal((await send(ann, chat, { file })).status, 201)
  const later = []
  for (let n = 0; n < 6; n += 1) later.push(await say(ann, chat, `after ${n}`))
  const read = async (who = admin) => (await as(who, 'GET', `/files/${file}?json=1`)).status
  const report = async (message: { id: number }) => {
    const answer = await as(bob, 'POST', `/chats/messages/${message.id}/reports`, { reason: 'rude' })
    assert.equal(answer.status, 201)
  }
  for (const member of [ann, bob]) assert.equal(await read(member), 200)
  assert.equal(await read(), 404)
  await report(later[5])
  await report(earlier[0])
  assert.equal(await read(), 404)
  await report(later[4])
  assert.equal(await read(), 200)
  assert.equal(await read(eve), 404)
})

test('deletes the files of a group with the group', async () => {
  const [owner, member] = [await person(), await person()]
  const id = await makeGroup(owner, { members: String(member.id) })
  const { body: chat } = await as(owner, 'PUT', `/chats/groups/${id}`)
  const file = await uploadPicture(world, member)
  const sent = await send(member, chat.id, { body: `@${owner.name}`, file })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  assert.equal((await as(owner, 'DELETE', '/im/group', { im_group_id: Number(id) })).status, 204)
  await world.work()
  const left = await sql`
    select id from files where id = ${file}
    union all select content_id from mentions where content_type = 'chat-messages' and content_id = ${sent.body.id}`
  assert.equal(left.length, 0)
})

test('deletes messages after the retention period', async () => {
  const [ann, bob, admin] = [await person(), await person(), await person({ roles: ['founder'] })]
  const chat = await pair(ann, bob)
  const old = await say(ann, chat, 'old')
  await say(ann, chat, 'new')
  await sql`update chat_messages set created_at = now() - interval '40 days' where id = ${old.id}`
  await deleteExpiredMessages(ctx)
  assert.deepEqual(await textsOf(bob, chat), ['old', 'new'])
  await as(admin, 'PATCH', '/admin/settings', { 'chat:keep-days': 30 })
  await deleteExpiredMessages(ctx)
  assert.deepEqual(await textsOf(bob, chat), ['new'])
  await as(admin, 'PATCH', '/admin/settings', { 'chat:keep-days': 0 })
})

test('applies the settings for the edit time limit and for read positions', async () => {
  const [ann, bob, admin] = [await person(), await person(), await person({ roles: ['founder'] })]
  const chat = await pair(ann, bob)
  const { id } = await say(ann, chat, 'one')
  const set = (settings: object) => as(admin, 'PATCH', '/admin/settings', settings)
  await set({ 'chat:edit-minutes': 0, 'chat:seen': false })
  assert.equal(code(await as(ann, 'DELETE', `/chats/${chat}/messages/${id}`)), 'message_too_old')
  await as(bob, 'PUT', `/chats/${chat}/position`, { position: 1 })
  const shown = (await as(ann, 'GET', `/chats/${chat}/positions`)).body.data
  assert.deepEqual(
    shown.map(({ user_id }: { user_id: number }) => user_id),
    [ann.id],
  )
  await set({ 'chat:edit-minutes': 10, 'chat:seen': true })
})

test('mutes a conversation only for the member who requested it', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  assert.equal((await as(ann, 'PATCH', `/chats/${chat}`, { muted: true })).status, 204)
  const muted = async (who: Person) => (await as(who, 'GET', `/chats/${chat}`)).body.muted
  assert.deepEqual([await muted(ann), await muted(bob)], [true, false])
})

test('clears the texts of messages when the account of their sender is erased', async () => {
  const [ann, bob] = [await person(), await person()]
  const chat = await pair(ann, bob)
  await say(ann, chat, 'secret')
  await say(bob, chat, 'reply')
  await transaction(sql, (tx) => eraseMessages(tx, ann.id))
  assert.deepEqual(await textsOf(bob, chat), ['', 'reply'])
})

test('returns 404 for conversations when an external provider delivers messages', async () => {
  const ann = await person()
  ctx.config.imProvider = 'easemob'
  try {
    for (const path of ['/chats', '/chats/1', '/chats/messages?q=ab']) {
      const answer = await as(ann, 'GET', path)
      assert.deepEqual([answer.status, code(answer)], [404, 'chat_elsewhere'], path)
    }
  } finally {
    ctx.config.imProvider = 'embedded'
  }
})

test('counts unread messages of all conversations, except of muted and cleared ones (im-11)', async () => {
  const bob = await person()
  const count = async () => (await as(bob, 'GET', '/chats/unread')).body
  assert.deepEqual(await count(), { unread: 0 })
  const chats: number[] = []
  // More conversations than a page of the list has.
  for (let n = 0; n < 32; n += 1) {
    const other = await person()
    const chat = await pair(other, bob)
    await say(other, chat, 'Hello')
    if (n < 3) await say(other, chat, 'Are you there?')
    chats.push(chat)
  }
  assert.deepEqual(await count(), { unread: 35 })
  assert.equal((await as(bob, 'PATCH', `/chats/${chats[0]}`, { muted: true })).status, 204)
  assert.deepEqual(await count(), { unread: 33 })
  assert.ok((await as(bob, 'DELETE', `/chats/${chats[1]}`)).status < 300)
  assert.deepEqual(await count(), { unread: 31 })
  assert.ok((await as(bob, 'PUT', `/chats/${chats[2]}/position`, { position: 1 })).status < 300)
  assert.deepEqual(await count(), { unread: 30 })
})
