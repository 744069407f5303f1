import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { groupCounters, groupEscrowChecks } from '#modules/groups/index.ts'
import { auditLedger } from '#modules/ledger/index.ts'
import { pinChecks } from '#modules/pinning/index.ts'
import { rewardChecks } from '#modules/rewards/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world
const { group, join, memberId, post } = groupMaker(world)
const { points, rich } = questionsOf(world)
const admin = await person({ roles: ['founder', 'owner'] })
const START = 600
const CHECKS = [...groupEscrowChecks, ...pinChecks, ...rewardChecks]

const KINDS = [
  'join',
  'leave',
  'accept the member',
  'reject the member',
  'remove the member',
  'change the price',
  'hand over',
  'dissolve',
  'post',
  'comment',
  'pin the post',
  'pin the comment',
  'accept the post pin',
  'reject the post pin',
  'accept the comment pin',
  'reject the comment pin',
  'end the pin',
  'reward',
  'delete the post',
  'delete the comment',
  'moderate the post',
  'moderate the comment',
] as const
/**
 * One user action. `who` and `other` select users. `which` selects one of the rows that exist when the step
 * runs.
 */
type Step = { what: (typeof KINDS)[number]; who: number; which: number; other: number; amount: number }

const weight = (what: Step['what']) =>
  /dissolve|moderate|delete|remove|end/.test(what) ? 1 : /pin|join/.test(what) ? 6 : 3
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(...KINDS.map((what) => ({ weight: weight(what), arbitrary: fc.constant(what) }))),
  who: fc.nat(3),
  which: fc.nat(20),
  other: fc.nat(3),
  amount: fc.integer({ min: 1, max: 200 }),
})

type Post = { id: number; group: number; by: Person }

let succeeded = 0

/** Runs the steps of each lane one after another, and all lanes concurrently. */
async function play(people: Person[], groups: number[], posts: Post[], lanes: Step[][]): Promise<void> {
  const comments: { id: number; post: Post; by: Person }[] = []
  const one = <T>(list: T[], n: number) => list[n % Math.max(1, list.length)]
  const founderOf = async (id: number) => {
    const [row] = await sql<{ id: number }[]>`
      select user_id as id from group_members where group_id = ${id} and role = 'founder'`
    return people.find((each) => each.id === row?.id) ?? people[0]!
  }
  const to = async (by: Person, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body = {}) =>
    (await as(by, method, path, body)).status
  const act = async ({ what, who, which, other, amount }: Step): Promise<number> => {
    const me = people[who]!
    const group = one(groups, which)!
    const post = one(posts, which)
    const comment = one(comments, which)
    const day = 1
    switch (what) {
      case 'join':
        return to(me, 'PUT', `/currency-groups/${group}`)
      case 'leave':
        return to(me, 'DELETE', `/groups/${group}/exit`)
      case 'accept the member':
      case 'reject the member': {
        const path = `/groups/${group}/members/${await memberId(group, people[other]!)}/audit`
        return to(await founderOf(group), 'PATCH', path, { status: what === 'accept the member' ? 1 : 2 })
      }
      case 'remove the member': {
        const path = `/groups/${group}/members/${await memberId(group, people[other]!)}`
        return to(await founderOf(group), 'DELETE', path)
      }
      case 'change the price': {
        const price = amount % 4 === 0 ? { mode: 'public' } : { mode: 'paid', money: amount }
        return to(await founderOf(group), 'POST', `/groups/${group}`, price)
      }
      case 'hand over': {
        const target = { target: people[other]!.id }
        return to(await founderOf(group), 'PATCH', `/groups/${group}/owner`, target)
      }
      case 'dissolve':
        return to(admin, 'DELETE', `/admin/groups/${group}`)
      case 'post': {
        const text = { title: 'A post', body: 'What it says', summary: 'In short' }
        const made = await as(me, 'POST', `/groups/${group}/posts`, text)
        if (made.status === 201) posts.push({ id: made.body.post.id, group: group, by: me })
        return made.status
      }
    }
    if (!post) return 0
    switch (what) {
      case 'comment': {
        const made = await as(me, 'POST', `/group-posts/${post.id}/comments`, { body: 'Oh' })
        if (made.status === 201) comments.push({ id: made.body.comment.id, post, by: me })
        return made.status
      }
      case 'pin the post':
        return to(post.by, 'POST', `/currency-pinned/posts/${post.id}`, { amount, day })
      case 'accept the post pin':
        return to(await founderOf(post.group), 'PATCH', `/currency-pinned/posts/${post.id}/accept`)
      case 'reject the post pin':
        return to(await founderOf(post.group), 'PATCH', `/pinned/posts/${post.id}/reject`)
      case 'end the pin':
        return to(await founderOf(post.group), 'PATCH', `/pinned/posts/${post.id}/cancel`)
      case 'reward':
        return to(me, 'POST', `/group-posts/${post.id}/new-rewards`, { amount })
      case 'delete the post':
        return to(post.by, 'DELETE', `/groups/${post.group}/posts/${post.id}`)
      case 'moderate the post':
        return to(admin, 'DELETE', `/admin/group-posts/${post.id}`)
    }
    if (!comment) return 0
    switch (what) {
      case 'pin the comment':
        return to(comment.by, 'POST', `/currency-pinned/comments/${comment.id}`, { amount, day })
      case 'accept the comment pin':
        return to(comment.post.by, 'PATCH', `/currency-pinned/comments/${comment.id}/accept`)
      case 'reject the comment pin':
        return to(comment.post.by, 'PATCH', `/pinned/comments/${comment.id}/reject`)
      case 'delete the comment':
        return to(comment.by, 'DELETE', `/group-posts/${comment.post.id}/comments/${comment.id}`)
      default:
        return to(admin, 'DELETE', `/admin/group-posts/${comment.post.id}/comments/${comment.id}`)
    }
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

/** Finds join requests and pins that were paid into or out of escrow twice, or paid out above their amount. */
const paidTwice = () => sql`
  select subject_type, subject_id, count(*) filter (where amount < 0)::int as times, sum(amount)::bigint as left
  from ledger_postings where owner_id = -1 and subject_type in ('group-member-logs', 'pins')
  group by subject_type, subject_id, currency
  having count(*) filter (where amount < 0) > 1 or count(*) filter (where amount > 0) > 1 or sum(amount) < 0`

async function assertSound(people: Person[]) {
  const { drift, balanced } = await auditLedger(sql, CHECKS)
  assert.deepEqual(drift, [])
  assert.ok(balanced)
  assert.deepEqual([...(await paidTwice())], [])
  // The sum of balances and escrow stays constant, because no step creates or destroys points.
  const ids = people.map(({ id }) => id)
  const owned = (await Promise.all(people.map(points))).reduce((all, each) => all + each, 0)
  const [waiting] = await sql<[{ n: number }]>`
    select ((select coalesce(sum(fee), 0) from group_member_logs where status = 0 and user_id = any(${ids}))
      + (select coalesce(sum(amount), 0) from pins where state = 'pending' and user_id = any(${ids})))::bigint as n`
  assert.equal(owned + waiting.n, people.length * START)
}

test('keeps the ledger balanced when actions in groups race', async () => {
  const lanes = fc.array(fc.array(step, { minLength: 6, maxLength: 15 }), { minLength: 2, maxLength: 4 })
  const property = fc.asyncProperty(lanes, async (played) => {
    const people = await Promise.all([0, 1, 2, 3].map(() => rich(START)))
    const groups = [await group(people[0]!, { mode: 'paid', money: 40 }), await group(people[1]!)]
    await as(people[2]!, 'PUT', `/currency-groups/${groups[0]}`)
    await join(groups[1]!, people[1]!, people[3]!)
    const first = { id: await post(people[3]!, groups[1]!), group: groups[1]!, by: people[3]! }
    await play(people, groups, [first], played)
    await world.work()
    await assertSound(people)
    for (const check of groupCounters) assert.deepEqual([...(await check.find(sql))], [], check.name)
  })
  await fc.assert(property, { numRuns: 8, endOnFailure: true })
  // Points also stay when every step fails.
  assert.ok(succeeded > 0)
})

test('keeps the points of users who join a paid group during its deletion', async () => {
  for (let round = 0; round < 3; round += 1) {
    const people = await Promise.all([0, 1, 2, 3].map(() => rich(START)))
    const id = await group(people[0]!, { mode: 'paid', money: 40 })
    await Promise.all([
      ...people.slice(1).map((who) => as(who, 'PUT', `/currency-groups/${id}`)),
      as(admin, 'DELETE', `/admin/groups/${id}`),
    ])
    await world.work()
    await assertSound(people)
    for (const who of people) assert.equal(await points(who), START)
  }
})
test('lets the new founder decide a pin that a member requests during the transfer of a group', async () => {
  for (let round = 0; round < 3; round += 1) {
    const people = await Promise.all([0, 1, 2].map(() => rich(START)))
    const [founder, heir, author] = people as [Person, Person, Person]
    const id = await group(founder)
    for (const who of [heir, author]) await join(id, founder, who)
    const url = `/currency-pinned/posts/${await post(author, id)}`
    const [asked, given] = await Promise.all([
      as(author, 'POST', url, { amount: 10, day: 1 }),
      as(founder, 'PATCH', `/groups/${id}/owner`, { target: heir.id }),
    ])
    assert.deepEqual([asked.status, given.status], [201, 201])
    assert.equal((await as(heir, 'GET', '/pinned/posts')).body.length, 1)
    assert.equal((await as(heir, 'PATCH', `${url}/accept`)).status, 201)
    assert.deepEqual(await Promise.all(people.map(points)), [START, START + 10, START - 10])
  }
})
