import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { publish } = feedsOf(world)
const { app, as, guest, sql } = world
const { rich, topic, ask, answer } = questionsOf(world)

/** GET routes outside /admin and /auth. Excludes streams, which never end, and the OpenAPI document. */
const readable = app.routeTable
  .filter(({ method, url }) => method === 'GET' && url.startsWith('/api/v2/'))
  .map(({ url, schema }) => ({ url: url.replace('/api/v2', ''), schema }))
  .filter(({ url }) => !/^\/(admin|auth)|stream|openapi/.test(url))

type Properties = Record<string, { type?: string | string[]; enum?: unknown[] }>

/** Builds URLs of a route with every known id and every enum value of the query. */
function addressesOf(
  url: string,
  schema: unknown,
  ids: Record<string, number[]>,
  others: number[],
): string[] {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const paths = names.reduce<string[]>(
    (all, name) =>
      all.flatMap((path) => (ids[name] ?? others).map((id) => path.replace(`:${name}`, String(id)))),
    [url],
  )
  const { properties = {} } = ((schema as { querystring?: unknown })?.querystring ?? {}) as {
    properties?: Properties
  }
  const queries = Object.entries(properties).flatMap(([name, { enum: values = [] }]) =>
    values.filter((value) => value !== null).map((value) => `${name}=${value}`),
  )
  return paths.flatMap((path) => ['limit=50', ...queries].map((query) => `${path}?${query}`))
}

/** Returns true if a reply contains a user's name, the id as a string, or the id in a field for user ids. */
function reveals(value: unknown, author: Person, key = ''): boolean {
  if (typeof value === 'string') return value.includes(author.name) || value === String(author.id)
  if (typeof value === 'number')
    return value === author.id && /user|^id$|owner|sender|target|author/.test(key)
  if (Array.isArray(value)) return value.some((item) => reveals(item, author, key))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, item]) => reveals(item, author, name))
}

test('hides the author of an anonymous question or answer from other viewers in GET replies (questions-16)', async () => {
  // Moves user ids to another range than content ids, so that a number identifies a user.
  await sql`select setval(pg_get_serial_sequence('users', 'id'), 5000000)`
  const asker = await rich()
  const answerer = await rich()
  const reader = await rich()
  const bystander = await rich()
  const where = await topic()

  const hiddenQuestion = await ask(asker, {
    topics: [where],
    anonymity: 1,
    amount: 50,
    automaticity: 1,
    look: 1,
    invitations: [{ user: answerer.id }],
  })
  const invited = await answer(answerer, hiddenQuestion, { anonymity: 1, body: 'Worth a look' })
  const openQuestion = await ask(reader, { topics: [where], amount: 30 })
  const hiddenAnswer = await answer(answerer, openQuestion, { anonymity: 1 })
  const another = await answer(answerer, openQuestion, { anonymity: 1, body: 'Another one' })
  await as(asker, 'POST', `/user/question-application/${hiddenQuestion}`)

  // Performs actions of other users on the content, to create notifications and orders.
  for (const who of [reader, bystander]) {
    for (const path of [`/questions/${hiddenQuestion}`, `/question-answers/${hiddenAnswer}`]) {
      const made = await as(who, 'POST', `${path}/comments`, { body: 'What do you mean?' })
      assert.equal(made.status, 201)
      assert.equal(made.body.comment.target_user, 0)
      assert.equal((await as(who, 'POST', `${path}/reports`, { reason: 'Hm' })).status, 201)
    }
    for (const id of [invited, hiddenAnswer]) {
      assert.equal((await as(who, 'POST', `/question-answers/${id}/likes`)).status, 201)
      assert.equal((await as(who, 'POST', `/user/question-answer/collections/${id}`)).status, 201)
      assert.equal((await as(who, 'POST', `/question-answers/${id}/rewarders`, { amount: 3 })).status, 201)
    }
    const look = await as(who, 'POST', `/question-answers/${invited}/onlookers`)
    assert.equal(look.status, 201)
    assert.equal(look.body.answer.user_id, 0)
    await as(who, 'PUT', `/user/question-watches/${hiddenQuestion}`)
  }
  const reply = await as(reader, 'POST', `/question-answers/${hiddenAnswer}/comments`, {
    body: 'I ask you',
    reply_user: bystander.id,
  })
  assert.equal(reply.status, 201)
  assert.equal((await as(reader, 'PUT', `/questions/${openQuestion}/adoptions/${hiddenAnswer}`)).status, 201)
  for (const id of [hiddenAnswer, hiddenQuestion])
    await publish(bystander, {
      feed_content: 'Look at this',
      repostable_type: id === hiddenAnswer ? 'question-answers' : 'questions',
      repostable_id: id,
    })
  await world.work()

  const comments = await sql<{ id: number }[]>`select id from comments`
  const feeds = await sql<{ id: number }[]>`select id from feeds`
  const orders = await sql<{ id: number }[]>`
    select id from ledger_postings where owner_id in (${reader.id}, ${bystander.id})`
  const list = (rows: { id: number }[]) => rows.map(({ id }) => id)
  const ids = {
    question: [hiddenQuestion, openQuestion],
    answer: [invited, hiddenAnswer, another],
    topic: [where],
    comment: list(comments),
    feed: list(feeds),
    order: list(orders),
    user: [reader.id, bystander.id],
  }
  const extra = [
    `/questions?type=all&id=${hiddenQuestion},${openQuestion}`,
    `/question-topics/${where}/questions?type=all`,
    `/qa/reposted-questions?id=${hiddenQuestion},${openQuestion}`,
    `/qa/reposted-answers?id=${invited},${hiddenAnswer},${another}`,
    ...[asker.id, answerer.id].flatMap((id) => [
      `/user/questions?user_id=${id}`,
      `/user/question-answer?user_id=${id}`,
      ...['all', 'target', 'reply'].map((type) => `/comments?for_user=${id}&for_type=${type}`),
      `/comments?author=${id}`,
    ]),
    `/comments?resourceable_type=question-answers&resourceable_id=${hiddenAnswer}`,
    `/comments?resourceable_type=questions&resourceable_id=${hiddenQuestion}`,
    `/comments?id=${ids.comment.join(',')}`,
    ...['at', 'comment', 'like', 'system', 'follow'].map((type) => `/user/notifications?type=${type}`),
  ]
  // Skips lists and rankings of users, in which the author may appear without a relation to the anonymous content.
  const directories =
    /^\/(users|user\/(populars|latests|recommends|search|find-by|follow|blacks)|ranks|feeds\/ranks|checkin)/
  const addresses = readable
    .filter(({ url }) => !directories.test(url))
    .flatMap(({ url, schema }) => addressesOf(url, schema, ids, [1]))
  let read = 0
  for (const address of [...addresses, ...extra]) {
    for (const readAs of [
      () => as(reader, 'GET', address),
      () => as(bystander, 'GET', address),
      () => guest('GET', address),
    ]) {
      const { status, body } = await readAs()
      assert.ok(status < 500, `${address} answered ${status}`)
      if (status >= 300) continue
      read += 1
      for (const author of [asker, answerer])
        assert.equal(
          reveals(body, author),
          false,
          `${address} names ${author === asker ? 'the asker' : 'the answerer'}: ${JSON.stringify(body)}`,
        )
    }
  }
  assert.ok(read > 200, `read only ${read} pages`)

  assert.equal((await as(asker, 'GET', `/questions/${hiddenQuestion}`)).body.user_id, asker.id)
  assert.equal((await as(answerer, 'GET', `/question-answers/${hiddenAnswer}`)).body.user.id, answerer.id)
  assert.equal((await as(answerer, 'GET', '/user/question-answer')).body.length, 3)
  const received = (await as(answerer, 'GET', '/user/comments')).body
  assert.deepEqual([received.length, received[0].target_user], [3, answerer.id])
  assert.equal((await as(answerer, 'GET', '/user/likes')).body.length, 4)
})
