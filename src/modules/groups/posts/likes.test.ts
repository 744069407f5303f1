import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postWorld } from '#test/fixtures/posts.ts'

const { as, guest, group, post, people, told, assertNoDrift } = await postWorld()

describe('likes of group posts', () => {
  test('lists the likes of a post with their users (groups-24)', async () => {
    const [founder, alice] = await people(2)
    const id = await post(founder!, await group(founder!))
    const url = `/group-posts/${id}/likes`
    const made = await as(alice!, 'POST', url)
    assert.equal(made.status, 201)
    assert.ok(Array.isArray(made.body.message) && made.body.message.length === 1)
    assert.equal((await as(alice!, 'POST', url)).status, 422)
    await as(alice!, 'PUT', `/user/followings/${founder!.id}`)
    const { status, body } = await as(founder!, 'GET', url)
    assert.equal(status, 200)
    const [like] = body
    assert.deepEqual(
      [like.user_id, like.target_user, like.likeable_id, like.likeable_type],
      [alice!.id, founder!.id, id, 'group-posts'],
    )
    assert.match(like.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(
      [like.user.id, like.user.name, like.user.following, like.user.follower, like.user.avatar, like.user.bg],
      [alice!.id, alice!.name, true, false, null, null],
    )
    assert.equal(like.user.verified, null)
    for (const name of [
      'likes_count',
      'comments_count',
      'followers_count',
      'followings_count',
      'feeds_count',
    ])
      assert.equal(typeof like.user.extra[name], 'number', name)
    assert.deepEqual((await guest('GET', `${url}?after=${like.id}`)).body, [])
    assert.deepEqual(await told(founder!), ['group:audit', 'like', 'follow'])
    assert.equal((await as(alice!, 'DELETE', url)).status, 204)
    assert.equal((await as(alice!, 'DELETE', url)).status, 422)
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assert.equal((await as(alice!, method, '/group-posts/999999/likes')).status, 404)
    assert.equal((await guest('POST', url)).status, 401)
  })

  test('restricts posts of private and paid groups to members (groups-16, groups-17)', async () => {
    const [founder, stranger] = await people(2)
    for (const body of [{ mode: 'private' }, { mode: 'paid', money: 3 }]) {
      const groupId = await group(founder!, body)
      const id = await post(founder!, groupId)
      for (const path of [
        `/group-posts/${id}/likes`,
        `/group-posts/${id}/comments`,
        `/groups/${groupId}/posts`,
        `/groups/${groupId}/posts/${id}`,
      ]) {
        assert.equal((await guest('GET', path)).status, 404, path)
        assert.equal((await as(stranger!, 'GET', path)).status, 404, path)
        assert.equal((await as(founder!, 'GET', path)).status, 200, path)
      }
      for (const path of [`/group-posts/${id}/likes`, `/group-posts/${id}/comments`, `/reports/posts/${id}`])
        assert.equal((await as(stranger!, 'POST', path, {})).status, 404, path)
      assert.equal((await as(stranger!, 'POST', `/group-posts/${id}/collections`)).status, 404)
      assert.equal((await as(stranger!, 'POST', `/groups/${groupId}/posts`, {})).status, 403)
      assert.deepEqual((await guest('GET', `/group/simple-posts?id=${id}`)).body, [])
      assert.deepEqual((await as(stranger!, 'GET', `/group-posts?group_id=${groupId}`)).body, [])
      const preview = await guest('GET', `/group/groups/${groupId}/preview-posts`)
      assert.equal(preview.body.length, body.mode === 'paid' ? 1 : 0)
    }
  })

  test("counts a user's like once when several likes race", async () => {
    const [founder, ...others] = await people(6)
    const groupId = await group(founder!)
    const id = await post(founder!, groupId)
    const url = `/group-posts/${id}/likes`
    const answers = await Promise.all(others.flatMap((each) => [1, 2, 3].map(() => as(each, 'POST', url))))
    assert.equal(answers.filter(({ status }) => status === 201).length, 5)
    assert.equal((await guest('GET', `/groups/${groupId}/posts/${id}`)).body.likes_count, 5)
    await Promise.all(others.flatMap((each) => [1, 2].map(() => as(each, 'DELETE', url))))
    assert.equal((await guest('GET', `/groups/${groupId}/posts/${id}`)).body.likes_count, 0)
    await assertNoDrift()
  })
})
