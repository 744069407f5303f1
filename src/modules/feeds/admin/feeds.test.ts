import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { feedCounters } from '#modules/feeds/index.ts'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()
const founder = await person({ roles: ['founder', 'owner'] })
await as(founder, 'POST', '/admin/roles', { name: 'editor', abilities: ['admin: feeds'] })
const editor = await person({ roles: ['editor'] })

let counter = 0
async function publish(who: Person, body: object = {}): Promise<number> {
  counter += 1
  const answer = await as(who, 'POST', '/feeds', {
    feed_content: 'Hello',
    feed_from: 5,
    feed_mark: counter,
    ...body,
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}
const list = async (query: string): Promise<{ ids: number[]; total: number }> => {
  const { status, body } = await as(editor, 'GET', `/admin/feeds?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return { ids: body.data.map(({ id }: { id: number }) => id), total: body.total }
}
const actionsOf = async (type: string, id: number): Promise<string[]> =>
  (
    await as(founder, 'GET', `/admin/audit-log?subject_type=${type}&subject_id=${id}&order=asc`)
  ).body.data.map(({ action }: { action: string }) => action)

describe('feed administration', () => {
  test('requires the ability to administer feeds', async () => {
    const id = await publish(founder)
    const nobody = await person()
    for (const [method, path] of [
      ['GET', ''],
      ['GET', `/${id}`],
      ['PATCH', `/${id}`],
      ['DELETE', `/${id}`],
      ['GET', `/${id}/comments`],
      ['DELETE', `/${id}/comments/1`],
    ] as const) {
      assert.equal((await as(nobody, method, `/admin/feeds${path}`)).status, 403, path)
      assert.equal((await guest(method, `/admin/feeds${path}`)).status, 401, path)
    }
  })

  test('filters feeds by author, topic and text', async () => {
    const alice = await person()
    const topic = (await as(alice, 'POST', '/feed/topics', { name: 'Listed' })).body.id
    const plain = await publish(alice, { feed_content: 'Wandering albatross' })
    const linked = await publish(alice, { feed_content: '信天翁', topics: [topic] })
    const of = `user_id=${alice.id}`
    assert.deepEqual(await list(of), { ids: [linked, plain], total: 2 })
    assert.deepEqual(await list(`${of}&order=asc&limit=1&page=2`), { ids: [linked], total: 2 })
    assert.deepEqual(await list(`topic_id=${topic}`), { ids: [linked], total: 1 })
    assert.deepEqual(await list('q=ALBATR'), { ids: [plain], total: 1 })
    assert.deepEqual(await list(`q=${encodeURIComponent('天')}`), { ids: [linked], total: 1 })
    assert.deepEqual(await list(`${of}&q=%25`), { ids: [], total: 0 })
    assert.equal((await as(editor, 'GET', '/admin/feeds?limit=101')).status, 422)
  })

  test('deletes and restores a feed once under concurrent requests (feeds-29)', async () => {
    const alice = await person()
    const id = await publish(alice, { feed_content: 'Now and THEN' })
    const remove = () => as(editor, 'DELETE', `/admin/feeds/${id}`)
    const restore = () => as(editor, 'PATCH', `/admin/feeds/${id}`, { deleted: false })
    assert.deepEqual((await Promise.all([remove(), remove()])).map(({ status }) => status).sort(), [204, 404])
    assert.equal((await guest('GET', `/feeds/${id}`)).status, 404)
    assert.ok((await as(editor, 'GET', `/admin/feeds/${id}`)).body.deleted_at)
    assert.deepEqual(await list(`deleted=1&user_id=${alice.id}&q=then`), { ids: [id], total: 1 })
    assert.deepEqual(await list(`user_id=${alice.id}`), { ids: [], total: 0 })
    assert.deepEqual(
      (await Promise.all([restore(), restore()])).map(({ status }) => status),
      [204, 204],
    )
    assert.equal((await guest('GET', `/feeds/${id}`)).status, 200)
    assert.deepEqual(await actionsOf('feeds', id), ['feeds.delete', 'feeds.restore'])
    assert.equal((await as(editor, 'PATCH', `/admin/feeds/${id}`, { deleted: true })).status, 204)
    assert.equal((await as(editor, 'PATCH', `/admin/feeds/${id}`, {})).status, 422)
    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      assert.equal((await as(editor, method, '/admin/feeds/999999999')).status, 404)
    for (const check of feedCounters) assert.deepEqual(await check.find(sql), [], check.name)
  })

  test("excludes likes of a deleted feed from the author's count until the feed is restored (feeds-26)", async () => {
    const [alice, ...fans] = [await person(), await person(), await person()]
    const [gone, kept] = [await publish(alice), await publish(alice)]
    for (const [fan, id] of [
      [fans[0]!, gone],
      [fans[0]!, kept],
      [fans[1]!, kept],
    ] as const)
      assert.equal((await as(fan, 'POST', `/feeds/${id}/like`)).status, 201)
    const likes = async () => (await as(alice, 'GET', `/users/${alice.id}`)).body.extra.likes_count
    assert.equal(await likes(), 3)
    assert.equal((await as(editor, 'DELETE', `/admin/feeds/${gone}`)).status, 204)
    assert.equal(await likes(), 2)
    assert.equal((await as(editor, 'PATCH', `/admin/feeds/${gone}`, { deleted: false })).status, 204)
    assert.equal(await likes(), 3)
  })

  test('lets administrators delete comments of a feed (feeds-29)', async () => {
    const [alice, bob] = [await person(), await person()]
    const [id, other] = [await publish(alice), await publish(alice)]
    const made: number[] = []
    for (const body of ['fine', 'SPAM spam'])
      made.push((await as(bob, 'POST', `/feeds/${id}/comments`, { body })).body.comment.id)
    assert.equal((await as(bob, 'POST', `/feeds/${other}/comments`, { body: 'elsewhere' })).status, 201)
    const url = `/admin/feeds/${id}/comments`
    const all = (await as(editor, 'GET', url)).body
    assert.deepEqual([all.total, all.data[0].id, all.data[0].user.id], [2, made[1], bob.id])
    assert.equal((await as(editor, 'GET', `${url}?q=spam`)).body.total, 1)
    assert.equal((await as(editor, 'GET', `${url}?user_id=${alice.id}`)).body.total, 0)
    assert.equal((await as(editor, 'DELETE', `/admin/feeds/${other}/comments/${made[1]}`)).status, 404)
    assert.equal((await as(editor, 'DELETE', `${url}/${made[1]}`)).status, 204)
    assert.equal((await as(editor, 'DELETE', `${url}/${made[1]}`)).status, 404)
    assert.equal((await guest('GET', `/feeds/${id}`)).body.feed_comment_count, 1)
    const [notice] = (await as(bob, 'GET', '/user/notifications?type=system')).body.data
    assert.equal(notice.data.type, 'delete:feed/comment')
    assert.deepEqual(await actionsOf('comments', made[1]!), ['feeds.comments.delete'])
    assert.equal((await as(editor, 'GET', '/admin/feeds/999999999/comments')).status, 404)
  })
})
