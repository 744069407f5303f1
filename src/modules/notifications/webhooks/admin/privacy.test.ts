import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'

const world = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true', PUBLIC_WEB_URL: 'https://app.example' })
const { as, guest, person, sql, work } = world
// Gives user ids a range of their own, so that a number in an event identifies a user.
await sql`select setval(pg_get_serial_sequence('users', 'id'), 5000000)`
const { group, join, post } = groupMaker(world)
const { rich, ask, answer } = questionsOf(world)
const admin = await person({ roles: ['founder', 'owner'] })
const { body: hook } = await as(admin, 'POST', '/admin/webhooks', { url: 'http://127.0.0.1:9/hook' })

const made = (reply: Answer): Answer => {
  assert.ok(reply.status < 300, `${reply.status} ${JSON.stringify(reply.body)}`)
  return reply
}
const SECRET = 'SECRETWORD'
const at = ({ name }: Person) => `\u00ad@${name}\u00ad`

const seen = new Set<string>()
async function told(): Promise<{ types: Set<string>; text: string }> {
  await work()
  const rows = await sql<{ type: string; body: string }[]>`select type, body from webhook_events order by id`
  const events = rows.filter(({ body }) => !seen.has(body))
  const { body: page } = await as(admin, 'GET', `/admin/webhooks/${hook.id}/deliveries?limit=100`)
  const views = await Promise.all(
    page.data.map(({ id }: { id: number }) =>
      as(admin, 'GET', `/admin/webhooks/${hook.id}/deliveries/${id}`),
    ),
  )
  const details = views.map(({ body }) => body).filter(({ body }) => !seen.has(body))
  for (const { body } of rows) seen.add(body)
  assert.ok(details.length > 0)
  return { types: new Set(events.map(({ type }) => type)), text: JSON.stringify([events, details]) }
}
function assertUntold(text: string, people: Person[]) {
  assert.doesNotMatch(text, new RegExp(SECRET))
  for (const { id, name } of people) {
    assert.ok(!text.includes(String(id)), `tells of ${id}`)
    assert.ok(!text.includes(name), `tells of ${name}`)
  }
}

test('publishes neither texts nor members of closed groups (notifications-14)', async () => {
  const [founder, ann, ben] = await Promise.all([rich(), rich(), rich()])
  for (const mode of ['private', 'paid']) {
    const id = await group(founder, {
      name: `${SECRET} ${mode}`,
      mode,
      ...(mode === 'paid' ? { money: 1 } : {}),
    })
    await join(id, founder, ann)
    await join(id, founder, ben)
    const { text: atFirst } = await told()
    assertUntold(atFirst, [ann, ben])
    const mention = `${SECRET} ${at(ben)}`
    const postId = await post(ann, id, { title: SECRET, body: mention })
    const path = `/group-posts/${postId}`
    const { comment } = made(await as(ben, 'POST', `${path}/comments`, { body: `${SECRET} ${at(ann)}` })).body
    made(await as(ann, 'POST', `${path}/comments`, { body: SECRET, reply_user: ben.id }))
    made(await as(ben, 'POST', `${path}/likes`))
    made(await as(ben, 'POST', `${path}/new-rewards`, { amount: 5 }))
    made(await as(ben, 'POST', `/reports/posts/${postId}`, { content: SECRET }))
    const { body: reports } = await as(founder, 'GET', `/reports?group_id=${id}`)
    made(await as(founder, 'PATCH', `/reports/${reports[0].id}/accept`))
    for (const [who, decider, content] of [
      [ann, founder, `posts/${postId}`],
      [ben, ann, `comments/${comment.id}`],
    ] as const) {
      made(await as(who, 'POST', `/currency-pinned/${content}`, { amount: 1, day: 1 }))
      made(await as(decider, 'PATCH', `/currency-pinned/${content}/accept`))
    }
    const { types: before, text: asked } = await told()
    assertUntold(asked, [founder, ann, ben])
    made(await as(ben, 'DELETE', `${path}/comments/${comment.id}`))
    made(await as(ann, 'DELETE', `/groups/${id}/posts/${postId}`))
    made(await as(ben, 'DELETE', `/groups/${id}/exit`))
    made(await as(founder, 'PATCH', `/groups/${id}/owner`, { target: ann.id }))
    const { types, text } = await told()
    for (const type of [
      'post.created',
      'post.deleted',
      'comment.created',
      'comment.deleted',
      'reward.created',
    ])
      assert.ok(types.has(type) || before.has(type), type)
    assertUntold(text, [founder, ann, ben])
  }
})

test('publishes no people in feeds of private accounts (notifications-14, relations-8)', async () => {
  const [shy, friend, other] = await Promise.all([rich(), rich(), rich()])
  made(await as(shy, 'PUT', '/user/privacy', { private: true }))
  for (const each of [friend, other]) {
    made(await as(each, 'PUT', `/user/followings/${shy.id}`))
    made(await as(shy, 'PUT', `/user/follow-requests/${each.id}`))
  }
  await work()
  for (const { body } of await sql<{ body: string }[]>`select body from webhook_events`) seen.add(body)
  const { id } = made(
    await as(shy, 'POST', '/feeds', { feed_content: `${SECRET} ${at(other)}`, feed_from: 1, feed_mark: 9 }),
  ).body
  const path = `/feeds/${id}`
  const { comment } = made(
    await as(friend, 'POST', `${path}/comments`, { body: `${SECRET} ${at(other)}` }),
  ).body
  made(await as(shy, 'POST', `${path}/comments`, { body: SECRET, reply_user: friend.id }))
  made(await as(friend, 'POST', `${path}/like`))
  made(await as(friend, 'POST', `${path}/new-rewards`, { amount: 5 }))
  made(await as(friend, 'DELETE', `${path}/comments/${comment.id}`))
  made(await as(shy, 'DELETE', `${path}/currency`))
  const { types, text } = await told()
  for (const type of ['feed.created', 'feed.deleted', 'comment.created', 'comment.deleted', 'reward.created'])
    assert.ok(types.has(type), type)
  assertUntold(text, [shy, friend, other])
})

test('publishes no members when a private group becomes a paid group (notifications-14)', async () => {
  const [founder, ann] = await Promise.all([rich(), rich()])
  const id = await group(founder, { mode: 'private' })
  await join(id, founder, ann)
  await told()
  made(await as(founder, 'POST', `/groups/${id}`, { mode: 'paid', money: 1 }))
  await work()
  const { body: notices } = await as(ann, 'GET', '/user/notifications?type=system')
  assert.match(JSON.stringify(notices), /group:open/)
  made(await as(admin, 'POST', '/feeds', { feed_content: 'x', feed_from: 1, feed_mark: 3 }))
  assertUntold((await told()).text, [ann])
})

test('publishes no author of deleted or rejected content (notifications-14)', async () => {
  const [founder, author] = await Promise.all([rich(), rich()])
  const id = await group(founder, {}, { passed: false })
  made(await as(admin, 'PATCH', `/admin/groups/${id}`, { audit: 2 }))
  assertUntold((await told()).text, [founder])
  const feed = made(
    await as(founder, 'POST', '/feeds', { feed_content: 'x', feed_from: 1, feed_mark: 2 }),
  ).body
  const comment = made(await as(author, 'POST', `/feeds/${feed.id}/comments`, { body: SECRET })).body.comment
  const { text } = await told()
  assert.ok(text.includes(String(author.id)))
  made(await as(admin, 'DELETE', `/admin/feeds/${feed.id}/comments/${comment.id}`))
  const { types, text: after } = await told()
  assert.ok(types.has('comment.deleted'))
  assertUntold(after, [founder, author])
})

test('publishes nothing that reveals an anonymous author (notifications-14)', async () => {
  const [asker, answerer, reader] = await Promise.all([rich(), rich(), rich()])
  const question = await ask(asker, { subject: `${SECRET}?`, body: SECRET, anonymity: 1 })
  const reply = await answer(answerer, question, { body: SECRET, anonymity: 1 })
  for (const path of [`/questions/${question}`, `/question-answers/${reply}`])
    made(await as(reader, 'POST', `${path}/comments`, { body: `${SECRET} ${at(asker)} ${at(answerer)}` }))
  made(await as(reader, 'POST', `/question-answers/${reply}/likes`))
  made(await as(reader, 'POST', `/question-answers/${reply}/rewarders`, { amount: 5 }))
  made(await as(asker, 'PUT', `/questions/${question}/currency-adoptions/${reply}`))
  const { types, text } = await told()
  for (const type of ['question.created', 'answer.created', 'comment.created', 'reward.created'])
    assert.ok(types.has(type), type)
  assertUntold(text, [asker, answerer])
})

test('omits the anonymous author of deleted content from the audit log', async () => {
  const [asker, answerer] = [await rich(), await rich()]
  const question = await ask(asker, { anonymity: 1 })
  const reply = await answer(answerer, question, { anonymity: 1 })
  const named = await answer(asker, await ask(answerer))
  for (const path of [`question-answers/${reply}`, `questions/${question}`, `question-answers/${named}`])
    made(await as(admin, 'DELETE', `/admin/${path}`))
  const { body } = made(await as(admin, 'GET', '/admin/audit-log?limit=3'))
  const users = body.data.map(({ before }: { before: { user_id?: number } }) => before.user_id)
  assert.deepEqual(users, [asker.id, undefined, undefined])
})

test('publishes neither texts nor buyers of paid content (notifications-14)', async () => {
  const [author, buyer] = await Promise.all([rich(), rich()])
  const { id } = made(
    await as(author, 'POST', '/feeds', {
      feed_content: SECRET.repeat(20),
      feed_from: 1,
      feed_mark: 1,
      amount: 30,
    }),
  ).body
  const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
  made(await as(buyer, 'POST', `/currency/purchases/${node}`))
  made(await as(author, 'POST', `/feeds/${id}/comments`, { body: SECRET }))
  const { types, text } = await told()
  for (const type of ['feed.created', 'purchase.created', 'comment.created']) assert.ok(types.has(type), type)
  assertUntold(text, [buyer])
})

test('publishes no author of a topic under review (notifications-14)', async () => {
  made(await as(admin, 'PATCH', '/admin/settings', { 'feed:topic:need-review': true }))
  const author = await person()
  made(await as(author, 'POST', '/feed/topics', { name: SECRET, desc: SECRET }))
  const { types, text } = await told()
  assert.ok(types.has('topic.created'))
  assertUntold(text, [author])
})
