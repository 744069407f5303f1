import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareAfterEachChange } from '#test/fixtures/fresh-nodes.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, ctx, person } = world
/** Limits the reads after each write. test/slow/servers/fresh-nodes.slow.ts compares all reads. */
const MORE_READS = 4

test('returns the same responses as a server node without caches after every write', (t) =>
  compareAfterEachChange(t, world, { moreReads: () => MORE_READS }))

test('returns a changed profile at once despite the cached user', async () => {
  const [ann, bob] = [await person(), await person()]
  const read = async () => (await as(bob, 'GET', `/users/${ann.id}`)).body
  await read()
  for (const change of [{ bio: 'first' }, { bio: 'second' }, { sex: 1 }, { location: 'here' }]) {
    assert.ok((await as(ann, 'PATCH', '/user', change)).status < 300)
    const [[name, value]] = Object.entries(change) as [[string, unknown]]
    assert.equal((await read())[name], value)
  }
  await ctx.sql`update users set bio = 'third' where id = ${ann.id}`
  assert.equal((await read()).bio, 'third')
})

test('raises the content version of a user with every update', async () => {
  const { id } = await person()
  const version = async () => {
    const [row] = await ctx.sql<
      [{ version: string }]
    >`select content_version as version from users where id = ${id}`
    return row.version
  }
  let last = await version()
  await ctx.sql.begin(async (tx) => {
    for (let n = 0; n < 20; n += 1) {
      await tx`update users set bio = ${`bio ${n}`} where id = ${id}`
      const [row] = await tx<
        [{ version: string }]
      >`select content_version as version from users where id = ${id}`
      assert.ok(row.version > last, `${row.version} after ${last}`)
      last = row.version
    }
  })
})

test('returns current `following` and `follower` flags despite cached follows', async () => {
  const [viewer, other] = [await person(), await person()]
  const { sql } = ctx
  const flags = async () => {
    const { following, follower } = (await as(viewer, 'GET', `/users/${other.id}`)).body
    return [following, follower]
  }
  const follow = (who: Person, method: 'PUT' | 'DELETE', whom: Person) =>
    as(who, method, `/user/followings/${whom.id}`)
  assert.deepEqual(await flags(), [false, false])
  await follow(viewer, 'PUT', other)
  assert.deepEqual(await flags(), [false, true])
  await follow(other, 'PUT', viewer)
  assert.deepEqual(await flags(), [true, true])
  await follow(viewer, 'DELETE', other)
  assert.deepEqual(await flags(), [true, false])
  await sql`delete from user_follows where target_id = ${viewer.id}`
  assert.deepEqual(await flags(), [false, false])
  await sql`insert into user_follows (user_id, target_id) values (${other.id}, ${viewer.id})`
  assert.deepEqual(await flags(), [true, false])
})

test('raises the relations version of both users only when a follow changes', async () => {
  const ids = [await person(), await person()].map(({ id }) => id)
  const [one = 0, other = 0] = ids
  const versions = async () => {
    const rows = await ctx.sql<{ version: string }[]>`
      select relations_version as version from user_counts where user_id = any(${ids}) order by user_id`
    return rows.map(({ version }) => version)
  }
  let last = await versions()
  await ctx.sql`update user_counts set likes_count = likes_count + 1 where user_id = any(${ids})`
  assert.deepEqual(await versions(), last)
  for (const change of [
    ctx.sql`insert into user_follows (user_id, target_id) values (${one}, ${other})`,
    ctx.sql`delete from user_follows where user_id = ${one}`,
  ]) {
    await change
    const now = await versions()
    assert.ok(now.every((version, n) => version > last[n]!))
    last = now
  }
})

describe('texts of feeds', () => {
  const { sql } = ctx
  const newFeed = async (topics: number[] = []) => {
    const owner = await person()
    const { body } = await as(owner, 'POST', '/feeds', {
      feed_content: 'A note.',
      feed_from: 1,
      feed_mark: owner.id,
      topics,
    })
    return { owner, id: body.id as number }
  }
  const newTopic = async () => {
    const creator = await person()
    const { body } = await as(creator, 'POST', '/feed/topics', { name: `Topic ${creator.id}` })
    return body.id as number
  }
  const shown = async (viewer: Person, id: number) =>
    (await as(viewer, 'GET', `/feeds?id=${id}`)).body.feeds[0]
  const topicsOf = async (viewer: Person, id: number) =>
    (await shown(viewer, id)).topics.map(({ name }: { name: string }) => name)

  test('returns the changed text of a feed at once', async () => {
    const viewer = await person()
    const { id } = await newFeed()
    assert.equal((await shown(viewer, id)).feed_content, 'A note.')
    await sql`update feeds set feed_content = 'Changed.' where id = ${id}`
    assert.equal((await shown(viewer, id)).feed_content, 'Changed.')
  })

  test('returns the added media of a feed at once', async () => {
    const viewer = await person()
    const { id } = await newFeed()
    assert.deepEqual((await shown(viewer, id)).images, [])
    await sql.begin(async (tx) => {
      await tx`insert into feed_images (feed_id, position, file, size, mime) values (${id}, 0, 77, '1x1', 'image/png')`
      await tx`update feeds set has_images = true where id = ${id}`
    })
    assert.deepEqual((await shown(viewer, id)).images, [{ file: 77, size: '1x1', mime: 'image/png' }])
  })

  test('returns current topics when links and names change', async () => {
    const viewer = await person()
    const [first, second] = [await newTopic(), await newTopic()]
    const { id } = await newFeed([first])
    const [name] = await topicsOf(viewer, id)
    await sql`update feed_topics set name = ${`${name} renamed`} where id = ${first}`
    assert.deepEqual(await topicsOf(viewer, id), [`${name} renamed`])
    await sql`insert into feed_topic_links (topic_id, feed_id) values (${second}, ${id})`
    assert.equal((await topicsOf(viewer, id)).length, 2)
    await sql`update feed_topics set status = 'waiting' where id = ${second}`
    assert.equal((await topicsOf(viewer, id)).length, 1)
    await sql`delete from feed_topic_links where topic_id = ${first}`
    assert.deepEqual(await topicsOf(viewer, id), [])
    await sql`update feed_topics set status = 'passed' where id = ${second}`
    assert.equal((await topicsOf(viewer, id)).length, 1)
    await sql`delete from feed_topics where id = ${second}`
    assert.deepEqual(await topicsOf(viewer, id), [])
  })

  test('raises the text version when a feed is deleted, but not when its counters change', async () => {
    const { id } = await newFeed()
    const version = async () => {
      const [row] = await sql<
        [{ version: number }]
      >`select text_version as version from feeds where id = ${id}`
      return row.version
    }
    const before = await version()
    await sql`update feeds set like_count = like_count + 1, feed_view_count = 9, feed_comment_count = 2 where id = ${id}`
    assert.equal(await version(), before)
    await sql`update feeds set deleted_at = now() where id = ${id}`
    assert.ok((await version()) > before)
  })
})

describe('comment previews of feeds', () => {
  const feedWithComments = async (authors: Person[]) => {
    const owner = await person()
    mark += 1
    const made = await as(owner, 'POST', '/feeds', { feed_content: 'A note.', feed_from: 1, feed_mark: mark })
    const ids: number[] = []
    for (const [n, author] of authors.entries()) {
      const { status, body } = await as(author, 'POST', `/feeds/${made.body.id}/comments`, { body: `n ${n}` })
      assert.equal(status, 201)
      ids.push(body.comment.id)
    }
    const shown = async (viewer: Person) => {
      const { body } = await as(viewer, 'GET', `/feeds?id=${made.body.id}`)
      return body.feeds[0].comments.map(({ id }: { id: number }) => id)
    }
    return { feed: made.body.id as number, ids, shown }
  }
  let mark = 900

  test('omits comments from comment previews when the viewer blocks their author', async () => {
    const [bad, good, viewer] = [await person(), await person(), await person()]
    const { ids, shown } = await feedWithComments([good, good, good, good, bad, good, bad])
    const [first, , , , ...last] = ids
    assert.deepEqual(await shown(viewer), ids.toReversed().slice(0, 5))
    assert.equal((await as(viewer, 'POST', `/user/black/${bad.id}`)).status, 201)
    const others = ids.filter((id) => id !== last[0] && id !== last[2]).toReversed()
    assert.deepEqual(await shown(viewer), others)
    assert.ok(others.includes(first ?? 0))
    await ctx.sql`update users set deleted_at = now() where id = ${bad.id}`
    assert.deepEqual(await shown(viewer), others)
    assert.deepEqual(await shown(good), ids.toReversed().slice(0, 5))
  })

  test('returns current comment previews while users write and delete comments', async () => {
    const [author, viewer] = [await person(), await person()]
    const { feed, ids, shown } = await feedWithComments([author, author, author])
    for (let round = 0; round < 8; round += 1) {
      const [made, gone] = await Promise.all([
        as(author, 'POST', `/feeds/${feed}/comments`, { body: `round ${round}` }),
        as(author, 'DELETE', `/feeds/${feed}/comments/${ids.shift()}`),
        ...Array.from({ length: 4 }, () => shown(viewer)),
      ])
      assert.deepEqual([made.status, gone.status], [201, 204])
      ids.push(made.body.comment.id)
      assert.deepEqual(await shown(viewer), ids.toReversed())
    }
  })

  test('raises the content version of a feed when a statement sets its comment count', async () => {
    const author = await person()
    const { feed } = await feedWithComments([author])
    const version = async () => {
      const [row] = await ctx.sql<[{ version: string }]>`
        select content_version as version from feeds where id = ${feed}`
      return row.version
    }
    const before = await version()
    await ctx.sql`update feeds set feed_comment_count = feed_comment_count where id = ${feed}`
    const after = await version()
    assert.ok(after > before)
    await ctx.sql`update feeds set like_count = like_count + 1 where id = ${feed}`
    assert.equal(await version(), after)
  })
})
