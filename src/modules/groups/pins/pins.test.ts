import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupCounters } from '#modules/groups/index.ts'
import { ledgerChecks, moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { pinChecks } from '#modules/pinning/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { group, memberId, member, post } = groupMaker(world)

const fund = (who: Person, amount: number) =>
  moveFunds(sql, {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.issuance,
    to: who.id,
    amount,
    kind: 'adjustment',
    subject: { type: 'users', id: who.id },
  })
const balance = async (who: Person) => {
  const [row] = await sql<{ balance: number }[]>`
    select balance from ledger_accounts where owner_id = ${who.id} and currency = 'points'`
  return row?.balance ?? 0
}
const ids = (list: { id: number }[]) => list.map(({ id }) => id)
async function assertNoDrift() {
  for (const check of [...groupCounters, ...ledgerChecks, ...pinChecks])
    assert.deepEqual(await check.find(sql), [], check.name)
}

test('decides a pin request of a post once when acceptances and a rejection race (groups-26)', async () => {
  const founder = await person()
  const id = await group(founder)
  const alice = await member(id, founder)
  await fund(alice, 100)
  const postId = await post(alice, id)
  const url = `/currency-pinned/posts/${postId}`
  assert.equal((await as(alice, 'POST', url, { amount: 500, day: 1 })).status, 422)
  assert.equal((await as(alice, 'POST', url, { day: 1 })).status, 422)
  assert.equal((await as(await person(), 'POST', url, { amount: 5, day: 1 })).status, 403)
  assert.equal((await as(alice, 'POST', url, { amount: 60, day: 2 })).status, 201)
  for (const body of [{ amount: 10, day: 2 }, { amount: 500, day: 2 }, { amount: 'much' }]) {
    const again = await as(alice, 'POST', url, body)
    assert.deepEqual([again.status, again.headers['x-error-code']], [422, 'pin_open'])
  }
  assert.equal(await balance(alice), 40)
  const [request] = (await as(founder, 'GET', `/pinned/posts?group=${id}`)).body
  assert.deepEqual(
    [request.target, request.user.id, request.amount, request.state, request.status],
    [postId, alice.id, 60, 0, 0],
  )
  assert.deepEqual(ids((await as(founder, 'GET', '/pinned/posts?group=0')).body), [request.id])
  const counts = async () => {
    const { user } = (await as(founder, 'GET', '/user/counts')).body
    const { pinneds } = (await as(founder, 'GET', '/user/unread-count')).body
    return [user['post-pinned'], pinneds['group-posts'].count]
  }
  assert.deepEqual(await counts(), [1, 1])
  assert.equal((await as(founder, 'PATCH', '/user/counts', { type: 'post-pinned' })).status, 204)
  assert.deepEqual(await counts(), [0, 0])
  assert.deepEqual(ids((await as(alice, 'GET', '/user-group-posts?type=3')).body), [postId])
  assert.equal((await as(alice, 'PATCH', `${url}/accept`)).status, 403)
  const answers = await Promise.all(
    ['accept', 'accept', 'reject'].map((verb) => as(founder, 'PATCH', `${url}/${verb}`)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  assert.equal((await balance(founder)) + (await balance(alice)), 100)
  await assertNoDrift()
})

test('charges only for pins of posts that the founder accepts', async () => {
  const founder = await person()
  const id = await group(founder)
  const alice = await member(id, founder)
  await fund(alice, 100)
  const [one, two] = [await post(alice, id), await post(alice, id)]
  for (const each of [one, two]) await as(alice, 'POST', `/pinned/posts/${each}`, { amount: 30, day: 3 })
  assert.equal((await as(founder, 'PATCH', `/pinned/posts/${one}/accept`)).status, 201)
  assert.equal((await as(founder, 'PATCH', `/pinned/posts/${two}/reject`)).status, 201)
  assert.deepEqual([await balance(founder), await balance(alice)], [30, 70])
  assert.deepEqual(ids((await guest('GET', `/groups/${id}/posts`)).body.pinneds), [one])
  const [income] = (await as(founder, 'GET', `/groups/${id}/incomes?type=pinned`)).body
  assert.deepEqual([income.amount, income.user_id, income.type], [30, alice.id, 2])
  assert.equal((await as(founder, 'PATCH', `/pinned/posts/${one}/cancel`)).status, 201)
  assert.equal((await as(founder, 'PATCH', `/pinned/posts/${one}/cancel`)).status, 422)
  assert.deepEqual((await guest('GET', `/groups/${id}/posts`)).body.pinneds, [])
  assert.equal((await as(alice, 'POST', `/pinned/posts/${two}/create`, { day: 1 })).status, 403)
  assert.equal((await as(founder, 'POST', `/pinned/posts/${two}/create`, { day: 1 })).status, 201)
  assert.deepEqual(ids((await guest('GET', `/groups/${id}/posts`)).body.pinneds), [two])
  await assertNoDrift()
})

test('lets only the new founder accept a pending pin after a transfer of the group (groups-14)', async () => {
  const founder = await person()
  const id = await group(founder)
  const [alice, heir] = [await member(id, founder), await member(id, founder)]
  await fund(alice, 100)
  const [one, two] = [await post(alice, id), await post(alice, id)]
  for (const each of [one, two])
    await as(alice, 'POST', `/currency-pinned/posts/${each}`, { amount: 40, day: 1 })
  assert.equal((await as(alice, 'DELETE', `/groups/${id}/posts/${one}`)).status, 204)
  assert.equal(await balance(alice), 60)
  assert.equal((await as(founder, 'PATCH', `/groups/${id}/owner`, { target: heir.id })).status, 201)
  assert.equal((await as(founder, 'PATCH', `/currency-pinned/posts/${two}/accept`)).status, 403)
  assert.equal((await as(heir, 'PATCH', `/currency-pinned/posts/${two}/accept`)).status, 201)
  assert.deepEqual([await balance(founder), await balance(heir)], [0, 40])
  await assertNoDrift()
})

test('lets only the author of the post decide the pin of a comment (groups-27)', async () => {
  const founder = await person()
  const id = await group(founder)
  const [alice, author] = [await person(), await member(id, founder)]
  await fund(alice, 50)
  const postId = await post(author, id)
  const made = await as(alice, 'POST', `/group-posts/${postId}/comments`, { body: 'First!' })
  const url = `/currency-pinned/comments/${made.body.comment.id}`
  assert.equal((await as(author, 'POST', url, { amount: 5, day: 1 })).status, 403)
  assert.equal((await as(alice, 'POST', url, { amount: 20, day: 1 })).status, 201)
  for (const other of [alice, founder]) assert.equal((await as(other, 'PATCH', `${url}/accept`)).status, 403)
  const waiting = async (query = '') => (await as(author, 'GET', `/pinned/comments${query}`)).body
  const [request] = await waiting(`?post=${postId}`)
  assert.deepEqual([request.raw, request.comment.body, request.state], [postId, 'First!', 0])
  assert.deepEqual(ids(await waiting('?post=0')), ids(await waiting()))
  const counts = async () => {
    const { user } = (await as(author, 'GET', '/user/counts')).body
    const { pinneds } = (await as(author, 'GET', '/user/unread-count')).body
    return [user['post-comment-pinned'], pinneds['group-comments'].count]
  }
  assert.deepEqual(await counts(), [1, 1])
  assert.equal((await as(author, 'PATCH', `${url}/accept`)).status, 201)
  assert.deepEqual([(await waiting())[0].state, ...(await counts())], [1, 0, 0])
  assert.deepEqual([await balance(author), await balance(founder)], [20, 0])
  assert.equal((await guest('GET', `/group-posts/${postId}/comments`)).body.pinneds.length, 1)
  await assertNoDrift()
})

test('leaves no pending pin of a comment when the commented post is deleted concurrently (pins-12)', async () => {
  const founder = await person()
  const id = await group(founder)
  const alice = await person()
  await fund(alice, 500)
  for (let round = 0; round < 15; round += 1) {
    const postId = await post(founder, id)
    const made = await as(alice, 'POST', `/group-posts/${postId}/comments`, { body: 'First!' })
    const comment = made.body.comment.id
    const answers = await Promise.all([
      as(alice, 'POST', `/currency-pinned/comments/${comment}`, { amount: 20, day: 1 }),
      as(founder, 'DELETE', `/groups/${id}/posts/${postId}`),
    ])
    assert.ok([201, 404].includes(answers[0].status), String(answers[0].status))
    assert.equal(answers[1].status, 204)
    const waiting = await sql`select from pins where target_id = ${comment} and state = 'pending'`
    assert.equal(waiting.length, 0)
  }
  assert.equal(await balance(alice), 500)
  await assertNoDrift()
})

test('pays a reward of a post to its author (groups-12, groups-25)', async () => {
  const founder = await person()
  const id = await group(founder)
  const [alice, author] = [await member(id, founder), await member(id, founder)]
  await fund(alice, 50)
  const postId = await post(author, id)
  const url = `/group-posts/${postId}/new-rewards`
  assert.equal((await as(alice, 'POST', url, { amount: 15 })).status, 201)
  assert.deepEqual([await balance(author), await balance(founder), await balance(alice)], [15, 0, 35])
  const { body } = await guest('GET', `/groups/${id}/posts/${postId}`)
  assert.deepEqual([body.reward_amount, body.reward_number], [15, 1])
  assert.equal((await guest('GET', `/group-posts/${postId}/rewards`)).body.length, 1)
  await as(founder, 'PUT', `/groups/${id}/blacklist/${await memberId(id, alice)}`)
  assert.equal((await as(alice, 'POST', url, { amount: 1 })).status, 403)
  await assertNoDrift()
})

test('raises the average daily price after the acceptance of an expensive pin (pins-10)', async () => {
  const founder = await person()
  const id = await group(founder)
  const alice = await member(id, founder)
  await fund(alice, 100_000)
  const average = async () => (await as(alice, 'GET', '/plus-group/average')).body
  const postId = await post(alice, id)
  const url = `/currency-pinned/posts/${postId}`
  assert.equal((await as(alice, 'POST', url, { amount: 90_001, day: 1 })).status, 201)
  const before = await average()
  assert.equal((await as(founder, 'PATCH', `${url}/accept`)).status, 201)
  const after = await average()
  assert.ok(after.post > before.post)
  assert.equal(after.post_comment, before.post_comment)
  assert.equal((await guest('GET', '/plus-group/average')).status, 401)
})
