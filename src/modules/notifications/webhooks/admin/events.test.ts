import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { addJob } from '#platform/jobs.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { certify, createCategory, createNews, createTag, givePoints } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { type Answer, createWorld } from '#test/world.ts'
import { EVENT_TYPES } from '../types.ts'

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
/** What was published since the last look, notifications apart. */
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

test('people, feeds, comments, rewards and purchases are told of', async () => {
  const password = 'long enough for it'
  const { id: user } = made(await as(admin, 'POST', '/admin/users', { name: 'newcomer', password })).body
  await assertPublished({ type: 'user.created', data: { id: user, name: 'newcomer' } })

  const id = await feed({ feed_content: '一'.repeat(60), amount: 30 })
  await assertPublished({ type: 'feed.created', data: { id, user_id: anna.id } })
  const { comment } = made(await as(anna, 'POST', `/feeds/${id}/comments`, { body: 'So' })).body
  const told = { id: comment.id, user_id: anna.id, commentable: { type: 'feeds', id } }
  await assertPublished({ type: 'comment.created', data: told })
  made(await as(anna, 'DELETE', `/feeds/${id}/comments/${comment.id}`))
  await assertPublished({ type: 'comment.deleted', data: told })
  made(await as(ben, 'POST', `/feeds/${id}/new-rewards`, { amount: 5 }))
  const reward = { rewardable: { type: 'feeds', id }, user_id: ben.id, amount: 5 }
  await assertPublished({ type: 'reward.created', data: reward })

  const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
  const pay = () => as(ben, 'POST', `/currency/purchases/${node}`)
  const answers = await Promise.all([pay(), pay(), pay()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  const bought = { node, channel: 'feed', raw: id, user_id: ben.id, amount: 30, currency: 'points' }
  await assertPublished({ type: 'purchase.created', data: bought })
  made(await as(anna, 'DELETE', `/feeds/${id}/currency`))
  await assertPublished({ type: 'feed.deleted', data: { id, deleted_by: anna.id } })
})

test('topics are told of, whoever makes them', async () => {
  const { id } = made(await as(anna, 'POST', '/feed/topics', { name: 'Chess' })).body
  const { id: second } = made(await as(admin, 'POST', '/admin/feed-topics', { name: 'Go' })).body
  made(await as(admin, 'DELETE', `/admin/feed-topics/${second}`))
  await assertPublished(
    { type: 'topic.created', data: { id, user_id: anna.id, status: 'passed' } },
    { type: 'topic.created', data: { id: second, user_id: admin.id, status: 'passed' } },
    { type: 'topic.deleted', data: { id: second, deleted_by: admin.id } },
  )
})

test('articles are told of when they are published, not when they are sent in, and when they go', async () => {
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

test('questions and answers are told of, without a name where there is none', async () => {
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

test('groups and their posts are told of', async () => {
  await published()
  const id = await group(anna)
  await join(id, anna, ben)
  await assertPublished({ type: 'group.created', data: { id, user_id: anna.id } })
  const [one, two] = [await post(ben, id), await post(ben, id)]
  made(await as(anna, 'DELETE', `/groups/${id}/posts/${one}`))
  made(await as(admin, 'DELETE', `/admin/group-posts/${two}`))
  made(await as(admin, 'DELETE', `/admin/groups/${id}`))
  const of = { group_id: id }
  await assertPublished(
    { type: 'post.created', data: { id: one, ...of, user_id: ben.id } },
    { type: 'post.created', data: { id: two, ...of, user_id: ben.id } },
    { type: 'post.deleted', data: { id: one, ...of, deleted_by: anna.id } },
    { type: 'post.deleted', data: { id: two, ...of, deleted_by: admin.id } },
    { type: 'group.deleted', data: { id } },
  )
})

test('an erased account is told of when it is erased', async () => {
  const carl = await person()
  made(await as(carl, 'DELETE', '/user', { name: carl.name }))
  await assertPublished()
  await sql`update account_deletions set due_at = now() where user_id = ${carl.id}`
  await addJob(sql, 'erase_accounts', {})
  await work()
  await assertPublished({ type: 'user.deleted', data: { id: carl.id } })
})

test('an endpoint can be pinged', async () => {
  const [{ id }] = (await as(admin, 'GET', '/admin/webhooks')).body.data
  made(await as(admin, 'POST', `/admin/webhooks/${id}/ping`))
  await assertPublished({ type: 'webhook.ping', data: { endpoint: id } })
})

test('every type that there is was published, and the documentation names them all', async () => {
  const text = await readFile(new URL('../../../../../docs/notifications.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('## Webhooks'))
  const named = [...section.matchAll(/`([a-z]+\.(?:created|deleted|published|ping))`/g)].map(
    ([, type]) => type,
  )
  assert.deepEqual(types, new Set<string>(EVENT_TYPES))
  assert.deepEqual(new Set(named), types)
})
