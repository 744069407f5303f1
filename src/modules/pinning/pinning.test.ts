import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetSettings, updateSettings } from '#modules/settings/index.ts'
import { hashPassword } from '#platform/passwords.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createWorld, type Person } from '#test/world.ts'
import { tasksOn } from '../../worker.ts'

const world = await createWorld()
const { as, guest, sql, ctx, person } = world
const founder = await person({ roles: ['founder', 'owner'] })

const give = (to: Person, amount: number) =>
  as(founder, 'POST', `/admin/users/${to.id}/points`, { amount, reason: 'test' })
const points = async (who: Person) => (await as(who, 'GET', '/user')).body.currency.sum as number
const rich = async (amount = 1000) => {
  const made = await person()
  await give(made, amount)
  return made
}
const { publish: feedOf } = feedsOf(world)
const commentOf = async (author: Person, feed: number) => {
  const { body } = await as(author, 'POST', `/feeds/${feed}/comments`, { body: 'a comment' })
  return body.comment.id as number
}
const pinFeed = (who: Person, feed: number, body: object = { amount: 100, day: 3 }, headers = {}) =>
  as(who, 'POST', `/feeds/${feed}/currency-pinneds`, body, headers)
const pinComment = (who: Person, feed: number, comment: number, body: object = { amount: 100, day: 3 }) =>
  as(who, 'POST', `/feeds/${feed}/comments/${comment}/currency-pinneds`, body)
const pinOf = async (channel: string, target: number) => {
  const [row] =
    await sql`select * from pins where channel = ${channel} and target_id = ${target} order by id desc`
  return row as { id: number; state: string; amount: number; expires_at: string | null }
}
const decide = (id: number, action: string, who = founder) =>
  as(who, 'PATCH', `/admin/feed-pinneds/${id}`, { action })
const approve = (who: Person, feed: number, comment: number, pin: number) =>
  as(who, 'PATCH', `/feeds/${feed}/comments/${comment}/currency-pinneds/${pin}`)
const reject = (who: Person, pin: number) => as(who, 'DELETE', `/user/feed-comment-currency-pinneds/${pin}`)
const told = async (who: Person) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data.map(
    ({ data }: { data: Record<string, unknown> }) => [data.type, data.state],
  )
const audit = async () => {
  const { body } = await as(founder, 'GET', '/admin/ledger/audit')
  assert.deepEqual([body.balanced, body.drift], [true, []])
}
/** A comment of somebody under a feed of somebody else, with a request to pin it. */
const waitingComment = async () => {
  const author = await rich(0)
  const applicant = await rich()
  const feed = await feedOf(author)
  const comment = await commentOf(applicant, feed)
  assert.equal((await pinComment(applicant, feed, comment)).status, 201)
  const pin = await pinOf('feed:comment', comment)
  return { author, applicant, feed, comment, pin: pin.id }
}

test('asking to pin a feed takes the points at once; accepting shows it first, and tells the author', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const asked = await pinFeed(anna, feed)
  assert.equal(asked.status, 201)
  assert.ok(Array.isArray(asked.body.message))
  assert.equal(await points(anna), 900)
  assert.equal(
    (await as(anna, 'GET', '/feeds')).body.pinned.some((f: { id: number }) => f.id === feed),
    false,
  )
  const pin = await pinOf('feed', feed)
  assert.equal(pin.state, 'pending')
  assert.equal((await decide(pin.id, 'accept')).status, 204)
  const { body } = await guest('GET', '/feeds')
  assert.ok(body.pinned.some((f: { id: number }) => f.id === feed))
  assert.ok(body.feeds.some((f: { id: number }) => f.id === feed))
  assert.deepEqual((await guest('GET', `/feeds?after=${feed}`)).body.pinned, [])
  assert.deepEqual(await told(anna), [['pinned:feeds', 'passed']])
  const mine = (await as(anna, 'GET', `/feeds?type=users&screen=pinned`)).body.feeds
  assert.deepEqual(
    mine.map((f: { id: number }) => f.id),
    [feed],
  )
  assert.equal(await points(anna), 900)
  await audit()
})

test('a rejected feed pin gives the points back, and may be asked for again', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  await pinFeed(anna, feed)
  const pin = await pinOf('feed', feed)
  assert.equal((await decide(pin.id, 'reject')).status, 204)
  assert.equal(await points(anna), 1000)
  assert.deepEqual(await told(anna), [['pinned:feeds', 'rejected']])
  for (const action of ['accept', 'reject']) assert.equal((await decide(pin.id, action)).status, 403)
  assert.equal((await pinFeed(anna, feed)).status, 201)
  await audit()
})

test('the checks come in order: identity, existence, password, author, open pin, body, balance', async () => {
  const anna = await rich(50)
  const ben = await rich()
  const feed = await feedOf(anna)
  const path = `/feeds/${feed}/currency-pinneds`
  assert.equal((await guest('POST', path, { amount: 1, day: 1 })).status, 401)
  for (const body of [{}, { amount: 1, day: 1 }]) {
    assert.equal((await as(anna, 'POST', '/feeds/999999/currency-pinneds', body)).status, 404)
    assert.equal((await as(ben, 'POST', path, body)).status, 403)
  }
  const bad = [
    [{}, ['amount', 'day']],
    [{ amount: 0, day: 1 }, ['amount']],
    [{ amount: 51, day: 1 }, ['amount']],
    [{ amount: -5, day: 1 }, ['amount']],
    [{ amount: 1.5, day: 1 }, ['amount']],
    [{ amount: 1, day: 0 }, ['day']],
    [{ amount: 1, day: 366 }, ['day']],
    [{ amount: 10 ** 13, day: 1 }, ['amount']],
  ] as const
  for (const [body, fields] of bad) {
    const answer = await pinFeed(anna, feed, body)
    assert.equal(answer.status, 422)
    assert.deepEqual(Object.keys(answer.body.errors).sort(), [...fields])
  }
  assert.equal((await pinFeed(anna, feed, { amount: '50', day: '365' })).status, 201)
  for (const body of [{}, { amount: 1, day: 1 }]) {
    const again = await pinFeed(anna, feed, body)
    assert.deepEqual([again.status, again.headers['x-error-code']], [422, 'pin_open'])
  }
  assert.equal(await points(anna), 0)
})

test('a comment under the feed of a disabled account cannot be pinned: nobody would decide', async () => {
  const { author, applicant, feed, comment } = await waitingComment()
  await as(founder, 'PATCH', `/admin/users/${author.id}`, { disabled: true })
  const answer = await pinComment(applicant, feed, await commentOf(applicant, feed))
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'owner_gone'])
  assert.equal(await points(applicant), 900)
  // What waits may be taken back with the comment.
  assert.equal((await as(applicant, 'DELETE', `/feeds/${feed}/comments/${comment}`)).status, 204)
  assert.equal(await points(applicant), 1000)
})

test('while the site asks for a password, a wrong one is 403 before anything else but 404', async () => {
  const anna = await rich()
  const ben = await rich()
  const feed = await feedOf(anna)
  await sql`update users set password = ${await hashPassword('correct horse')} where id = ${anna.id}`
  await updateSettings(ctx, sql, { 'pay-validate-user-password': true })
  forgetSettings(ctx)
  try {
    assert.equal((await as(anna, 'POST', '/feeds/999999/currency-pinneds', {})).status, 404)
    for (const body of [{}, { amount: 1, day: 1 }, { amount: 1, day: 1, password: 'wrong horse' }]) {
      const answer = await pinFeed(anna, feed, body)
      assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'wrong_password'])
    }
    const unset = await pinFeed(ben, feed, { amount: 1, day: 1, password: 'x' })
    assert.deepEqual([unset.status, unset.headers['x-error-code']], [403, 'password_not_set'])
    assert.equal((await pinFeed(anna, feed, { amount: 0, day: 1, password: 'correct horse' })).status, 422)
    assert.equal((await pinFeed(anna, feed, { amount: 1, day: 1, password: 'correct horse' })).status, 201)
  } finally {
    await sql`delete from settings`
    forgetSettings(ctx)
  }
})

test('the author of a feed accepts a comment pin and is paid; the comment then comes first', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  const later = await commentOf(author, feed)
  assert.equal(await points(applicant), 900)
  assert.equal((await as(author, 'GET', '/user/counts')).body.user['feed-comment-pinned'], 1)
  const [asked] = (await as(author, 'GET', '/user/feed-comment-pinneds')).body
  assert.deepEqual(
    [asked.id, asked.state, asked.feed.id, asked.comment.id, asked.user.id],
    [pin, 'pending', feed, comment, applicant.id],
  )
  const done = await approve(author, feed, comment, pin)
  assert.equal(done.status, 201)
  assert.ok(Array.isArray(done.body.message))
  assert.equal(await points(author), 100)
  assert.equal((await as(author, 'GET', '/user/counts')).body.user['feed-comment-pinned'], 0)
  assert.deepEqual(await told(applicant), [['pinned:feed/comment', 'passed']])
  assert.equal((await approve(author, feed, comment, pin)).status, 422)
  assert.equal((await reject(author, pin)).status, 422)
  const { body } = await guest('GET', `/feeds/${feed}/comments`)
  assert.deepEqual(
    body.pinneds.map((c: { id: number }) => c.id),
    [comment],
  )
  assert.deepEqual(
    body.comments.map((c: { id: number }) => c.id),
    [later, comment],
  )
  const preview = (await guest('GET', `/feeds?id=${feed}`)).body.feeds[0].comments
  assert.deepEqual(
    preview.map((c: { id: number; pinned?: boolean }) => [c.id, c.pinned]),
    [
      [comment, true],
      [later, undefined],
    ],
  )
  const income = (await as(author, 'GET', '/currency/orders')).body[0]
  assert.deepEqual([income.type, income.amount, income.state], [1, 100, 1])
  assert.equal(income.target_id, String(applicant.id))
  const [paid] = (await as(applicant, 'GET', '/currency/orders')).body
  assert.deepEqual([paid.type, paid.target_type, paid.target_id], [-1, 'user', String(author.id)])
  await audit()
})

test('a rejected comment pin gives the points back and leaves an order that is done', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  assert.equal((await reject(author, pin)).status, 204)
  assert.equal(await points(applicant), 1000)
  assert.equal(await points(author), 0)
  const [order] = (await as(applicant, 'GET', '/currency/orders')).body
  assert.deepEqual([order.type, order.amount, order.state], [1, 100, 1])
  assert.equal(order.target_id, String(author.id))
  assert.deepEqual(await told(applicant), [['pinned:feed/comment', 'rejected']])
  assert.equal((await approve(author, feed, comment, pin)).status, 422)
  assert.equal((await reject(author, pin)).status, 422)
  await audit()
})

test('nobody accepts or rejects a pin that is not addressed to them, whatever path they name', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  const stranger = await rich()
  const moderator = await person({ roles: ['founder', 'owner'] })
  const ownFeed = await feedOf(stranger)
  const ownComment = await commentOf(stranger, ownFeed)
  const otherComment = await commentOf(applicant, feed)
  const feedPin = await rich()
  const pinnedFeed = await feedOf(feedPin)
  await pinFeed(feedPin, pinnedFeed)
  const { id: feedPinId } = await pinOf('feed', pinnedFeed)
  const path = (f: number, c: number, p: number) => `/feeds/${f}/comments/${c}/currency-pinneds/${p}`
  assert.equal((await guest('PATCH', path(feed, comment, pin))).status, 401)
  assert.equal((await guest('DELETE', `/user/feed-comment-currency-pinneds/${pin}`)).status, 401)
  for (const who of [stranger, applicant, moderator, founder]) {
    assert.equal((await approve(who, feed, comment, pin)).status, 403)
    assert.equal((await reject(who, pin)).status, 422)
  }
  // Through one's own feed, another comment, or a pin of another kind.
  for (const [f, c] of [
    [ownFeed, ownComment],
    [ownFeed, comment],
    [feed, ownComment],
    [feed, otherComment],
    [feed, 999999],
    [999999, comment],
  ] as const)
    for (const who of [stranger, author])
      assert.equal((await approve(who, f, c, pin)).status, 404, `${f} ${c}`)
  assert.equal((await approve(author, feed, comment, feedPinId)).status, 404)
  assert.equal((await approve(author, feed, comment, 999999)).status, 404)
  assert.equal((await reject(author, feedPinId)).status, 422)
  assert.equal((await reject(author, 999999)).status, 404)
  // The administration decides on pins of feeds only.
  assert.equal((await decide(pin, 'accept')).status, 404)
  for (const who of [feedPin, stranger, author])
    assert.equal((await decide(feedPinId, 'accept', who)).status, 403)
  for (const who of [stranger, author, moderator])
    assert.equal((await pinComment(who, feed, comment)).status, 403)
  assert.equal((await pinComment(applicant, ownFeed, comment)).status, 404)
  assert.equal((await pinComment(applicant, feed, 999999)).status, 404)
  assert.deepEqual((await as(stranger, 'GET', '/user/feed-comment-pinneds')).body, [])
  assert.equal((await decide(feedPinId, 'other')).status, 422)
  assert.equal((await pinOf('feed:comment', comment)).state, 'pending')
  assert.equal(await points(applicant), 900)
  assert.equal((await approve(author, feed, comment, pin)).status, 201)
})

test('a comment under one’s own feed is pinned at once and for nothing', async () => {
  const anna = await rich(10)
  const feed = await feedOf(anna)
  const comment = await commentOf(anna, feed)
  assert.equal((await pinComment(anna, feed, comment, { amount: 500, day: 2 })).status, 201)
  assert.equal(await points(anna), 10)
  assert.deepEqual([(await pinOf('feed:comment', comment)).state], ['active'])
  assert.equal((await as(anna, 'GET', `/feeds/${feed}/comments`)).body.pinneds[0].id, comment)
  const end = (who: Person) => as(who, 'DELETE', `/feeds/${feed}/comments/${comment}/unpinned`)
  assert.equal((await end(founder)).status, 403)
  assert.equal((await end(anna)).status, 204)
  assert.equal((await end(anna)).status, 422)
  assert.deepEqual((await as(anna, 'GET', `/feeds/${feed}/comments`)).body.pinneds, [])
  await audit()
})

test('a pin ends by itself, and then its feed may be pinned again', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  await pinFeed(anna, feed)
  const { id } = await pinOf('feed', feed)
  await decide(id, 'accept')
  await sql`update pins set expires_at = now() - interval '1 second' where id = ${id}`
  assert.equal(
    (await guest('GET', '/feeds')).body.pinned.some((f: { id: number }) => f.id === feed),
    false,
  )
  assert.equal((await as(founder, 'GET', `/admin/feed-pinneds/${id}`)).body.state, 'expired')
  assert.equal((await pinFeed(anna, feed)).status, 201)
  await sql`update pins set state = 'active', expires_at = now() - interval '1 second' where id = ${id}`.catch(
    () => {},
  )
  await tasksOn(ctx).expire_pins?.({}, {} as never)
  assert.equal((await sql`select from pins where state = 'active' and expires_at <= now()`).length, 0)
  await audit()
})

test('deleting a feed cancels what waits on it and its comments, and pays it back', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  await give(author, 500)
  await pinFeed(author, feed, { amount: 300, day: 1 })
  const { id: feedPin } = await pinOf('feed', feed)
  assert.equal((await as(applicant, 'DELETE', `/feeds/${feed}/currency`)).status, 403)
  assert.equal((await as(author, 'DELETE', `/feeds/${feed}/currency`)).status, 204)
  assert.equal((await as(author, 'DELETE', `/feeds/${feed}/currency`)).status, 404)
  assert.equal(await points(author), 500)
  assert.equal(await points(applicant), 1000)
  assert.equal((await pinOf('feed', feed)).state, 'cancelled')
  assert.equal((await pinOf('feed:comment', comment)).state, 'cancelled')
  assert.equal((await decide(feedPin, 'accept')).status, 403)
  assert.equal((await approve(author, feed, comment, pin)).status, 404)
  assert.equal((await reject(author, pin)).status, 422)
  assert.equal((await as(author, 'GET', '/user/feed-comment-pinneds')).body[0].feed, null)
  await audit()
})

test('a shown pin is not paid back when its feed or comment is deleted', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  await approve(author, feed, comment, pin)
  assert.equal((await as(applicant, 'DELETE', `/feeds/${feed}/comments/${comment}`)).status, 204)
  assert.equal(await points(applicant), 900)
  assert.equal(await points(author), 100)
  assert.deepEqual((await guest('GET', `/feeds/${feed}/comments`)).body.pinneds, [])
  assert.equal((await as(author, 'GET', '/user/feed-comment-pinneds')).body[0].comment, null)
  await audit()
})

test('deleting a comment cancels the request to pin it and pays it back', async () => {
  const { applicant, feed, comment } = await waitingComment()
  assert.equal((await as(founder, 'DELETE', `/admin/feeds/${feed}/comments/${comment}`)).status, 204)
  assert.equal(await points(applicant), 1000)
  assert.equal((await pinOf('feed:comment', comment)).state, 'cancelled')
  await audit()
})

test('racing requests make one pin and one payment', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const answers = await Promise.all(Array.from({ length: 20 }, () => pinFeed(anna, feed)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(422)])
  assert.equal(await points(anna), 900)
  await audit()
})

test('approving against rejecting against deleting has one outcome and moves the points once', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { author, applicant, feed, comment, pin } = await waitingComment()
    const answers = await Promise.all([
      approve(author, feed, comment, pin),
      approve(author, feed, comment, pin),
      reject(author, pin),
      reject(author, pin),
      ...(round % 2 ? [as(applicant, 'DELETE', `/feeds/${feed}/comments/${comment}`)] : []),
      ...(round % 3 ? [as(author, 'DELETE', `/feeds/${feed}/currency`)] : []),
    ])
    for (const { status } of answers) assert.ok([201, 204, 404, 422].includes(status), String(status))
    const { state } = await pinOf('feed:comment', comment)
    const [paid] =
      await sql`select sum(amount)::int as n from ledger_postings where subject_type = 'pins' and subject_id = ${pin} and owner_id = ${author.id}`
    const accepted = paid?.n === 100
    assert.equal(await points(author), accepted ? 100 : 0)
    assert.equal(await points(applicant), accepted ? 900 : 1000)
    assert.notEqual(state, 'pending')
    const decided = answers.slice(0, 4).filter(({ status }) => status === 201 || status === 204).length
    assert.ok(decided <= 1, `${decided} decisions`)
  }
  await audit()
})

test('a key answers a retried request, although a pin is open by then', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const key = { 'idempotency-key': `pin-${feed}` }
  const first = await pinFeed(anna, feed, { amount: 100, day: 3 }, key)
  const again = await pinFeed(anna, feed, { amount: 100, day: 3 }, key)
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(await points(anna), 900)
  const drop = () => as(anna, 'DELETE', `/feeds/${feed}/currency`, undefined, { 'idempotency-key': 'del' })
  assert.equal((await drop()).status, 204)
  const replay = await drop()
  assert.deepEqual([replay.status, replay.body, replay.headers['idempotency-replayed']], [204, null, 'true'])
  assert.equal(await points(anna), 1000)
})

test('the average of a day is that of the pins accepted in the last week', async () => {
  await sql`update pins set created_at = now() - interval '8 days'`
  const anna = await rich()
  assert.deepEqual((await as(anna, 'GET', '/feeds/average')).body, { feed: 100, feed_comment: 100 })
  for (const [amount, day] of [
    [10, 3],
    [5, 4],
  ]) {
    const feed = await feedOf(anna)
    await pinFeed(anna, feed, { amount, day })
    await decide((await pinOf('feed', feed)).id, 'accept')
  }
  await pinFeed(anna, await feedOf(anna), { amount: 900, day: 1 })
  assert.deepEqual((await as(anna, 'GET', '/feeds/average')).body, { feed: 3, feed_comment: 100 })
})

test('pinned feeds come dearest first, without those of people the viewer blocks', async () => {
  await sql`update pins set state = 'expired' where state = 'active'`
  const anna = await rich()
  const ben = await rich()
  const viewer = await person()
  const pins: number[] = []
  for (const [who, amount] of [
    [anna, 10],
    [ben, 50],
    [anna, 30],
  ] as const) {
    const feed = await feedOf(who)
    pins.push(feed)
    await pinFeed(who, feed, { amount, day: 1 })
    await decide((await pinOf('feed', feed)).id, 'accept')
  }
  const ids = async (who: Person) =>
    (await as(who, 'GET', '/feeds')).body.pinned.map((f: { id: number }) => f.id)
  assert.deepEqual(await ids(viewer), [pins[1], pins[2], pins[0]])
  assert.deepEqual((await as(viewer, 'GET', '/feeds?type=follow')).body.pinned, [])
  await sql`insert into user_blocks (user_id, target_id) values (${viewer.id}, ${ben.id})`
  assert.deepEqual(await ids(viewer), [pins[2], pins[0]])
  await as(anna, 'DELETE', `/feeds/${pins[2]}`)
  assert.deepEqual(await ids(viewer), [pins[0]])
})

test('an administrator pins for nothing, extends, lists and ends', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const pin = (day: number) => as(founder, 'POST', '/admin/feed-pinneds', { feed, day })
  const made = await pin(2)
  assert.equal(made.status, 201)
  const before = (await as(founder, 'GET', `/admin/feed-pinneds/${made.body.id}`)).body.expires_at
  assert.deepEqual((await pin(3)).body, made.body)
  const after = (await as(founder, 'GET', `/admin/feed-pinneds/${made.body.id}`)).body.expires_at
  assert.equal((Date.parse(after) - Date.parse(before)) / 86_400_000, 3)
  assert.deepEqual((await told(anna))[0], ['pinned:feeds', 'admin'])
  const list = (await as(founder, 'GET', `/admin/feed-pinneds?feed=${feed}&state=active`)).body
  assert.deepEqual([list.total, list.data[0].user.id], [1, anna.id])
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${made.body.id}`)).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${made.body.id}`)).status, 422)
  assert.equal((await as(founder, 'POST', '/admin/feed-pinneds', { feed: 999999, day: 1 })).status, 422)
  assert.equal((await pinFeed(anna, feed, { amount: 70, day: 1 })).status, 201)
  assert.equal((await pin(1)).status, 422)
  const { id } = await pinOf('feed', feed)
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${id}`)).status, 204)
  assert.equal(await points(anna), 1000)
  await audit()
})
