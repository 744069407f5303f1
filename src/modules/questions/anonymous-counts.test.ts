import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld, type Person } from '#test/world.ts'
import { COUNTERS } from '../../site.ts'

const world = await createWorld()
const { publish } = feedsOf(world)
const { app, as, guest, person, sql } = world
const { rich, topic, ask, answer } = questionsOf(world)

/** Routes with public data about users. */
const ABOUT_PEOPLE =
  /^\/(users|user\/(populars|latests|recommends|search|follow)|ranks|feeds\/ranks|checkin-ranks|question-ranks|question-topics\/:topic\/experts|news\/ranks)/

const routes = app.routeTable
  .filter(({ method, url }) => method === 'GET' && url.startsWith('/api/v2/'))
  .map(({ url }) => url.replace('/api/v2', ''))
  .filter((url) => ABOUT_PEOPLE.test(url))

function userDataIn(value: unknown, of: number[], found: unknown[] = []): unknown[] {
  if (Array.isArray(value)) for (const each of value) userDataIn(each, of, found)
  else if (typeof value === 'object' && value !== null) {
    if ('extra' in value && 'id' in value)
      found.push(of.includes(value.id as number) ? value : { id: value.id })
    else for (const each of Object.values(value)) userDataIn(each, of, found)
  }
  return found
}

test('changes no public data about users when anonymous content changes (questions-16)', async () => {
  const [asker, answerer, reader] = [await rich(), await rich(), await rich()]
  const authors = [asker.id, answerer.id]
  const where = await topic()
  await sql`insert into question_topic_experts (topic_id, user_id) values (${where}, ${answerer.id})`
  await sql`update question_topic_counts set experts_count = 1 where topic_id = ${where}`
  const open = await ask(reader, { topics: [where], amount: 30 })
  const named = await answer(answerer, open)
  await as(reader, 'POST', `/question-answers/${named}/likes`)
  await as(reader, 'PUT', `/user/followings/${answerer.id}`)
  await publish(asker, { feed_content: 'Hello' })

  const addresses = routes.flatMap((url) => {
    const paths = /:(user|target)/.test(url) ? authors.map((id) => url.replace(/:\w+/g, String(id))) : [url]
    return paths.map((path) => `${path.replace(':topic', String(where))}?limit=100`)
  })
  addresses.push(...authors.map((id) => `/feeds?type=users&user=${id}`))
  const look = async () => {
    const seen: Record<string, unknown> = {}
    for (const address of addresses) {
      const { status, body } = await as(reader, 'GET', address)
      if (status === 200) seen[address] = userDataIn(body, authors)
    }
    const rows = await sql`
      select to_json(u) as person, to_json(c) as counts
      from users u join user_counts c on c.user_id = u.id where u.id = any(${authors}) order by u.id`
    const ranked = await sql`select * from question_people where user_id = any(${authors}) order by user_id`
    return { seen, rows: [...rows], ranked: [...ranked] }
  }
  const before = await look()
  assert.ok(Object.values(before.seen).filter((people) => (people as []).length > 0).length >= 8)

  let question = 0
  let invited = 0
  let hidden = 0
  let comment = 0
  const path = () => `/question-answers/${hidden}`
  const acts: Record<string, () => Promise<number>> = {
    asking: async () => {
      question = await ask(asker, {
        topics: [where],
        anonymity: 1,
        amount: 50,
        automaticity: 1,
        look: 1,
        invitations: [{ user: answerer.id }],
      })
      return 201
    },
    'changing a question': async () =>
      (await as(asker, 'PATCH', `/questions/${question}`, { body: 'More of it', anonymity: 1 })).status,
    'answering for a bounty': async () => {
      invited = await answer(answerer, question, { anonymity: 1 })
      return 201
    },
    answering: async () => {
      hidden = await answer(answerer, open, { anonymity: 1 })
      return 201
    },
    'changing an answer': async () =>
      (await as(answerer, 'PATCH', path(), { body: 'Other words', anonymity: 1 })).status,
    liking: async () => (await as(reader, 'POST', `${path()}/likes`)).status,
    'liking once more': async () => (await as(asker, 'POST', `${path()}/likes`)).status,
    'taking a like back': async () => (await as(reader, 'DELETE', `${path()}/likes`)).status,
    commenting: async () => {
      const made = await as(reader, 'POST', `${path()}/comments`, { body: 'Oh' })
      comment = made.body.comment.id
      return made.status
    },
    'commenting on the question': async () =>
      (await as(reader, 'POST', `/questions/${question}/comments`, { body: 'Oh' })).status,
    'deleting a comment': async () => (await as(reader, 'DELETE', `${path()}/comments/${comment}`)).status,
    collecting: async () => (await as(reader, 'POST', `/user/question-answer/collections/${hidden}`)).status,
    rewarding: async () => (await as(reader, 'POST', `${path()}/rewarders`, { amount: 3 })).status,
    looking: async () => (await as(reader, 'POST', `/question-answers/${invited}/onlookers`)).status,
    watching: async () => (await as(reader, 'PUT', `/user/question-watches/${question}`)).status,
    reporting: async () => (await as(reader, 'POST', `${path()}/reports`, { reason: 'Hm' })).status,
    'asking for excellence': async () =>
      (await as(asker, 'POST', `/user/question-application/${question}`)).status,
    adopting: async () => (await as(reader, 'PUT', `/questions/${open}/adoptions/${hidden}`)).status,
    reading: async () => (await guest('GET', path())).status,
    jobs: async () => {
      await world.work()
      return 200
    },
    'another answer': async () => {
      hidden = await answer(answerer, question, { anonymity: 1 })
      await as(reader, 'POST', `${path()}/likes`)
      return 201
    },
    'deleting an answer': async () => (await as(answerer, 'DELETE', path())).status,
    'deleting a question with its answers': async () => {
      await as(reader, 'POST', `/question-answers/${invited}/likes`)
      return (await as(asker, 'DELETE', `/questions/${question}`)).status
    },
  }
  for (const [name, act] of Object.entries(acts)) {
    const status = await act()
    assert.ok(status >= 200 && status < 300, `${name} answered ${status}`)
    assert.deepEqual(await look(), before, name)
  }
  await assertNoDrift()
})

async function assertNoDrift(): Promise<void> {
  for (const check of COUNTERS) assert.deepEqual([...(await check.find(sql))], [], check.name)
}

const counts = async (who: Person) => {
  const { questions_count, answers_count, likes_count } = (await guest('GET', `/users/${who.id}`)).body.extra
  return [questions_count, answers_count, likes_count]
}

test('excludes content from the counts of its author while it is anonymous (questions-16)', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  const id = await answer(ben, question)
  await as(anna, 'POST', `/question-answers/${id}/likes`)
  const set = (anonymity: number) =>
    Promise.all([
      ...[1, 2, 3].map(() => as(ben, 'PATCH', `/question-answers/${id}`, { anonymity })),
      ...[1, 2].map(() => as(anna, 'PATCH', `/questions/${question}`, { anonymity })),
    ])
  assert.deepEqual(
    [await counts(anna), await counts(ben)],
    [
      [1, 0, 0],
      [0, 1, 1],
    ],
  )
  await set(1)
  assert.deepEqual(
    [await counts(anna), await counts(ben)],
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
  )
  await assertNoDrift()
  await set(0)
  assert.deepEqual(
    [await counts(anna), await counts(ben)],
    [
      [1, 0, 0],
      [0, 1, 1],
    ],
  )
  await assertNoDrift()
})

test('keeps like counters exact when likes race with changes of anonymity', async () => {
  const [anna, ben] = [await person(), await person()]
  const fans = await Promise.all(Array.from({ length: 6 }, () => person()))
  const id = await answer(ben, await ask(anna))
  await Promise.all([
    ...fans.map((fan) => as(fan, 'POST', `/question-answers/${id}/likes`)),
    ...[1, 0, 1, 0, 1].map((anonymity) => as(ben, 'PATCH', `/question-answers/${id}`, { anonymity })),
  ])
  await Promise.all(fans.slice(0, 3).map((fan) => as(fan, 'DELETE', `/question-answers/${id}/likes`)))
  await assertNoDrift()
})

test('finds and repairs a like that is counted for an anonymous author', async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await answer(ben, await ask(anna), { anonymity: 1 })
  await as(anna, 'POST', `/question-answers/${id}/likes`)
  await sql`update likes set counted = true where likeable_id = ${id} and likeable_type = 'question-answers'`
  const wrong: string[] = []
  for (const check of COUNTERS)
    if ((await check.find(sql)).length > 0) {
      wrong.push(check.name)
      await check.mend(sql)
    }
  assert.deepEqual(wrong, ['likes.counted'])
  await assertNoDrift()
})
