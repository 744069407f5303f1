import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinWorld } from '#test/fixtures/pins.ts'
import type { Person } from '#test/world.ts'

const {
  as,
  guest,
  person,
  founder,
  points,
  rich,
  feedOf,
  commentOf,
  pinFeed,
  pinComment,
  pinOf,
  decide,
  approve,
  reject,
  told,
  audit,
  waitingComment,
} = await pinWorld()

test('rejects a comment pin under the feed of a disabled account', async () => {
  const { author, applicant, feed, comment } = await waitingComment()
  await as(founder, 'PATCH', `/admin/users/${author.id}`, { disabled: true })
  const answer = await pinComment(applicant, feed, await commentOf(applicant, feed))
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'owner_gone'])
  assert.equal(await points(applicant), 900)
  assert.equal((await as(applicant, 'DELETE', `/feeds/${feed}/comments/${comment}`)).status, 204)
  assert.equal(await points(applicant), 1000)
})

test('pays the author of a feed for an accepted comment pin (pins-4, pins-6, pins-13)', async () => {
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

test('refunds a rejected comment pin (pins-7)', async () => {
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

test('lets only the author of the feed decide a comment pin (pins-6, pins-7)', async () => {
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

test('hides a pinned comment from a user who blocks its author (feeds-14)', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  const reader = await person()
  assert.equal((await approve(author, feed, comment, pin)).status, 201)
  const seen = async () => [
    (await as(reader, 'GET', `/feeds/${feed}/comments`)).body.pinneds.length,
    (await as(reader, 'GET', `/feeds?id=${feed}`)).body.feeds[0].comments.length,
  ]
  assert.deepEqual(await seen(), [1, 1])
  assert.equal((await as(reader, 'POST', `/user/black/${applicant.id}`)).status, 201)
  assert.deepEqual(await seen(), [0, 0])
})

test("pins a comment under the user's own feed immediately and for free (pins-5)", async () => {
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
