import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postWorld } from '#test/fixtures/posts.ts'
import type { Person } from '#test/world.ts'

const { as, guest, person, sql, group, memberId, join, post, people, told, assertNoDrift } = await postWorld()

describe('comments and reports of group posts', () => {
  test('lets managers delete any comment in their group (groups-25)', async () => {
    const founder = await person()
    const groupId = await group(founder)
    const [alice, bob] = await people(2)
    const id = await post(founder, groupId)
    const url = `/group-posts/${id}/comments`
    const comment = async (who: Person) => (await as(who, 'POST', url, { body: 'Hello' })).body.comment.id
    const [one, two] = [await comment(alice!), await comment(alice!)]
    assert.ok((await told(founder)).includes('comment'))
    assert.equal((await as(bob!, 'DELETE', `${url}/${one}`)).status, 403)
    assert.equal((await as(alice!, 'DELETE', `${url}/${one}`)).status, 204)
    assert.equal((await as(founder, 'DELETE', `${url}/${two}`)).status, 204)
    assert.deepEqual((await guest('GET', url)).body, { pinneds: [], comments: [] })
    await assertNoDrift()
  })

  test('previews the newest comments of each listed post except comments by blocked users (groups-22)', async () => {
    const [founder, alice, bob] = await people(3)
    const groupId = await group(founder!, { mode: 'paid', money: 1 })
    const [id, other] = [await post(founder!, groupId), await post(founder!, groupId)]
    await sql`
      insert into group_members (group_id, user_id, role, audit) values
        (${groupId}, ${alice!.id}, 'member', 1), (${groupId}, ${bob!.id}, 'member', 1)`
    for (let n = 1; n <= 6; n += 1)
      await as(n === 6 ? bob! : alice!, 'POST', `/group-posts/${id}/comments`, { body: `Comment ${n}` })
    type Listed = { id: number; comments: { body: string; user: { id: number } }[] }
    const list = async (who: Person, path = `/groups/${groupId}/posts`) => {
      const { body } = await as(who, 'GET', path)
      return new Map(
        (body.posts ?? body).map((each: Listed) => [each.id, each.comments.map((comment) => comment.body)]),
      )
    }
    const newest = ['Comment 6', 'Comment 5', 'Comment 4', 'Comment 3', 'Comment 2']
    for (const path of [
      `/groups/${groupId}/posts`,
      `/group-posts?group_id=${groupId}`,
      '/user-group-posts',
    ]) {
      const shown = await list(founder!, path)
      assert.deepEqual([shown.get(id), shown.get(other)], [newest, []], path)
    }
    await as(founder!, 'POST', `/user/black/${bob!.id}`)
    assert.deepEqual((await list(founder!)).get(id), [...newest.slice(1), 'Comment 1'])
    const preview = await guest('GET', `/groups/${groupId}/preview-posts`)
    assert.deepEqual(
      preview.body.map(({ comments }: Listed) => comments),
      [[], []],
    )
  })

  test('notifies only members of a mention in a group that an administrator closed', async () => {
    const [founder, alice, stranger] = await people(3)
    const groupId = await group(founder!)
    await as(alice!, 'PUT', `/groups/${groupId}`)
    const id = await post(founder!, groupId)
    await sql`update groups set audit = 2 where id = ${groupId}`
    const body = `Look \u00ad@${alice!.name}\u00ad \u00ad@${stranger!.name}\u00ad`
    assert.equal((await as(founder!, 'POST', `/group-posts/${id}/comments`, { body })).status, 201)
    assert.ok((await told(alice!)).includes('at'))
    assert.ok(!(await told(stranger!)).includes('at'))
  })

  test('lets only managers of the group handle a report (groups-28)', async () => {
    const [founder, other, alice] = await people(3)
    const [groupId] = [await group(founder!), await group(other!)]
    const id = await post(founder!, groupId)
    const { body: made } = await as(founder!, 'POST', `/group-posts/${id}/comments`, { body: 'Bad' })
    assert.equal((await as(alice!, 'POST', `/reports/posts/${id}`, {})).status, 422)
    for (const path of [`/reports/posts/${id}`, `/reports/comments/${made.comment.id}`])
      assert.equal((await as(alice!, 'POST', path, { content: 'Look at this' })).status, 201)
    assert.equal((await as(alice!, 'POST', '/reports/comments/999999', { content: 'x' })).status, 404)
    assert.ok((await told(founder!)).includes('group:report-post'))
    const { body } = await as(founder!, 'GET', `/reports?group_id=${groupId}`)
    assert.deepEqual(
      body.map((each: { type: string; post: { id: number }; user: { id: number } }) => [
        each.type,
        each.post.id,
        each.user.id,
      ]),
      [
        ['comment', id, alice!.id],
        ['post', id, alice!.id],
      ],
    )
    assert.deepEqual(
      body.map(({ resource }: { resource: { id: number; body?: string; title?: string } }) => [
        resource.id,
        resource.body ?? resource.title,
      ]),
      [
        [made.comment.id, 'Bad'],
        [id, 'A post'],
      ],
    )
    assert.equal((await as(alice!, 'GET', `/reports?group_id=${groupId}`)).status, 403)
    for (const who of [alice!, other!])
      for (const verb of ['accept', 'reject'])
        assert.equal((await as(who, 'PATCH', `/reports/${body[0].id}/${verb}`)).status, 403)
    const answers = await Promise.all(
      ['accept', 'reject', 'accept'].map((verb) => as(founder!, 'PATCH', `/reports/${body[0].id}/${verb}`)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
    assert.ok((await told(alice!)).includes('group:report-comment'))
    await as(founder!, 'DELETE', `/groups/${groupId}/posts/${id}`)
    assert.equal((await as(founder!, 'PATCH', `/reports/${body[1].id}/accept`)).status, 404)
    const reject = await as(founder!, 'PATCH', `/reports/${body[1].id}/reject`, { cause: 'Gone' })
    assert.equal(reject.status, 201)
    assert.equal((await as(founder!, 'GET', '/reports?status=2')).body.at(-1).cause, 'Gone')
  })

  test("reports a group to the site's moderators", async () => {
    const [founder, alice] = await people(2)
    const id = await group(founder!)
    assert.equal((await as(alice!, 'POST', `/groups/${id}/reports`, { content: 'Spam' })).status, 201)
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from reports where reportable_type = 'groups' and reportable_id = ${id}`
    assert.equal(row?.n, 1)
  })

  test('omits comments on posts of private groups from the lists of non-members (groups-16)', async () => {
    const [founder, stranger] = await people(2)
    const groupId = await group(founder!, { mode: 'private' })
    const alice = await join(groupId, founder!, await person())
    const id = await post(founder!, groupId)
    await as(alice, 'POST', `/group-posts/${id}/likes`)
    await as(alice, 'POST', `/group-posts/${id}/comments`, { body: 'Secret' })
    assert.equal((await as(founder!, 'GET', '/user/likes')).body[0].likeable.id, id)
    const url = `/comments?author=${alice.id}`
    assert.equal((await as(alice, 'GET', url)).body.length, 1)
    assert.deepEqual((await as(stranger!, 'GET', url)).body, [])
    const open = await post(founder!, await group(founder!))
    const reply = { body: 'Hm', reply_user: stranger!.id }
    for (const each of [open, id]) await as(founder!, 'POST', `/group-posts/${each}/comments`, reply)
    const received = (await as(stranger!, 'GET', '/user/comments?limit=1')).body
    assert.deepEqual(
      received.map((comment: { commentable_id: number }) => comment.commentable_id),
      [open],
    )
    await as(founder!, 'DELETE', `/groups/${groupId}/members/${await memberId(groupId, alice)}`)
    assert.equal((await as(alice, 'GET', `/group-posts/${id}/likes`)).status, 404)
  })

  test('withdraws unread notifications of likes, and sends no more, after the author leaves the private group (groups-16)', async () => {
    const founder = await person()
    const groupId = await group(founder, { mode: 'private' })
    const [alice, bob] = [
      await join(groupId, founder, await person()),
      await join(groupId, founder, await person()),
    ]
    const id = await post(alice, groupId)
    const likes = async () => (await as(alice, 'GET', '/user/likes')).body.length
    await as(bob, 'POST', `/group-posts/${id}/likes`)
    assert.deepEqual([await likes(), (await told(alice)).filter((type) => type === 'like').length], [1, 1])
    await as(alice, 'DELETE', `/groups/${groupId}/exit`)
    await as(founder, 'POST', `/group-posts/${id}/likes`)
    assert.deepEqual([await likes(), (await told(alice)).filter((type) => type === 'like').length], [0, 0])
  })
})
