import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { auditLedger } from '#modules/ledger/index.ts'
import { rewardChecks } from '#modules/rewards/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld, type Person } from '#test/world.ts'
import { questionCounters, questionEscrowChecks } from './counters.ts'

const world = await createWorld()
const { as, person, sql } = world
const { points, rich, tryAsk } = questionsOf(world)
const admin = await person({ roles: ['founder', 'owner'] })
const START = 600

/**
 * One user action. `who` and `other` select users. `which` selects one of the questions, answers or requests that
 * exist when the action runs.
 */
type Step = { what: (typeof KINDS)[number]; who: number; which: number; other: number; amount: number }
const KINDS = [
  'ask',
  'ask for looks',
  'answer',
  'adopt',
  'look',
  'reward',
  'apply',
  'decide',
  'change the bounty',
  'delete the question',
  'delete the answer',
  'moderate the answer',
  'hide the question',
  'hide the answer',
] as const

const step = fc.record({
  what: fc.constantFrom(...KINDS),
  who: fc.nat(3),
  which: fc.nat(20),
  other: fc.nat(3),
  amount: fc.integer({ min: 1, max: 250 }),
})

let succeeded = 0

/** Runs the steps of a lane in sequence, and the lanes concurrently. */
async function play(people: Person[], lanes: Step[][]): Promise<void> {
  const questions: number[] = []
  const answers: { id: number; question: number }[] = []
  const one = <T>(list: T[], n: number) => list[n % Math.max(1, list.length)]
  const asked = async (by: Person, fields: object) => {
    const { status, body } = await tryAsk(by, fields)
    if (status === 201) questions.push(body.question.id)
    return status
  }
  const act = async ({ what, who, which, other, amount }: Step): Promise<number> => {
    const me = people[who]!
    const question = one(questions, which)
    const given = one(answers, which)
    if (what === 'ask') return asked(me, { amount: amount % 3 === 0 ? 0 : amount })
    if (what === 'ask for looks')
      return asked(me, {
        amount,
        automaticity: 1,
        look: 1,
        anonymity: amount % 2,
        invitations: [{ user: people[other]!.id }],
      })
    if (question === undefined) return 0
    if (what === 'answer') {
      const body = { body: 'So it is', anonymity: amount % 2 }
      const made = await as(me, 'POST', `/questions/${question}/answers`, body)
      if (made.status === 201) answers.push({ id: made.body.answer.id, question })
      return made.status
    }
    const to = async (by: Person, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      (await as(by, method, path, body)).status
    if (what === 'apply') return to(me, 'POST', `/user/question-application/${question}`)
    if (what === 'decide') {
      const { data } = (await as(admin, 'GET', '/admin/question-applications?limit=100')).body
      const application = one(data as { id: number }[], which)
      if (!application) return 0
      const action = amount % 2 ? 'accept' : 'reject'
      return to(admin, 'PATCH', `/admin/question-applications/${application.id}`, { action })
    }
    if (what === 'change the bounty') return to(me, 'PATCH', `/questions/${question}/amount`, { amount })
    if (what === 'hide the question')
      return to(me, 'PATCH', `/questions/${question}`, { anonymity: amount % 2 })
    if (what === 'delete the question') return to(me, 'DELETE', `/questions/${question}`)
    if (!given) return 0
    const path = `/question-answers/${given.id}`
    if (what === 'adopt') return to(me, 'PUT', `/questions/${given.question}/adoptions/${given.id}`)
    if (what === 'look') return to(me, 'POST', `${path}/onlookers`)
    if (what === 'reward') return to(me, 'POST', `${path}/rewarders`, { amount })
    if (what === 'hide the answer') return to(me, 'PATCH', path, { anonymity: amount % 2 })
    if (what === 'moderate the answer') return to(admin, 'DELETE', `/admin${path}`)
    return to(me, 'DELETE', path)
  }
  await Promise.all(
    lanes.map(async (lane) => {
      for (const each of lane) {
        const status = await act(each)
        assert.ok(status < 500, `${JSON.stringify(each)} answered ${status}`)
        if (status >= 200 && status < 300) succeeded += 1
      }
    }),
  )
}

const paidTwice = () => sql`
  select kind, subject_type, subject_id, count(*)::int as times from ledger_postings
  where currency = 'points' and (
    (owner_id = -1 and amount < 0 and kind in ('bounty:paid', 'excellence', 'excellence:refunded'))
    or (owner_id > 0 and amount < 0 and kind in ('excellence'))
  )
  group by kind, subject_type, subject_id, owner_id having count(*) > 1
  union all
  select kind, subject_type, subject_id, count(*)::int from ledger_postings
  where owner_id > 0 and amount < 0 and kind = 'onlook'
  group by kind, subject_type, subject_id, owner_id having count(*) > 1
  union all
  select 'decided twice', subject_type, subject_id, count(*)::int from ledger_postings
  where owner_id = -1 and amount < 0 and kind in ('excellence', 'excellence:refunded')
  group by subject_type, subject_id having count(*) > 1
  union all
  select 'overpaid', subject_type, subject_id, sum(amount)::int from ledger_postings
  where owner_id = -1 and subject_type in ('questions', 'question-applications', 'question-answers', 'rewards')
  group by subject_type, subject_id having sum(amount) < 0`

test('neither loses nor creates points under concurrent actions', async () => {
  const lanes = fc.array(fc.array(step, { minLength: 4, maxLength: 14 }), { minLength: 2, maxLength: 4 })
  const property = fc.asyncProperty(lanes, async (played) => {
    const people = await Promise.all([0, 1, 2, 3].map(() => rich(START)))
    await play(people, played)
    const { drift, balanced } = await auditLedger(sql, [...questionEscrowChecks, ...rewardChecks])
    assert.deepEqual(drift, [])
    assert.ok(balanced)
    assert.deepEqual([...(await paidTwice())], [])
    for (const check of questionCounters) assert.deepEqual([...(await check.find(sql))], [], check.name)
    // Balances, escrow and the site's income together equal the initial amount.
    const ids = people.map(({ id }) => id)
    const owned = (await Promise.all(people.map(points))).reduce((all, each) => all + each, 0)
    const [rest] = await sql<[{ n: number }]>`
      select (
        (select coalesce(sum(amount), 0) from questions where bounty = 'held' and user_id = any(${ids}))
        + (select coalesce(sum(amount), 0) from question_applications
          where state in ('pending', 'passed') and user_id = any(${ids}))
      )::bigint as n`
    assert.equal(owned + rest.n, 4 * START)
  })
  await fc.assert(property, { numRuns: 25, endOnFailure: true })
  // Points also stay when every step fails.
  assert.ok(succeeded > 0)
})

test('pays or refunds a bounty once when adoption, answers, a request for excellence and deletions race', async () => {
  for (let round = 0; round < 8; round += 1) {
    const [anna, ben, cleo] = [await rich(START), await rich(START), await rich(START)]
    const automatic = round % 2 === 0
    const { body } = await tryAsk(anna, {
      amount: 100,
      ...(automatic ? { automaticity: 1, look: 1, invitations: [ben.id] } : {}),
    })
    const { id } = body.question
    const given = (await as(cleo, 'POST', `/questions/${id}/answers`, { body: 'First' })).body.answer.id
    const replies = await Promise.all([
      as(anna, 'PUT', `/questions/${id}/adoptions/${given}`),
      as(ben, 'POST', `/questions/${id}/answers`, { body: 'Second' }),
      as(ben, 'POST', `/questions/${id}/answers`, { body: 'Third' }),
      as(cleo, 'DELETE', `/question-answers/${given}`),
      as(anna, 'POST', `/user/question-application/${id}`),
      as(anna, 'DELETE', `/questions/${id}`),
      as(admin, 'DELETE', `/admin/questions/${id}`),
    ])
    for (const { status } of replies) assert.ok(status < 500)
    const [a, b, c] = [await points(anna), await points(ben), await points(cleo)]
    assert.equal(a + b + c, 3 * START)
    assert.ok(a === START || b === START + 100 || c === START + 100, `${a} ${b} ${c}`)
  }
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})
