import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, timelinesOf } from '#test/fixtures/timelines.ts'
import { updateSettings } from '#test/settings.ts'
import { createWorld, type Person } from '#test/world.ts'
import { feedCounters, feedRanks, feedViewCounts } from '../counters.ts'
import { refreshHots } from '../ranks.ts'

const world = await createWorld()
const { as, person, sql, ctx } = world
const { publish, publishMany, list, pages, block } = timelinesOf(world)

const repairRanks = () => feedCounters.find(({ name }) => name === 'feed_hots.hot')!.mend(sql)

describe('hot list of feeds', () => {
  test('ranks feeds by views, plus ten per comment and five per like (feeds-3)', async () => {
    const [alice, bob] = [await person(), await person()]
    const [quiet, liked, commented] = (await publishMany(alice, 3)) as [number, number, number]
    await as(bob, 'POST', `/feeds/${liked}/like`)
    const { comment } = (await as(bob, 'POST', `/feeds/${commented}/comments`, { body: 'yes' })).body
    const mine = new Set([quiet, liked, commented])
    const order = async () => idsOf(await list('type=hot&limit=100')).filter((id) => mine.has(id))
    assert.deepEqual(await order(), [commented, liked, quiet])
    await as(bob, 'DELETE', `/feeds/${commented}/comments/${comment.id}`)
    await feedViewCounts(ctx).flush()
    await feedRanks(ctx).flush()
    assert.equal((await order())[0], liked)
    const found = (await list('type=hot&limit=100')).find(({ id }) => id === liked)!
    assert.equal(found.hot, found.feed_view_count + 5)
  })

  test('pages through feeds of equal rank without gaps or duplicates (feeds-3)', async () => {
    const alice = await person()
    const ids = await publishMany(alice, 5)
    await sql`update feed_hots set hot = 100000 where feed_id = any(${ids})`
    await sql`update feed_hots set hot = 100001 where feed_id = ${ids[0]!}`
    const found = await pages((last) =>
      list(`type=hot&limit=4${last ? `&hot=${last.hot}&after=${last.id}` : ''}`),
    )
    assert.deepEqual(found.slice(0, 5), [ids[0], ...ids.slice(1).toReversed()])
    const byId = await pages((last) => list(`type=hot&limit=4${last ? `&after=${last.id}` : ''}`))
    assert.deepEqual(byId, found)
    assert.equal(new Set(found).size, found.length)
    assert.ok((await list('type=hot&hot=100000&limit=100')).every(({ hot }) => hot < 100000))
    assert.equal((await list('type=hot&hot=100001&limit=1'))[0]!.id, ids[4])
    await repairRanks()
  })

  test('does not restart the hot list when a page ends with a feed without views', async () => {
    const alice = await person()
    const ids = await publishMany(alice, 5)
    await sql`update feed_hots set hot = (feed_id % 2) where feed_id = any(${ids})`
    for (const cursor of ['hot', 'after', 'both']) {
      let count = 0
      const found = await pages((last) => {
        count += 1
        assert.ok(count < 100, `by ${cursor} without end`)
        const hot = last && cursor !== 'after' ? `&hot=${last.hot}` : ''
        return list(`type=hot&limit=2${hot}${last && cursor !== 'hot' ? `&after=${last.id}` : ''}`)
      })
      assert.equal(new Set(found).size, found.length)
      if (cursor !== 'hot') assert.ok(ids.every((id) => found.includes(id)))
    }
    await repairRanks()
  })

  test('limits the hot list to feeds of the configured number of days', async () => {
    const [alice, viewer] = [await person(), await person()]
    const [old, fresh] = [await publish(alice), await publish(alice)]
    await sql`update feeds set created_at = now() - interval '8 days' where id = ${old}`
    await sql`update feed_hots set created_at = now() - interval '8 days' where feed_id = ${old}`
    const shown = async (who?: Person) => idsOf(await list('type=hot&limit=100', who))
    assert.ok((await shown()).includes(fresh) && !(await shown()).includes(old))
    await refreshHots(ctx)
    assert.equal((await sql`select from feed_hots where feed_id = ${old}`).length, 0)
    await updateSettings(ctx, sql, { 'feed:list-hot-days': 30 })
    await refreshHots(ctx)
    assert.ok((await shown()).includes(old))
    await block(viewer, alice)
    assert.ok(!(await shown(viewer)).includes(fresh))
  })
})
