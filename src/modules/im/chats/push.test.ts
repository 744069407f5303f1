import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { createWorld, type Person } from '#test/world.ts'
import { pushSender } from '../../notifications/push/push-services.ts'
import type { PushMessage } from '../../notifications/push/sender.ts'

const world = await createWorld()
const { as, person, sql, ctx, work } = world
const { makeGroup } = imGroupsOf(world)
const sent: PushMessage[] = []
pushSender(ctx).send = async (messages) => {
  sent.push(...messages)
  return { gone: [] }
}
const to = (token: string) => sent.filter((message) => message.token === token)
const device = (who: Person, token: string) => as(who, 'PUT', '/user/devices', { token, platform: 'android' })
const push = async () => {
  await sql`update graphile_worker._private_jobs set run_at = now()`
  await work()
}
async function conversation(name: string) {
  const [ann, bob] = [await person(), await person()]
  await device(ann, `${name}-ann`)
  await device(bob, `${name}-bob`)
  const { id } = (await as(ann, 'PUT', `/chats/people/${bob.id}`)).body
  const send = (who: Person, body: string) => as(who, 'POST', `/chats/${id}/messages`, { body })
  return { ann, bob, id, send }
}

test('omits the text of a chat message from its push notification by default (im-17)', async () => {
  const { ann, id, send } = await conversation('plain')
  await send(ann, 'one')
  await send(ann, 'two')
  await push()
  assert.deepEqual(
    to('plain-bob').map(({ title, text, data }) => ({ title, text, data })),
    [{ title: ann.name, text: '', data: { id, type: 'chat' } }],
  )
  assert.deepEqual(to('plain-ann'), [])
})

test('includes the text of a chat message in its push notification when `chat:push-text` is on', async () => {
  const admin = await person({ roles: ['founder'] })
  const { ann, send } = await conversation('open')
  await as(admin, 'PATCH', '/admin/settings', { 'chat:push-text': true })
  await send(ann, 'A word')
  await push()
  await as(admin, 'PATCH', '/admin/settings', { 'chat:push-text': false })
  assert.equal(to('open-bob')[0]?.text, 'A word')
})

test('sends no push notification to members who read or muted the conversation or disabled chat pushes (im-17)', async () => {
  const read = await conversation('read')
  await read.send(read.ann, 'seen at once')
  await as(read.bob, 'PUT', `/chats/${read.id}/position`, { position: 1 })
  const muted = await conversation('muted')
  await as(muted.bob, 'PATCH', `/chats/${muted.id}`, { muted: true })
  await muted.send(muted.ann, 'quiet')
  const off = await conversation('off')
  await as(off.bob, 'PUT', '/user/push/preferences', { off: ['chat'], text: true, quiet: null })
  await off.send(off.ann, 'off')
  await push()
  assert.deepEqual([...to('read-bob'), ...to('muted-bob'), ...to('off-bob')], [])
})

test('enqueues no push job when no other member has a device', async () => {
  const [ann, bob] = [await person(), await person()]
  await device(ann, 'only-ann')
  const { id } = (await as(ann, 'PUT', `/chats/people/${bob.id}`)).body
  await as(ann, 'POST', `/chats/${id}/messages`, { body: 'Hello' })
  const jobs = await sql`select from graphile_worker.jobs where key = ${`push_chat:${id}`}`
  assert.equal(jobs.length, 0)
})

test('pushes the message before a deleted one, and the message before one of a blocked sender (im-17)', async () => {
  const { ann, bob, id, send } = await conversation('before')
  await send(ann, 'Hello')
  const mistake = (await send(ann, 'Sent by mistake')).body
  assert.equal((await as(ann, 'DELETE', `/chats/${id}/messages/${mistake.id}`)).status, 204)
  await push()
  assert.deepEqual(
    to('before-bob').map(({ title }) => title),
    [ann.name],
  )
  const admin = await person({ roles: ['founder'] })
  await as(admin, 'PATCH', '/admin/settings', { 'chat:push-text': true })
  const [carl, dora] = [await person(), await person()]
  await device(dora, 'before-dora')
  const group = await makeGroup(bob, { members: `${carl.id},${dora.id}` })
  await as(dora, 'POST', `/user/black/${carl.id}`)
  const chat = (await as(bob, 'PUT', `/chats/groups/${group}`)).body.id
  assert.equal((await as(bob, 'POST', `/chats/${chat}/messages`, { body: 'From Bob' })).status, 201)
  assert.equal((await as(carl, 'POST', `/chats/${chat}/messages`, { body: 'From Carl' })).status, 201)
  await push()
  await as(admin, 'PATCH', '/admin/settings', { 'chat:push-text': false })
  assert.deepEqual(
    to('before-dora').map(({ text }) => text),
    ['From Bob'],
  )
})

test('pushes no message a second time when a later one is deleted (im-17)', async () => {
  const { ann, id, send } = await conversation('again')
  await send(ann, 'Pushed before')
  await push()
  await sql`update chat_messages set created_at = created_at - interval '4 seconds' where chat_id = ${id}`
  const mistake = (await send(ann, 'Sent by mistake')).body
  assert.equal((await as(ann, 'DELETE', `/chats/${id}/messages/${mistake.id}`)).status, 204)
  await push()
  assert.equal(to('again-bob').length, 1)
})
