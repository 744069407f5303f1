import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { invalidatePeriodSums } from '#contracts/period-sums.ts'
import { commentCounters } from '#modules/comments/index.ts'
import { feedCounters } from '#modules/feeds/index.ts'
import { likeCounters } from '#modules/likes/index.ts'
import { topicCounters } from '#modules/topics/index.ts'
import { transaction } from '#platform/database'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createWorld, type Person } from '#test/world.ts'
import { feedTasks } from './module.ts'
import { deleteFeed, restoreFeed } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql } = world

const { publish, read } = feedsOf(world)
const people = (count: number) => Promise.all(Array.from({ length: count }, () => person()))
const extra = async (who: Person) => {
  const [row] = await sql<{ likes_count: number; comments_count: number; feeds_count: number }[]>`
    select likes_count, comments_count, feeds_count from user_counts where user_id = ${who.id}`
  return { ...row }
}
const told = async (who: Person) =>
  (await sql<{ type: string }[]>`select type from notifications where user_id = ${who.id} order by seq`).map(
    ({ type }) => type,
  )
async function assertNoDrift() {
  for (const check of [...feedCounters, ...topicCounters, ...likeCounters, ...commentCounters])
    assert.deepEqual(await check.find(sql), [], check.name)
}
const block = (who: Person, whom: Person) =>
  sql`insert into user_blocks (user_id, target_id) values (${who.id}, ${whom.id})`

describe('likes of feeds', () => {
  test('counts a repeated like once (feeds-18)', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    for (let i = 0; i < 2; i += 1) assert.equal((await as(bob, 'POST', `/feeds/${id}/like`)).status, 201)
    assert.equal((await read(id)).like_count, 1)
    assert.equal((await extra(alice)).likes_count, 1)
    assert.deepEqual(await told(alice), ['like'])
    const { body } = await guest('GET', `/feeds/${id}/likes`)
    assert.deepEqual([body[0].user_id, body[0].likeable_type, body[0].likeable_id], [bob.id, 'feeds', id])
    for (let i = 0; i < 2; i += 1) assert.equal((await as(bob, 'DELETE', `/feeds/${id}/unlike`)).status, 204)
    assert.equal((await read(id)).like_count, 0)
    assert.equal((await extra(alice)).likes_count, 0)
    assert.deepEqual(await told(alice), [])
  })

  test('rejects likes by guests and blocked users', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    assert.equal((await guest('POST', `/feeds/${id}/like`)).status, 401)
    assert.equal((await as(bob, 'POST', '/feeds/999999999/like')).status, 404)
    await block(alice, bob)
    assert.equal((await as(bob, 'POST', `/feeds/${id}/like`)).status, 403)
    assert.equal((await read(id)).like_count, 0)
  })

  test('keeps like counters exact under racing likes and unlikes', async () => {
    const [alice, ...others] = await people(7)
    const id = await publish(alice!)
    await Promise.all(
      others.flatMap((who) => Array.from({ length: 3 }, () => as(who, 'POST', `/feeds/${id}/like`))),
    )
    assert.equal((await read(id)).like_count, 6)
    await Promise.all(
      others.flatMap((who, i) => [
        as(who, 'DELETE', `/feeds/${id}/unlike`),
        ...(i % 2 ? [as(who, 'POST', `/feeds/${id}/like`)] : []),
      ]),
    )
    await assertNoDrift()
  })

  test("keeps the author's like count exact when a like races with a feed deletion (feeds-26)", async () => {
    const [alice, bob, carol] = [await person(), await person(), await person()]
    const [kept, gone] = [await publish(alice), await publish(alice)]
    for (const id of [kept, gone]) await as(bob, 'POST', `/feeds/${id}/like`)
    const answers = await Promise.all([
      as(alice, 'DELETE', `/feeds/${gone}/currency`),
      as(carol, 'POST', `/feeds/${gone}/like`),
      as(carol, 'POST', `/feeds/${gone}/comments`, { body: 'too late?' }),
    ])
    assert.equal(answers[0]!.status, 204)
    for (const { status } of answers.slice(1)) assert.ok([201, 404].includes(status))
    assert.equal((await extra(alice)).likes_count, 1)
    assert.equal((await as(carol, 'POST', `/feeds/${gone}/like`)).status, 404)
    await assertNoDrift()
  })
})

describe('comments on feeds', () => {
  test('counts a comment for the feed and the commenter', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    const made = await as(bob, 'POST', `/feeds/${id}/comments`, { body: 'Nice' })
    assert.equal(made.status, 201)
    assert.deepEqual(
      [made.body.comment.commentable_type, made.body.comment.commentable_id, made.body.comment.target_user],
      ['feeds', id, alice.id],
    )
    assert.equal((await read(id)).feed_comment_count, 1)
    assert.equal((await extra(bob)).comments_count, 1)
    assert.deepEqual(await told(alice), ['comment'])
    const list = (await guest('GET', `/feeds/${id}/comments`)).body
    assert.deepEqual([list.pinneds.length, list.comments.length], [0, 1])
    const url = `/feeds/${id}/comments/${made.body.comment.id}`
    assert.equal((await guest('GET', url)).body.user.id, bob.id)
    const other = await publish(alice)
    assert.equal((await guest('GET', url.replace(`/${id}/`, `/${other}/`))).status, 404)
    assert.equal((await as(bob, 'DELETE', url.replace(`/${id}/`, `/${other}/`))).status, 404)
    assert.equal((await as(alice, 'DELETE', url)).status, 403)
    assert.equal((await as(bob, 'DELETE', url)).status, 204)
    assert.equal((await read(id)).feed_comment_count, 0)
    assert.equal((await extra(bob)).comments_count, 0)
  })

  test('lets moderators delete comments (feeds-16)', async () => {
    const [alice, moderator] = [await person(), await person({ roles: ['founder'] })]
    const id = await publish(alice)
    const { comment } = (await as(alice, 'POST', `/feeds/${id}/comments`, { body: 'Nice' })).body
    assert.equal((await as(moderator, 'DELETE', `/feeds/${id}/comments/${comment.id}`)).status, 204)
  })

  test('rejects comments that are empty, unauthorized or on a deleted feed', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    const url = `/feeds/${id}/comments`
    assert.equal((await guest('POST', url, { body: 'x' })).status, 401)
    assert.equal((await as(bob, 'POST', url, {})).status, 422)
    await block(alice, bob)
    assert.equal((await as(bob, 'POST', url, { body: 'x' })).status, 403)
    await as(alice, 'DELETE', `/feeds/${id}`)
    assert.equal((await as(alice, 'POST', url, { body: 'x' })).status, 404)
    assert.equal((await guest('GET', url)).status, 404)
  })

  test('keeps comment counters exact under racing comments and deletions', async () => {
    const [alice, ...others] = await people(5)
    const id = await publish(alice!)
    const url = `/feeds/${id}/comments`
    const made = await Promise.all(
      others.flatMap((who) => [0, 1, 2].map((i) => as(who, 'POST', url, { body: `n${i}` }))),
    )
    assert.equal((await read(id)).feed_comment_count, 12)
    await Promise.all(
      made.flatMap(({ body }, i) => {
        const who = others[Math.floor(i / 3)]!
        return i % 3 ? [] : [0, 1].map(() => as(who, 'DELETE', `${url}/${body.comment.id}`))
      }),
    )
    assert.equal((await read(id)).feed_comment_count, 8)
    await assertNoDrift()
  })
})

describe('collections and reports of feeds', () => {
  test('returns 422 for a duplicate collection of a feed (feeds-22)', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    assert.equal((await as(bob, 'POST', `/feeds/${id}/collections`)).status, 201)
    assert.equal((await as(bob, 'POST', `/feeds/${id}/collections`)).status, 422)
    for (let i = 0; i < 2; i += 1)
      assert.equal((await as(bob, 'DELETE', `/feeds/${id}/uncollect`)).status, 204)
    assert.equal((await as(bob, 'POST', '/feeds/999999999/collections')).status, 404)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => as(bob, 'POST', `/feeds/${id}/collections`)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422])
  })

  test('stores the author and an excerpt of a reported feed (feeds-24)', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice, { feed_content: 'Something bad' })
    assert.equal((await as(bob, 'POST', `/feeds/${id}/reports`, { reason: 'spam' })).status, 201)
    const [report] =
      await sql`select * from reports where reportable_type = 'feeds' and reportable_id = ${id}`
    assert.deepEqual(
      [report!.user_id, report!.target_user, report!.subject, report!.reason],
      [bob.id, alice.id, 'Something bad', 'spam'],
    )
    assert.equal((await as(bob, 'POST', '/feeds/999999999/reports', {})).status, 404)
  })
})

describe('received comments and likes', () => {
  test('returns the feed with received comments and likes until the feed is deleted', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    await as(bob, 'POST', `/feeds/${id}/comments`, { body: 'Nice' })
    await as(bob, 'POST', `/feeds/${id}/like`)
    const comments = async () => (await as(alice, 'GET', '/user/comments')).body
    const likes = async () => (await as(alice, 'GET', '/user/likes')).body
    assert.equal((await comments())[0].commentable.id, id)
    assert.equal((await likes())[0].likeable.feed_content, 'Hello')
    const all = (await guest('GET', `/comments?author=${bob.id}`)).body
    assert.deepEqual(all[0].resourceable, { type: 'feeds', id })
    await as(alice, 'DELETE', `/feeds/${id}`)
    assert.equal((await comments())[0].commentable, null)
    assert.deepEqual(await likes(), [])
    assert.deepEqual((await guest('GET', `/comments?author=${bob.id}`)).body, [])
  })
})

describe('feed restoration', () => {
  test('restores a deleted feed to lists, search and counters (feeds-29)', async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice, { feed_content: 'phoenix rising' })
    await as(bob, 'POST', `/feeds/${id}/like`)
    const before = await extra(alice)
    await transaction(sql, (tx) => deleteFeed(tx, id, { userId: 0, anybodys: true }))
    assert.deepEqual(await extra(alice), { likes_count: 0, comments_count: 0, feeds_count: 0 })
    const restore = () => transaction(sql, (tx) => restoreFeed(world.ctx, tx, id))
    const outcomes = await Promise.allSettled([restore(), restore(), restore()])
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.deepEqual(await extra(alice), before)
    const find = async (query: string) => (await guest('GET', `/feeds?${query}`)).body.feeds
    assert.equal((await find('search=phoenix'))[0].id, id)
    assert.ok((await find('type=hot&limit=100')).some((feed: { id: number }) => feed.id === id))
    await assertNoDrift()
  })

  test('transfers many likes of a deleted and restored feed in batches, in any order of the jobs (feeds-43)', async () => {
    const alice = await person()
    const id = await publish(alice)
    await sql`
      with made as (
        insert into likes (likeable_type, likeable_id, user_id, target_user)
        select 'feeds', ${id}, 2000000 + n, ${alice.id} from generate_series(1, 1300) n returning likeable_id
      ),
      counted as (update user_counts set likes_count = likes_count + 1300 where user_id = ${alice.id})
      update feeds set like_count = 1300 where id = ${id}`
    const owned = async () => [
      (await sql`select from likes where target_user = ${alice.id}`).length,
      (await extra(alice)).likes_count,
    ]
    const transfer = (signal?: AbortSignal) =>
      feedTasks(world.ctx).transfer_feed_likes!({ id }, { abortSignal: signal } as never)
    await transaction(sql, (tx) => deleteFeed(tx, id, { userId: 0, anybodys: true }))
    assert.deepEqual(await owned(), [800, 800])
    await transaction(sql, (tx) => restoreFeed(world.ctx, tx, id))
    assert.deepEqual(await owned(), [1300, 1300])
    await transaction(sql, (tx) => deleteFeed(tx, id, { userId: 0, anybodys: true }))
    const stopped = new AbortController()
    stopped.abort()
    await assert.rejects(async () => transfer(stopped.signal))
    assert.deepEqual(await owned(), [800, 800])
    await transfer()
    assert.deepEqual(await owned(), [0, 0])
    await transaction(sql, (tx) => restoreFeed(world.ctx, tx, id))
    assert.deepEqual(await owned(), [500, 500])
    // The jobs of the deletion, of the restoration and of an earlier restoration do the same.
    await world.work()
    assert.deepEqual(await owned(), [1300, 1300])
  })

  test('brings back no withdrawn notifications with a restored feed (feeds-29)', async () => {
    const [alice, bob, cleo] = [await person(), await person(), await person()]
    const id = await publish(alice, { feed_content: 'once more' })
    const badge = async () => (await as(alice, 'GET', '/user/notification-statistics')).body.like.badge
    await as(bob, 'POST', `/feeds/${id}/like`)
    assert.equal(await badge(), 1)
    await transaction(sql, (tx) => deleteFeed(tx, id, { userId: 0, anybodys: true }))
    assert.equal(await badge(), 0)
    await transaction(sql, (tx) => restoreFeed(world.ctx, tx, id))
    assert.equal(await badge(), 0)
    await as(cleo, 'POST', `/feeds/${id}/like`)
    assert.equal(await badge(), 1)
    await assertNoDrift()
  })
})

describe('ranking of feed authors', () => {
  test('ranks authors by likes on feeds of a day, a week and a month (feeds-27)', async () => {
    await sql`update feeds set created_at = now() - interval '90 days'`
    const [first, second, third, disabled, viewer] = (await people(5)) as [
      Person,
      Person,
      Person,
      Person,
      Person,
    ]
    const likes = async (who: Person, count: number, age: string) => {
      const id = await publish(who)
      await sql`update feeds set like_count = ${count}, created_at = now() - ${age}::interval where id = ${id}`
    }
    await likes(first, 2, '0')
    await likes(first, 2, '3 days')
    await likes(second, 3, '0')
    await likes(third, 9, '20 days')
    await likes(disabled, 99, '0')
    await invalidatePeriodSums(sql)
    await sql`update users set deleted_at = now() where id = ${disabled.id}`
    const ranks = async (query: string) => {
      const answer = await as(viewer, 'GET', `/feeds/ranks?${query}`)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.map((user: { id: number; extra: { rank: number; count: number } }) => [
        user.id,
        user.extra.rank,
        user.extra.count,
      ])
    }
    assert.deepEqual(await ranks(''), [
      [second.id, 1, 3],
      [first.id, 2, 2],
    ])
    assert.deepEqual(await ranks('type=week'), [
      [first.id, 1, 4],
      [second.id, 2, 3],
    ])
    assert.deepEqual(await ranks('type=month&limit=1&offset=1'), [[first.id, 2, 4]])
    assert.equal((await guest('GET', '/feeds/ranks?type=year')).status, 422)
    await sql`update feeds f set like_count = (select count(*) from likes l
      where l.likeable_type = 'feeds' and l.likeable_id = f.id)`
    await invalidatePeriodSums(sql)
  })
})

describe('recount of feed counters', () => {
  test('repairs wrong feed counters with a recount', async () => {
    const [alice, bob] = [await person(), await person()]
    const topic = (await as(alice, 'POST', '/feed/topics', { name: 'Recounted' })).body.id
    const id = await publish(bob, { topics: [topic] })
    await as(alice, 'POST', `/feeds/${id}/like`)
    await sql`update feeds set like_count = 7, feed_comment_count = 7 where id = ${id}`
    await sql`update feed_hots set hot = 7 where feed_id = ${id}`
    await sql`update user_counts set feeds_count = 7 where user_id = ${bob.id}`
    await sql`delete from feed_topic_users where topic_id = ${topic} and user_id = ${bob.id}`
    const names = new Set<string>()
    for (const check of [...feedCounters, ...topicCounters]) {
      const wrong = await check.find(sql)
      if (wrong.length > 0) names.add(check.name)
      assert.equal(await check.mend(sql), wrong.length, check.name)
    }
    assert.deepEqual([...names].sort(), [
      'feed_hots.hot',
      'feed_topic_users.feeds_count',
      'feeds.feed_comment_count',
      'feeds.like_count',
      'user_counts.feeds_count',
    ])
    await assertNoDrift()
    assert.equal((await read(id)).like_count, 1)
  })
})
