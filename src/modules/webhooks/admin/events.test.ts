import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { groupMaker } from '#test/fixtures/groups.ts'
import { certify, createCategory, createNews, createTag, givePoints } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { type Answer, createWorld } from '#test/world.ts'
import { EVENTS } from '../service.ts'

const world = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
const { as, guest, person, sql, work } = world
const admin = await person({ roles: ['founder', 'owner'] })
const [anna, ben] = [await person(), await person()]
const { group, join, post } = groupMaker(world)
const { ask, answer } = questionsOf(world)
for (const each of [anna, ben]) await givePoints(world, each, 1000)
await certify(world, anna)
const category = await createCategory(world, admin)
const tag = await createTag(world)
const url = 'http://127.0.0.1:9/hook'
assert.equal((await as(admin, 'POST', '/admin/webhooks', { url })).status, 201)

type Event = { type: string; data: Record<string, unknown> }
let seen = 0
async function published(): Promise<Event[]> {
  const rows = await sql<{ id: number; type: string; body: string }[]>`
    select id, type, body from webhook_events where id > ${seen} order by id`
  seen = rows.at(-1)?.id ?? seen
  return rows
    .filter(({ type }) => type !== 'notification.created')
    .map(({ type, body }) => ({ type, data: JSON.parse(body).data }))
}
const types = new Set(['notification.created'])
const assertPublished = async (...events: Event[]) => {
  assert.deepEqual(await published(), events)
  for (const { type } of events) types.add(type)
}
const made = (reply: Answer): Answer => {
  assert.ok(reply.status < 300, `${reply.status} ${JSON.stringify(reply.body)}`)
  return reply
}
let marks = 0
const feed = async (more: object = {}): Promise<number> => {
  marks += 1
  const body = { feed_content: 'My feed', feed_from: 1, feed_mark: marks, ...more }
  return made(await as(anna, 'POST', '/feeds', body)).body.id
}

test('publishes events of users, feeds, comments, rewards and purchases', async () => {
  const password = 'long enough for it'
  const { id: user } = made(await as(admin, 'POST', '/admin/users', { name: 'newcomer', password })).body
  await assertPublished({ type: 'user.created', data: { id: user, name: 'newcomer' } })

  const id = await feed({ feed_content: '一'.repeat(60), amount: 30 })
  await assertPublished({ type: 'feed.created', data: { id, user_id: anna.id } })
  const { comment } = made(await as(anna, 'POST', `/feeds/${id}/comments`, { body: 'So' })).body
  const told = { id: comment.id, user_id: anna.id, commentable: { type: 'feeds', id } }
  await assertPublished({ type: 'comment.created', data: told })
  made(await as(anna, 'DELETE', `/feeds/${id}/comments/${comment.id}`))
  const { user_id: _, ...gone } = told
  await assertPublished({ type: 'comment.deleted', data: gone })
  made(await as(ben, 'POST', `/feeds/${id}/new-rewards`, { amount: 5 }))
  const reward = { rewardable: { type: 'feeds', id }, user_id: ben.id, amount: 5 }
  await assertPublished({ type: 'reward.created', data: reward })

  const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
  const pay = () => as(ben, 'POST', `/currency/purchases/${node}`)
  const answers = await Promise.all([pay(), pay(), pay()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  const bought = { node, channel: 'feed', raw: id, amount: 30, currency: 'points' }
  await assertPublished({ type: 'purchase.created', data: bought })
  made(await as(anna, 'DELETE', `/feeds/${id}/currency`))
  await assertPublished({ type: 'feed.deleted', data: { id, deleted_by: anna.id } })
})

test('publishes an event when a topic is created or deleted', async () => {
  const { id } = made(await as(anna, 'POST', '/feed/topics', { name: 'Chess' })).body
  const { id: second } = made(await as(admin, 'POST', '/admin/feed-topics', { name: 'Go' })).body
  made(await as(admin, 'DELETE', `/admin/feed-topics/${second}`))
  await assertPublished(
    { type: 'topic.created', data: { id, user_id: anna.id, status: 'passed' } },
    { type: 'topic.created', data: { id: second, user_id: admin.id, status: 'passed' } },
    { type: 'topic.deleted', data: { id: second, deleted_by: admin.id } },
  )
})

test('publishes an event of an article only when the article is published or deleted', async () => {
  const draft = { title: 'My story', content: 'Once', tags: `${tag}` }
  const path = `/news/categories/${category}/currency-news`
  const { id } = made(await as(anna, 'POST', path, draft)).body
  await assertPublished()
  made(await as(admin, 'PATCH', `/admin/news/${id}`, { audit_status: 0 }))
  const second = await createNews(world, admin, ben, { category_id: category })
  await assertPublished(
    { type: 'news.published', data: { id, user_id: anna.id } },
    { type: 'news.published', data: { id: second, user_id: ben.id } },
  )
  made(await as(admin, 'DELETE', `/admin/news/${second}`))
  await assertPublished({ type: 'news.deleted', data: { id: second, user_id: ben.id } })
  made(await as(anna, 'DELETE', `/news/categories/${category}/news/${id}`))
  const [request] = (await as(admin, 'GET', '/admin/news/deletions')).body.data
  await assertPublished()
  made(await as(admin, 'PATCH', `/admin/news/deletions/${request.id}`, { action: 'accept' }))
  await assertPublished({ type: 'news.deleted', data: { id, user_id: anna.id } })
})

test('names the author in events of new questions and answers unless the author is anonymous', async () => {
  await published()
  const id = await ask(anna)
  const hidden = await ask(anna, { anonymity: true })
  const reply = await answer(ben, id)
  await assertPublished(
    { type: 'question.created', data: { id, user_id: anna.id } },
    { type: 'question.created', data: { id: hidden } },
    { type: 'answer.created', data: { id: reply, question_id: id, user_id: ben.id } },
  )
  made(await as(ben, 'DELETE', `/question-answers/${reply}`))
  made(await as(anna, 'DELETE', `/questions/${id}`))
  await assertPublished(
    { type: 'answer.deleted', data: { id: reply, question_id: id } },
    { type: 'question.deleted', data: { id } },
  )
})

test('publishes events of groups and of their posts', async () => {
  await published()
  const id = await group(anna)
  await join(id, anna, ben)
  await assertPublished({ type: 'group.created', data: { id } })
  const [one, two] = [await post(ben, id), await post(ben, id)]
  made(await as(anna, 'DELETE', `/groups/${id}/posts/${one}`))
  made(await as(admin, 'DELETE', `/admin/group-posts/${two}`))
  made(await as(admin, 'DELETE', `/admin/groups/${id}`))
  const of = { group_id: id }
  await assertPublished(
    { type: 'post.created', data: { id: one, ...of, user_id: ben.id } },
    { type: 'post.created', data: { id: two, ...of, user_id: ben.id } },
    { type: 'post.deleted', data: { id: one, ...of } },
    { type: 'post.deleted', data: { id: two, ...of } },
    { type: 'group.deleted', data: { id } },
  )
})

test('omits the sender from events of chat messages', async () => {
  const { id: chat } = (await as(anna, 'PUT', `/chats/people/${ben.id}`)).body
  const sent = await as(anna, 'POST', `/chats/${chat}/messages`, { body: 'Hello' })
  await assertPublished({ type: 'message.created', data: { id: sent.body.id, chat_id: chat } })
})

test('publishes the deletion of an account when its data are erased', async () => {
  const carl = await person()
  made(await as(carl, 'DELETE', '/user', { name: carl.name }))
  await assertPublished()
  await sql`update account_deletions set due_at = now() where user_id = ${carl.id}`
  await addJob(sql, 'erase_accounts', {})
  await work()
  await assertPublished({ type: 'user.deleted', data: { id: carl.id } })
})

test('publishes an event when an administrator pings a webhook endpoint', async () => {
  const [{ id }] = (await as(admin, 'GET', '/admin/webhooks')).body.data
  made(await as(admin, 'POST', `/admin/webhooks/${id}/ping`))
  await assertPublished({ type: 'webhook.ping', data: { endpoint: id } })
})

test('publishes only documented fields of webhook events (notifications-14)', async () => {
  const text = await readFile(new URL('../../../../docs/notifications.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `([a-z]+\.[a-z]+)` \|[^|]*\| ([^|]*) \|/gm)]
  const listed = rows.map(([, type, fields = '']) => [
    type,
    [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  ])
  assert.deepEqual(Object.fromEntries(listed), EVENTS)
  assert.deepEqual(types, new Set(Object.keys(EVENTS)))
  const events = await sql<
    { type: keyof typeof EVENTS; body: string }[]
  >`select type, body from webhook_events`
  for (const { type, body } of events)
    for (const field of Object.keys(JSON.parse(body).data))
      assert.ok([...EVENTS[type], 'link'].includes(field), `${type} carries ${field}`)
})
