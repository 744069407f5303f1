import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '#modules/accounts/index.ts'
import { pinWorld } from '#test/fixtures/pins.ts'
import { updateSettings } from '#test/settings.ts'
import { untilWaiting } from '#test/waiting.ts'
import { allTasks } from '../../worker.ts'
import { decidePin } from './queries.ts'

const {
  as,
  guest,
  sql,
  ctx,
  founder,
  give,
  points,
  rich,
  feedOf,
  pinFeed,
  pinOf,
  decide,
  approve,
  reject,
  audit,
  waitingComment,
} = await pinWorld()

test('checks the payment password of a pin request before its other fields', async () => {
  const anna = await rich()
  const ben = await rich()
  const feed = await feedOf(anna)
  await sql`update users set password = ${await hashPassword('correct horse')} where id = ${anna.id}`
  await updateSettings(ctx, sql, { 'pay-validate-user-password': true })
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
    await updateSettings(ctx, sql, {})
  }
})

test('expires a pin at its end (pins-2)', async () => {
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
  const [lasting, ended, stale] = [await feedOf(anna), await feedOf(anna), await feedOf(anna)]
  for (const other of [lasting, ended, stale])
    await as(founder, 'POST', '/admin/feed-pinneds', { feed: other, day: 2 })
  const { id: endedPin } = await pinOf('feed', ended)
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${endedPin}`)).status, 204)
  const shown = (await guest('GET', '/feeds')).body.pinned.map((f: { id: number }) => f.id)
  assert.deepEqual([shown.includes(lasting), shown.includes(ended)], [true, false])
  await sql`update pins set expires_at = now() - interval '1 second' where id = ${endedPin}`
  const { id: stalePin } = await pinOf('feed', stale)
  await sql`update pins set expires_at = now() - interval '1 second' where id = ${stalePin}`
  await allTasks(ctx).expire_pins?.({}, {} as never)
  assert.equal((await sql`select from pins where state = 'active' and expires_at <= now()`).length, 0)
  const states = await Promise.all([lasting, ended, stale].map((each) => pinOf('feed', each)))
  assert.deepEqual(
    states.map(({ state }) => state),
    ['active', 'cancelled', 'expired'],
  )
  await audit()
})

test('refunds pending pins of a deleted feed and its comments (pins-12)', async () => {
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

test('does not refund an active pin when its comment is deleted (pins-12)', async () => {
  const { author, applicant, feed, comment, pin } = await waitingComment()
  await approve(author, feed, comment, pin)
  assert.equal((await as(applicant, 'DELETE', `/feeds/${feed}/comments/${comment}`)).status, 204)
  assert.equal(await points(applicant), 900)
  assert.equal(await points(author), 100)
  assert.deepEqual((await guest('GET', `/feeds/${feed}/comments`)).body.pinneds, [])
  assert.equal((await as(author, 'GET', '/user/feed-comment-pinneds')).body[0].comment, null)
  await audit()
})

test('refunds a pending pin when its comment is deleted', async () => {
  const { applicant, feed, comment } = await waitingComment()
  const other = await waitingComment()
  assert.equal((await as(founder, 'DELETE', `/admin/feeds/${feed}/comments/${comment}`)).status, 204)
  assert.equal(await points(applicant), 1000)
  assert.equal((await pinOf('feed:comment', comment)).state, 'cancelled')
  assert.equal((await pinOf('feed:comment', other.comment)).state, 'pending')
  await audit()
})

test('creates one pin and one payment when requests for one feed race (pins-2)', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const answers = await Promise.all(Array.from({ length: 20 }, () => pinFeed(anna, feed)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(422)])
  assert.equal(await points(anna), 900)
  await audit()
})

test('decides a pin once when accept, reject and delete race', async () => {
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

test('charges a pin once when its content is deleted during the acceptance (pins-12)', async () => {
  for (const what of ['comment', 'feed']) {
    const { author, applicant, feed, comment, pin } = await waitingComment()
    let deleting: ReturnType<typeof as> | undefined
    await sql.begin(async (tx) => {
      await decidePin(tx, pin, { accept: true, by: author.id })
      deleting =
        what === 'feed'
          ? as(author, 'DELETE', `/feeds/${feed}/currency`)
          : as(applicant, 'DELETE', `/feeds/${feed}/comments/${comment}`)
      await untilWaiting(sql)
    })
    assert.equal((await deleting)?.status, 204, what)
    assert.deepEqual([await points(author), await points(applicant)], [100, 900], what)
    // A comment under a deleted feed keeps its active pin, because the feed may be restored.
    assert.equal((await pinOf('feed:comment', comment)).state, what === 'feed' ? 'active' : 'cancelled')
    await audit()
  }
})

test('replays the response to a pin request with the same Idempotency-Key', async () => {
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
