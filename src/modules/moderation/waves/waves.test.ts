import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'
import { SITE } from '../../../site.ts'
import { BATCH, waveTasks } from './jobs.ts'

let seen: string[] | undefined
let onBatch = () => {}
const world = await createWorld(
  {},
  {
    onQuery({ text }) {
      seen?.push(text)
      if (text.includes('update account_waves set processed')) onBatch()
    },
  },
)
const { as, person, sql, ctx, work } = world
const { publish } = feedsOf(world)
const withSettings = settingsOn(world)
const founder = await person({ roles: ['founder', 'owner'] })

type Wave = { id: number; state: string; accounts: number; processed: number; undoable: boolean }
const preview = (criteria: object, by = founder) => as(by, 'POST', '/admin/account-waves', criteria)
const wave = async (id: number): Promise<Wave & Record<string, never>> =>
  (await as(founder, 'GET', `/admin/account-waves/${id}`)).body
const members = async (id: number, query = ''): Promise<Map<number, Record<string, unknown>>> => {
  const { body } = await as(founder, 'GET', `/admin/account-waves/${id}/accounts?limit=100${query}`)
  return new Map(body.data.map((row: { id: number }) => [row.id, row]))
}
const outcomes = async (id: number) =>
  Object.fromEntries([...(await members(id))].map(([user, { state }]) => [user, state]))
const decide = (id: number, action = 'disable', by = founder) =>
  as(by, 'POST', `/admin/account-waves/${id}/decision`, { action, reason: 'Spam' })
const undo = (id: number, by = founder) =>
  as(by, 'POST', `/admin/account-waves/${id}/undo`, { reason: 'A mistake' })
const change = async ({ id }: Person, changes: object) =>
  assert.equal((await as(founder, 'PATCH', `/admin/users/${id}`, changes)).status, 204)

async function invited(by: Person, count: number): Promise<Person[]> {
  const made: Person[] = []
  for (let n = 0; n < count; n += 1) {
    const one = await person()
    await sql`insert into invitation_uses (user_id, inviter_id) values (${one.id}, ${by.id})`
    made.push(one)
  }
  return made
}

/** Maximum number of statements of one batch, whatever its number of accounts. */
const STATEMENTS_MAX = 30

/** Previews everybody whom a new account invited. */
async function crowd(count: number) {
  const root = await person()
  const people = await invited(root, count)
  const again = async () => {
    const made = await preview({ invited_by: root.id })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.id as number
  }
  return { root, people, again, id: await again() }
}

async function disabledOf(people: readonly Person[]): Promise<boolean[]> {
  const ids = people.map(({ id }) => id)
  const rows = await sql<{ id: number; disabled: boolean }[]>`
    select id, deleted_at is not null as disabled from users where id = any(${ids}) order by id`
  return rows.map(({ disabled }) => disabled)
}

const all = (people: readonly Person[], value: boolean) => people.map(() => value)

/** Runs the job of a wave until its process ends after some batches. */
async function runUntilKilled(id: number, batches = 1): Promise<void> {
  const killed = new AbortController()
  let left = batches
  onBatch = () => {
    left -= 1
    if (left === 0) killed.abort(new Error('killed'))
  }
  const { run_account_wave: run } = waveTasks(SITE.removals)(ctx)
  try {
    await assert.rejects(
      async () =>
        run!({ id }, { abortSignal: killed.signal } as unknown as Parameters<NonNullable<typeof run>>[1]),
      /killed/,
    )
  } finally {
    onBatch = () => {}
  }
}

test('chooses accounts that match all filters, and counts whom it excludes (administration-30)', async () => {
  const root = await person()
  const [ann, bob, verified, moderator, gone] = (await invited(root, 5)) as [
    Person,
    Person,
    Person,
    Person,
    Person,
  ]
  const [grandchild] = (await invited(ann, 1)) as [Person]
  const stranger = await person()
  await sql`insert into invitation_uses (user_id, inviter_id) values (${root.id}, ${grandchild.id})`
  await change(verified, { verified: { type: 'user' } })
  await change(gone, { disabled: true })
  assert.equal(
    (await as(founder, 'POST', '/admin/roles', { name: 'helper', abilities: ['admin: reports'] })).status,
    201,
  )
  await change(moderator, { roles: ['helper'] })
  const text = 'Buy  CHEAP watches at https://Shop.Example.test/a now'
  const feed = await publish(bob, { feed_content: text })
  await publish(stranger, { feed_content: text })
  assert.equal((await as(ann, 'PUT', `/user/followings/${bob.id}`)).status, 204)
  await sql`update token_families set network = '203.0.113.0/24' where user_id in (${bob.id}, ${grandchild.id})`
  await sql`update token_families set network = 'unknown' where user_id = ${ann.id}`

  const tree = await preview({ invited_by: root.id })
  assert.deepEqual(
    [...(await members(tree.body.id))].map(([id]) => id).sort(),
    [root, ann, bob, grandchild].map(({ id }) => id).sort(),
  )
  const { totals, accounts, state, undoable } = await wave(tree.body.id)
  assert.deepEqual([accounts, state, undoable], [4, 'preview', true])
  assert.deepEqual(totals, {
    feeds: 1,
    questions: 0,
    answers: 0,
    followers: 1,
    excluded: { administrator: 1, oneself: 0, verified: 1, disabled: 1 },
  })
  const chosen = async (criteria: object) =>
    [...(await members((await preview(criteria)).body.id))].map(([id]) => id)
  assert.deepEqual(
    await chosen({ invited_by: root.id, text: 'buy cheap WATCHES at https://shop.example.test/a now' }),
    [bob.id],
  )
  assert.deepEqual(await chosen({ invited_by: root.id, host: 'www.shop.example.test' }), [bob.id])
  assert.deepEqual((await chosen({ host: 'shop.example.test' })).sort(), [bob.id, stranger.id].sort())
  assert.equal(
    (await preview({ host: 'op.example.test' })).body.message,
    'No account matches. Nothing was stored.',
  )
  assert.deepEqual((await chosen({ network: '203.0.113.77/32' })).sort(), [bob.id, grandchild.id].sort())
  const narrow = await wave((await preview({ network: '203.0.113.77' })).body.id)
  assert.deepEqual(narrow.criteria, { network: '203.0.113.0/24' })
  assert.deepEqual((await chosen({ invited_by: root.id, include_verified: true })).length, 5)

  const why = (
    await members((await preview({ network: '203.0.113.0/24', host: 'shop.example.test' })).body.id)
  ).get(bob.id)
  assert.deepEqual(
    [why?.inviter_id, why?.networks, why?.feed_id, why?.followers_count],
    [root.id, ['203.0.113.0/24'], feed, 1],
  )

  await sql`update users set created_at = '2020-02-03 10:00:00+00' where id = ${bob.id}`
  await sql`update users set created_at = '2020-02-04 00:00:00+00' where id = ${ann.id}`
  assert.deepEqual(await chosen({ registered_from: '2020-02-03', registered_to: '2020-02-04' }), [bob.id])
  assert.deepEqual(
    await chosen({ registered_from: '2020-02-03 10:00:01', registered_to: '2020-02-04 00:00:01' }),
    [ann.id],
  )
})

test('rejects a wave without a filter, without accounts, and with an invalid filter (administration-30)', async () => {
  assert.deepEqual(refusalOf(await preview({})), [422, 'no_criteria'])
  assert.deepEqual(refusalOf(await preview({ include_verified: true })), [422, 'no_criteria'])
  assert.deepEqual(refusalOf(await preview({ registered_to: '1999-01-01' })), [422, 'wave_empty'])
  assert.equal((await sql`select from account_waves where accounts = 0`).count, 0)
  for (const [field, value] of [
    ['network', '0.0.0.0/0'],
    ['network', 'everybody'],
    ['registered_from', '2026-02-31'],
    ['registered_to', 'yesterday'],
    ['host', 'a b'],
  ] as const) {
    const answer = await preview({ [field]: value })
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, [field]], value)
  }
  assert.equal((await preview({ invited_by: 1 }, await person())).status, 403)
  for (const path of ['/decision', '/undo'])
    assert.equal(
      (await as(founder, 'POST', `/admin/account-waves/999999${path}`, { action: 'disable', reason: 'x' }))
        .status,
      404,
    )
})

test('disables the accounts of the preview only, and enables exactly them when undone (administration-31)', async () => {
  const { root, people, id } = await crowd(3)
  const [before, ann] = people as [Person, Person]
  const [late] = (await invited(root, 1)) as [Person]
  await change(before, { disabled: true })
  assert.equal((await decide(id)).status, 204)
  assert.deepEqual(refusalOf(await decide(id)), [422, 'wave_decided'])
  await work()
  assert.deepEqual(await disabledOf([...people, late]), [true, true, true, false])
  assert.equal((await as(ann, 'GET', '/user')).status, 401)
  const done = await wave(id)
  assert.deepEqual([done.state, done.processed, done.undoable], ['done', 3, true])
  const listed = async (query: string) =>
    (await as(founder, 'GET', `/admin/account-waves?${query}`)).body.data.map((row: Wave) => row.id)
  assert.deepEqual([await listed('state=done&q=spam'), await listed('state=undone')], [[id], []])
  assert.equal((await outcomes(id))[before.id], 'already')
  const { data } = (await as(founder, 'GET', `/admin/audit-log?subject_type=account-waves&subject_id=${id}`))
    .body
  assert.deepEqual(
    data.map((each: { action: string; after: object }) => [each.action, each.after]),
    [
      [
        'account-waves.disable',
        { reason: 'Spam', accounts: 3, filters: ['invited_by'], include_verified: false },
      ],
    ],
  )
  assert.equal((await undo(id)).status, 204)
  assert.deepEqual(refusalOf(await undo(id)), [422, 'wave_not_undoable'])
  await work()
  assert.deepEqual(await disabledOf(people), [true, false, false])
  assert.equal((await wave(id)).state, 'undone')
  assert.deepEqual(Object.values(await outcomes(id)).sort(), ['enabled', 'enabled', 'released'])
})

test('keeps an account disabled that a later decision disabled, when the wave is undone (administration-31)', async () => {
  const { people, id } = await crowd(4)
  const [repeated, again, enabled, own] = people as [Person, Person, Person, Person]
  await decide(id)
  await work()
  await change(repeated, { disabled: true })
  await change(again, { disabled: false })
  await change(again, { disabled: true })
  await change(enabled, { disabled: false })
  await undo(id)
  await work()
  assert.deepEqual(await disabledOf(people), [true, true, false, false])
  const states = await outcomes(id)
  assert.deepEqual(
    [repeated, again, enabled, own].map((one) => states[one.id]),
    ['kept', 'kept', 'kept', 'enabled'],
  )
})

test('leaves out accounts that changed since the preview (administration-31)', async () => {
  const { people, id } = await crowd(4)
  const [promoted, certified, erased, same] = people as [Person, Person, Person, Person]
  await change(promoted, { roles: ['founder'] })
  await change(certified, { verified: { type: 'user' } })
  await sql`insert into account_deletions (user_id, due_at) values (${erased.id}, now())`
  await addJob(sql, 'erase_accounts', {})
  await work()
  await decide(id)
  await work()
  assert.deepEqual(await disabledOf(people), [false, false, true, true])
  const states = await outcomes(id)
  assert.deepEqual(
    [promoted, certified, erased, same].map((one) => states[one.id]),
    ['administrator', 'verified', 'erased', 'disabled'],
  )
  await undo(id)
  await work()
  assert.deepEqual(await disabledOf(people), [false, false, true, false])
})

test('does not enable an account that was erased after the wave disabled it (administration-31)', async () => {
  const { people, id } = await crowd(2)
  const [erased] = people as [Person]
  await sql`insert into account_deletions (user_id, due_at) values (${erased.id}, now() + interval '1 day')`
  await decide(id)
  await work()
  await sql`update account_deletions set due_at = now() where user_id = ${erased.id}`
  await addJob(sql, 'erase_accounts', {})
  await undo(id)
  await work()
  assert.deepEqual(await disabledOf(people), [true, false])
  assert.equal((await sql`select from users where id = ${erased.id} and erased_at is not null`).count, 1)
})

test('enables accounts of two waves when the last of both is undone (administration-31)', async () => {
  for (const order of ['first', 'second']) {
    const { people, id, again } = await crowd(2)
    const other = await again()
    assert.deepEqual(
      (await Promise.all([decide(id), decide(other)])).map(({ status }) => status),
      [204, 204],
    )
    await work()
    const held = async (of: number) => Object.values(await outcomes(of))
    assert.deepEqual((await Promise.all([held(id), held(other)])).flat().sort(), [
      'already',
      'already',
      'disabled',
      'disabled',
    ])
    const [one, two] = order === 'first' ? [id, other] : [other, id]
    await undo(one)
    await work()
    assert.deepEqual(await disabledOf(people), [true, true], order)
    await undo(two)
    await work()
    assert.deepEqual(await disabledOf(people), [false, false], order)
  }
})

test('enables all accounts when two waves are undone at once (administration-31)', async () => {
  const { people, id, again } = await crowd(3)
  const other = await again()
  await decide(id)
  await decide(other)
  await work()
  await Promise.all([undo(id), undo(other)])
  const { run_account_wave: run } = waveTasks(SITE.removals)(ctx)
  await Promise.all([id, other].map(async (one) => run!({ id: one }, {} as never)))
  await work()
  assert.deepEqual(await disabledOf(people), all(people, false))
})

test('accepts one of several concurrent decisions on a wave (administration-31)', async () => {
  const { id } = await crowd(1)
  const answers = await Promise.all([decide(id), decide(id), decide(id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422])
})

test('continues after a killed process, with one bounded batch in each transaction (administration-32)', async () => {
  const { root, people, id } = await crowd(2 * BATCH + 10)
  for (const one of people.slice(0, 3))
    assert.equal((await as(one, 'PUT', `/user/followings/${root.id}`)).status, 204)
  await decide(id)
  const processed: number[] = []
  const statements: number[] = []
  for (let round = 0; round < 2; round += 1) {
    seen = []
    await runUntilKilled(id)
    statements.push(seen.length)
    seen = undefined
    // Requests between two batches wait for no lock of the job.
    const last = people.at(-1)!
    assert.equal((await as(last, 'PATCH', '/user', { bio: `Round ${round}` })).status, 204)
    assert.equal((await as(founder, 'GET', `/users/${people[0]!.id}`)).status, 404)
    assert.equal((await as(founder, 'GET', `/users/${last.id}`)).status, 200)
    processed.push((await wave(id)).processed)
    const states = Object.values(await outcomesOfAll(id))
    assert.equal(states.filter((state) => state === 'disabled').length, (round + 1) * BATCH)
  }
  assert.deepEqual(processed, [BATCH, 2 * BATCH])
  assert.ok(Math.max(...statements) <= STATEMENTS_MAX, `${statements}`)
  await work()
  assert.deepEqual(await disabledOf(people), all(people, true))
  assert.equal((await wave(id)).processed, people.length)
  await work()
  const { body } = await as(founder, 'GET', `/users/${root.id}`)
  assert.equal(body.extra.followers_count, 0)
})

const outcomesOfAll = async (id: number): Promise<Record<number, string>> =>
  Object.fromEntries(
    (
      await sql<{ user_id: number; state: string }[]>`
      select user_id, state from account_wave_members where wave_id = ${id}`
    ).map((row) => [row.user_id, row.state]),
  )

test('undoes a wave whose job is still running, and disables no further account (administration-32)', async () => {
  const { people, id } = await crowd(BATCH + 5)
  await decide(id)
  await runUntilKilled(id)
  assert.equal((await undo(id)).status, 204)
  assert.equal((await wave(id)).state, 'undoing')
  await work()
  assert.deepEqual(await disabledOf(people), all(people, false))
  const states = Object.values(await outcomesOfAll(id))
  assert.equal(states.filter((state) => state === 'enabled').length, BATCH)
  assert.equal(states.filter((state) => state === 'released').length, 5)
})

test('waits with the undo for the batch in progress (administration-32)', async () => {
  const { people, id } = await crowd(2)
  await decide(id)
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`select from users where id = ${people[1]!.id} for update`
    await isFree
  })
  const { run_account_wave: run } = waveTasks(SITE.removals)(ctx)
  const running = Promise.resolve(run!({ id }, {} as never))
  await untilWaiting(sql, 1)
  const undoing = undo(id)
  await untilWaiting(sql, 2)
  free()
  await holding
  assert.equal((await undoing).status, 204)
  await running
  await work()
  assert.deepEqual(await disabledOf(people), [false, false])
})

test('deletes accounts with their content after the waiting time (administration-33)', async () => {
  const { people, id } = await crowd(2)
  const [ann, kept] = people as [Person, Person]
  const friend = await person()
  const feed = await publish(ann, { feed_content: 'Spam of Ann' })
  const own = await publish(friend, { feed_content: 'Lunch' })
  const other = await publish(kept, { feed_content: 'Not spam' })
  const comment = await as(ann, 'POST', `/feeds/${own}/comments`, { body: 'Buy this' })
  assert.equal(comment.status, 201)
  assert.equal((await decide(id, 'delete')).status, 204)
  await work()
  const planned = await wave(id)
  assert.deepEqual([planned.state, planned.undoable], ['done', true])
  assert.ok(planned.due_at)
  assert.deepEqual(await disabledOf(people), [true, true])
  assert.equal((await as(friend, 'GET', `/feeds/${feed}`)).status, 200)
  await change(kept, { disabled: false })
  await sql`update account_waves set due_at = now() where id = ${id}`
  assert.deepEqual(refusalOf(await undo(id)), [422, 'wave_not_undoable'])
  await addJob(sql, 'resume_account_waves', {})
  await work()
  await work()
  assert.equal((await wave(id)).state, 'deleted')
  assert.equal((await as(friend, 'GET', `/feeds/${feed}`)).status, 404)
  assert.deepEqual((await as(friend, 'GET', `/feeds/${own}/comments`)).body.comments, [])
  assert.equal((await sql`select from users where id = ${ann.id} and erased_at is not null`).count, 1)
  assert.equal((await as(friend, 'GET', `/feeds/${other}`)).status, 200)
  assert.deepEqual(await outcomes(id), { [ann.id]: 'deleted', [kept.id]: 'kept' })
})

test('undoes a deletion within the waiting time (administration-33)', async () => {
  const { people, id } = await crowd(2)
  const feed = await publish(people[0]!, { feed_content: 'Kept' })
  await decide(id, 'delete')
  await work()
  assert.equal((await undo(id)).status, 204)
  await sql`update account_waves set due_at = now() where id = ${id}`
  await addJob(sql, 'resume_account_waves', {})
  await work()
  assert.deepEqual(await disabledOf(people), [false, false])
  assert.equal((await as(founder, 'GET', `/feeds/${feed}`)).status, 200)
})

test('says in the preview that a deletion without waiting time cannot be undone (administration-33)', async () => {
  await withSettings({ 'account:deletion-days': 0 }, async () => {
    const { people, id } = await crowd(1)
    assert.equal((await wave(id)).undoable, false)
    await decide(id, 'delete')
    await work()
    await work()
    assert.equal((await wave(id)).state, 'deleted')
    assert.equal(
      (await sql`select from users where id = ${people[0]!.id} and erased_at is not null`).count,
      1,
    )
    assert.deepEqual(refusalOf(await undo(id)), [422, 'wave_not_undoable'])
  })
})

test('requires the abilities to remove content for a deletion (administration-33)', async () => {
  assert.equal(
    (
      await as(founder, 'POST', '/admin/roles', {
        name: 'disabling',
        abilities: ['admin: login', 'admin:user:delete'],
      })
    ).status,
    201,
  )
  const moderator = await person({ roles: ['disabling'] })
  const { people, id } = await crowd(1)
  await sql`update token_families set network = '203.0.113.0/24' where user_id = ${people[0]!.id}`
  const networksFor = async (viewer: Person) =>
    (await as(viewer, 'GET', `/admin/account-waves/${id}/accounts`)).body.data[0].networks
  assert.deepEqual([await networksFor(moderator), await networksFor(founder)], [[], ['203.0.113.0/24']])
  assert.equal((await decide(id, 'delete', moderator)).status, 403)
  assert.equal((await decide(id, 'disable', moderator)).status, 204)
  assert.equal((await undo(id, moderator)).status, 204)
})

test('forgets a preview after a day (administration-30)', async () => {
  const [old, fresh, decided] = [await crowd(1), await crowd(1), await crowd(1)]
  await decide(decided.id)
  await sql`update account_waves set created_at = now() - interval '25 hours' where id in (${old.id}, ${decided.id})`
  await addJob(sql, 'tidy_account_waves', {})
  await work()
  const status = async ({ id }: { id: number }) =>
    (await as(founder, 'GET', `/admin/account-waves/${id}`)).status
  assert.deepEqual([await status(old), await status(fresh), await status(decided)], [404, 200, 200])
})
