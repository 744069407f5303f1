import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildApp } from '#app'
import { openDatabase } from '#platform/database.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createSignals } from '#platform/signals.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { publish } = feedsOf(world)
const { app, as, ctx, guest, person, sql } = world
const { rich, topic, ask, answer } = questionsOf(world)

/** What a reader may read: every route that answers GET, but the stream, which does not end. */
const readable = app.routeTable
  .filter(({ method, url }) => method === 'GET' && url.startsWith('/api/v2/'))
  .map(({ url, schema }) => ({ url: url.replace('/api/v2', ''), schema }))
  .filter(({ url }) => !/^\/(admin|auth)|stream|openapi/.test(url))

type Properties = Record<string, { type?: string | string[]; enum?: unknown[] }>

/** All addresses of a route, with every id that is known and every closed choice of the query. */
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

/** Whether a reply names a person: by id in any field that holds people's ids, or by name anywhere. */
function meets(value: unknown, author: Person, key = ''): boolean {
  if (typeof value === 'string') return value.includes(author.name) || value === String(author.id)
  if (typeof value === 'number')
    return value === author.id && /user|^id$|owner|sender|target|author/.test(key)
  if (Array.isArray(value)) return value.some((item) => meets(item, author, key))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, item]) => meets(item, author, name))
}

test('nobody meets the author of an anonymous question or answer in anything they can read (questions-16)', {
  timeout: 300_000,
}, async () => {
  // ids of people far from those of content, so that meeting one means meeting the person.
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

  // Everything others do to this content, and what they are told and charged for it.
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
  // Lists of all people know everybody, and so say nothing of who wrote what.
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
          meets(body, author),
          false,
          `${address} names ${author === asker ? 'the asker' : 'the answerer'}: ${JSON.stringify(body)}`,
        )
    }
  }
  assert.ok(read > 200, `read only ${read} pages`)

  // To themselves they are known.
  assert.equal((await as(asker, 'GET', `/questions/${hiddenQuestion}`)).body.user_id, asker.id)
  assert.equal((await as(answerer, 'GET', `/question-answers/${hiddenAnswer}`)).body.user.id, answerer.id)
  assert.equal((await as(answerer, 'GET', '/user/question-answer')).body.length, 3)
  const received = (await as(answerer, 'GET', '/user/comments')).body
  assert.deepEqual([received.length, received[0].target_user], [3, answerer.id])
  assert.equal((await as(answerer, 'GET', '/user/likes')).body.length, 4)
})

/** Whether a ranking has this person. */
const isRanked = async (who: Person, name = 'likes') =>
  (await guest('GET', `/question-ranks/${name}?limit=100`)).body.some((user: Person) => user.id === who.id)

/** Returns once a ranking that was found long ago enough is found anew, with or without this person. */
async function untilRanked(who: Person, wanted: boolean): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if ((await isRanked(who)) === wanted) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the ranking never ${wanted ? 'gets' : 'loses'} the person`)
}

/** An answer of this person that somebody likes. */
async function likedAnswer(author: Person): Promise<number> {
  const anna = await person()
  const id = await answer(author, await ask(anna))
  await as(anna, 'POST', `/question-answers/${id}/comments`, { body: 'Oh' })
  await as(anna, 'POST', `/question-answers/${id}/likes`)
  return id
}

test('what becomes anonymous later hides its author in what was written before, and the other way round (questions-16)', async () => {
  const ben = await person()
  const id = await likedAnswer(ben)
  const targets = async () => [
    (await guest('GET', `/question-answers/${id}/comments`)).body[0].target_user,
    (await guest('GET', `/question-answers/${id}/likes`)).body[0].target_user,
    (await guest('GET', `/comments?for_user=${ben.id}`)).body.length,
  ]
  await untilRanked(ben, true)
  assert.deepEqual(await targets(), [ben.id, ben.id, 1])
  await as(ben, 'PATCH', `/question-answers/${id}`, { anonymity: 1 })
  assert.deepEqual([...(await targets()), await isRanked(ben)], [0, 0, 0, false])
  await as(ben, 'PATCH', `/question-answers/${id}`, { anonymity: 0 })
  assert.deepEqual(await targets(), [ben.id, ben.id, 1])
})

/** One more server on the same database, which has found no ranking yet. */
async function anotherNode() {
  const own = openDatabase({ connection: world.connection, poolSize: 3, statementTimeoutMs: 30_000 })
  const signals = createSignals(own)
  const node = await buildApp({ ...ctx, sql: own, signals, metrics: createMetrics() })
  await signals.listen()
  node.addHook('onClose', async () => {
    await signals.close()
    await own.end()
  })
  after(() => node.close())
  return node
}

test('a ranking that is kept on any node does not name who has become anonymous (questions-24)', async () => {
  const [ben, cleo] = [await person(), await person()]
  const [id] = [await likedAnswer(ben), await likedAnswer(cleo)]
  const nodes = [await anotherNode(), await anotherNode()] as const
  const ranked = async (node: (typeof nodes)[number]): Promise<number[]> =>
    (await node.inject({ url: '/api/v2/question-ranks/likes?limit=100' }))
      .json()
      .map((user: Person) => user.id)
  // What takes half a second to find is kept for most of a minute.
  const { found } = await sql.begin(async (tx) => {
    await tx`lock table question_people`
    const waits = Promise.all(nodes.map(ranked))
    await untilWaiting(sql, 2)
    await new Promise((resolve) => setTimeout(resolve, 500))
    return { found: waits }
  })
  for (const list of await found) assert.ok(list.includes(ben.id) && list.includes(cleo.id))
  const { statusCode } = await nodes[0].inject({
    method: 'PATCH',
    url: `/api/v2/question-answers/${id}`,
    headers: { authorization: `Bearer ${ben.token}` },
    payload: { anonymity: 1 },
  })
  assert.equal(statusCode, 201)
  assert.equal((await ranked(nodes[0])).includes(ben.id), false)
  for (let tries = 0; (await ranked(nodes[1])).includes(ben.id); tries += 1) {
    assert.ok(tries < 500, 'the other node still names them')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  for (const node of nodes) assert.ok((await ranked(node)).includes(cleo.id))
})

test('what was told by name before says no name once the question or the answer is anonymous', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const question = await ask(anna, { invitations: [ben.id] })
  const id = await answer(ben, question)
  const other = await answer(cleo, question)
  await as(anna, 'PUT', `/questions/${question}/adoptions/${other}`)
  const senders = async (who: Person) => {
    const { body } = await as(who, 'GET', '/user/notifications?type=system')
    return body.data.map(({ data }: { data: { sender: { id: number } } }) => data.sender.id)
  }
  const all = async () => [await senders(anna), await senders(ben), await senders(cleo)]
  assert.deepEqual(await all(), [[cleo.id, ben.id], [anna.id], [anna.id]])
  await as(ben, 'PATCH', `/question-answers/${id}`, { anonymity: 1 })
  assert.deepEqual(await all(), [[cleo.id, 0], [anna.id], [anna.id]])
  await as(anna, 'PATCH', `/questions/${question}`, { anonymity: 1 })
  assert.deepEqual(await all(), [[cleo.id, 0], [0], [0]])
})

test('whom an anonymous author blocks is not told by a refusal (questions-16)', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna, { anonymity: 1 })
  await as(anna, 'POST', `/user/black/${ben.id}`)
  assert.equal((await as(ben, 'POST', `/questions/${question}/comments`, { body: 'Hi' })).status, 201)
  assert.equal((await as(ben, 'POST', `/questions/${question}/comments`, {})).status, 422)
  assert.equal((await as(anna, 'GET', '/user/notifications?type=comment')).body.data.length, 0)
  const open = await ask(anna)
  assert.equal((await as(ben, 'POST', `/questions/${open}/comments`, { body: 'Hi' })).status, 403)
})

test('who is invited is shown to others once they have answered by name', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const question = await ask(anna, { invitations: [ben.id, cleo.id] })
  const shown = async (who?: Person) => {
    const { body } = who
      ? await as(who, 'GET', `/questions/${question}`)
      : await guest('GET', `/questions/${question}`)
    return body.invitations.map(({ id }: Person) => id)
  }
  assert.deepEqual(await shown(), [])
  for (const who of [anna, ben, cleo]) assert.deepEqual(await shown(who), [ben.id, cleo.id])
  await answer(ben, question, { anonymity: 1 })
  await answer(cleo, question)
  assert.deepEqual(await shown(), [cleo.id])
})
