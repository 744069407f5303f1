import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, timelinesOf } from '#test/fixtures/timelines.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld } from '#test/world.ts'
import { feedRanks, feedViewCounts } from '../counters.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const { publish, publishMany, nextMark, list, pages, block, follow } = timelinesOf(world)

describe('newest feeds', () => {
  test('pages through the newest feeds without gaps or duplicates (feeds-1)', async () => {
    const alice = await person()
    const ids = await publishMany(alice, 8)
    const gone = ids.splice(3, 1)
    await as(alice, 'DELETE', `/feeds/${gone[0]}`)
    const first = ids[0]!
    const found = await pages((last) => list(`limit=3${last ? `&after=${last.id}` : ''}`))
    assert.deepEqual(
      found.filter((id) => id >= first),
      ids.toReversed(),
    )
    assert.equal(new Set(found).size, found.length)
    assert.deepEqual(idsOf(await list('type=new&limit=2&after=0')), ids.slice(-2).toReversed())
  })

  test('returns fifteen feeds by default', async () => {
    const alice = await person()
    await publishMany(alice, 16)
    assert.equal((await list('')).length, 15)
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'type=old', 'after=-1', 'screen=free', 'id=x'])
      assert.equal((await guest('GET', `/feeds?${query}`)).status, 422, query)
  })

  test('omits feeds of authors whom the viewer blocks (feeds-14)', async () => {
    const [alice, bob, viewer] = [await person(), await person(), await person()]
    const [theirs, other] = [await publish(alice), await publish(bob)]
    await block(viewer, alice)
    const seen = idsOf(await list('limit=2', viewer))
    assert.ok(!seen.includes(theirs) && seen.includes(other))
    assert.ok(idsOf(await list('limit=2')).includes(theirs))
  })

  test('returns feeds by id regardless of the parameter `type` (feeds-2)', async () => {
    const alice = await person()
    const ids = await publishMany(alice, 17)
    assert.deepEqual(idsOf(await list(`id=${ids.join()}&type=hot`)), ids.toReversed())
    assert.deepEqual(idsOf(await list(`id[]=${ids[0]}&id[]=${ids[1]}&id[]=999999999`)), [ids[1], ids[0]])
    assert.deepEqual(idsOf(await list(`id=${ids.join()}&limit=2&after=${ids[5]}`)), [ids[4], ids[3]])
  })

  test("returns a feed's pictures, the viewer's flags and null for a disabled author", async () => {
    const [alice, viewer] = [await person(), await person()]
    const file = await uploadPicture(world, alice)
    const id = await publish(alice, { images: [{ id: file }] })
    await as(viewer, 'POST', `/feeds/${id}/like`)
    await as(viewer, 'POST', `/feeds/${id}/collections`)
    const [mine] = await list(`id=${id}`, viewer)
    const [guests] = await list(`id=${id}`)
    assert.deepEqual([mine!.has_like, mine!.has_collect], [true, true])
    assert.deepEqual([guests!.has_like, guests!.has_collect], [false, false])
    assert.deepEqual((mine as unknown as { images: object[] }).images, [
      { file, size: '30x20', mime: 'image/png' },
    ])
    await sql`update users set deleted_at = now() where id = ${alice.id}`
    const [orphan] = await list(`id=${id}`)
    assert.equal((orphan as unknown as { user: null }).user, null)
  })

  test('previews the five newest comments, except those by users whom the viewer blocks (feeds-7)', async () => {
    const [alice, bob, viewer] = [await person(), await person(), await person()]
    const id = await publish(alice)
    const made: number[] = []
    for (let i = 0; i < 7; i += 1)
      made.push(
        (await as(i % 2 ? bob : alice, 'POST', `/feeds/${id}/comments`, { body: `c${i}` })).body.comment.id,
      )
    const [item] = await list(`id=${id}`)
    assert.deepEqual(idsOf(item!.comments), made.slice(2).toReversed())
    await block(viewer, bob)
    const [filtered] = await list(`id=${id}`, viewer)
    assert.deepEqual(idsOf(filtered!.comments), [made[6], made[4], made[2], made[0]])
  })
})

describe('feed search', () => {
  test('finds parts of words in Chinese and Latin text (feeds-2)', async () => {
    const alice = await person()
    const chinese = await publish(alice, { feed_content: '今天我们去爬长城' })
    const latin = await publish(alice, { feed_content: 'A Quixotic_idea at 100% speed' })
    const find = async (text: string) => idsOf(await list(`search=${encodeURIComponent(text)}`))
    for (const text of ['长', '长城', '爬长城']) assert.deepEqual(await find(text), [chinese], text)
    for (const text of ['quixo', 'IXOTIC', 'c_i', '100%', 'QUIXOTIC_IDEA AT'])
      assert.deepEqual(await find(text), [latin], text)
    assert.deepEqual(await find('quixotic%idea'), [])
    await as(alice, 'DELETE', `/feeds/${latin}`)
    assert.deepEqual(await find('quixo'), [])
  })

  test('pages through search results without blocked authors', async () => {
    const [alice, bob, viewer] = [await person(), await person(), await person()]
    const ids = [
      ...(await publishMany(alice, 4, { feed_content: 'zygomorphic' })),
      ...(await publishMany(bob, 1, { feed_content: 'zygomorphic too' })),
    ]
    const found = await pages((last) => list(`search=ygomor&limit=2${last ? `&after=${last.id}` : ''}`))
    assert.deepEqual(found, ids.toReversed())
    await block(viewer, bob)
    assert.deepEqual(idsOf(await list('search=ygomor', viewer)), ids.slice(0, 4).toReversed())
    assert.deepEqual(idsOf(await list(`search=ygomor&id=${ids[1]}`)), [ids[1]])
  })
})

describe('followed timeline', () => {
  test('requires sign-in (feeds-4)', async () => {
    assert.equal((await guest('GET', '/feeds?type=follow')).status, 401)
  })

  test('returns feeds of the viewer and of followed users', async () => {
    const [viewer, alice, bob, stranger] = [await person(), await person(), await person(), await person()]
    await Promise.all([follow(viewer, alice), follow(viewer, bob)])
    const ids: number[] = []
    for (let i = 0; i < 4; i += 1)
      for (const who of [alice, bob, viewer, stranger]) {
        const id = await publish(who)
        if (who !== stranger) ids.push(id)
      }
    const all = await pages((last) => list(`type=follow&limit=5${last ? `&after=${last.id}` : ''}`, viewer))
    assert.deepEqual(all, ids.toReversed())
    // Exceeds the number of followed users above which the server scans the newest feeds.
    await sql`update user_counts set followings_count = 1000 where user_id = ${viewer.id}`
    for (const limit of [2, 5])
      assert.deepEqual(
        await pages((last) => list(`type=follow&limit=${limit}${last ? `&after=${last.id}` : ''}`, viewer)),
        all,
      )
    await block(viewer, bob)
    assert.ok((await list('type=follow&limit=2', viewer)).every(({ user_id }) => user_id !== bob.id))
    await sql`update user_counts set followings_count = 2 where user_id = ${viewer.id}`
    const some = await list('type=follow&limit=100', viewer)
    assert.deepEqual(new Set(some.map(({ user_id }) => user_id)), new Set([alice.id, viewer.id]))
  })

  test('returns the same followed feeds as a scan of all feeds', async () => {
    const [viewer, ...authors] = await Promise.all(Array.from({ length: 25 }, () => person()))
    const followed = authors.filter((_, n) => n % 6 !== 0)
    for (const author of followed) await follow(viewer!, author)
    const blocked = followed.at(-1)!
    await block(viewer!, blocked)
    for (let n = 0; n < 150; n += 1) {
      const author = authors[Math.floor(n / 7) % 3 === 0 ? (n * n) % 24 : n % 5] ?? authors[0]!
      await sql`
        insert into feeds (user_id, feed_content, feed_from, feed_mark, deleted_at)
        values (${author.id}, 'text', 1, ${nextMark()}, ${n % 11 === 0 ? new Date() : null})`
    }
    const readers = [viewer!.id, ...followed.filter((author) => author !== blocked).map(({ id }) => id)]
    const expected = await sql<{ id: number }[]>`
      select id from feeds where user_id = any(${readers}) and deleted_at is null order by id desc`
    for (const limit of [1, 4, 30]) {
      const found = await pages((last) =>
        list(`type=follow&limit=${limit}${last ? `&after=${last.id}` : ''}`, viewer),
      )
      assert.deepEqual(found, idsOf(expected))
    }
    // Deletes these feeds, because other tests in this file scan all feeds.
    await sql`delete from feeds where user_id = any(${authors.map(({ id }) => id)})`
  })
})

describe('feeds of one user', () => {
  test('lists feeds of the given user, by default of the viewer (feeds-5)', async () => {
    const [alice, viewer] = [await person(), await person()]
    const theirs = await publishMany(alice, 5)
    const mine = await publish(viewer)
    const found = await pages((last) =>
      list(`type=users&user=${alice.id}&limit=2${last ? `&after=${last.id}` : ''}`),
    )
    assert.deepEqual(found, theirs.toReversed())
    assert.deepEqual(idsOf(await list('type=users', viewer)), [mine])
    assert.equal((await as(alice, 'DELETE', `/feeds/${theirs[1]}/currency`)).status, 204)
    const left = theirs.filter((id) => id !== theirs[1]).toReversed()
    assert.deepEqual(idsOf(await list(`type=users&user=${alice.id}`)), left)
    assert.equal((await guest('GET', '/feeds?type=users')).status, 401)
    assert.deepEqual(await list('type=users&user=999999999'), [])
    assert.deepEqual(await list('type=users&screen=paid', viewer), [])
  })
})

describe('feed views', () => {
  test('counts views of single and listed feeds (feeds-6)', async () => {
    const alice = await person()
    const id = await publish(alice)
    // Flushes view counts now, so that the timer does not flush them during the assertions.
    await feedViewCounts(ctx).flush()
    assert.equal((await guest('GET', `/feeds/${id}`)).body.feed_view_count, 1)
    assert.equal((await list(`id=${id}`))[0]!.feed_view_count, 2)
    assert.equal((await list(`type=users&user=${alice.id}`))[0]!.feed_view_count, 2)
    const written = async () =>
      (await sql`select views, ranked from feed_views where feed_id = ${id}`).map((row) => ({ ...row }))
    assert.deepEqual(await written(), [])
    await feedViewCounts(ctx).flush()
    assert.deepEqual(await written(), [{ views: 2, ranked: 0 }])
    await feedRanks(ctx).flush()
    assert.deepEqual(await written(), [{ views: 2, ranked: 2 }])
    const [content] = await sql`select feed_view_count, hot from feeds where id = ${id}`
    assert.deepEqual({ ...content }, { feed_view_count: 0, hot: 0 })
    assert.equal((await guest('GET', `/feeds/${id}`)).body.feed_view_count, 3)
  })

  test('loses no feed views when flushes of views race with likes and comments', async () => {
    const [alice, ...people] = await Promise.all(Array.from({ length: 9 }, () => person()))
    const ids = await publishMany(alice!, 5)
    await Promise.all(
      people.flatMap((who) =>
        ids.flatMap((id) => [
          as(who, 'GET', `/feeds/${id}`),
          as(who, 'POST', `/feeds/${id}/like`),
          as(who, 'POST', `/feeds/${id}/comments`, { body: 'yes' }),
          feedViewCounts(ctx).flush(),
          feedRanks(ctx).flush(),
        ]),
      ),
    )
    await feedViewCounts(ctx).flush()
    feedRanks(ctx).add(ids)
    await feedRanks(ctx).flush()
    const rows = await sql<{ hot: number; views: number }[]>`
      select h.hot, v.views from feed_views v join feed_hots h on h.feed_id = v.feed_id where v.feed_id = any(${ids})`
    assert.equal(rows.length, 5)
    for (const row of rows) assert.deepEqual({ ...row }, { hot: 8 + 80 + 40, views: 8 })
  })
})
