import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commentCounters } from '#modules/comments/index.ts'
import { groupCounters } from '#modules/groups/index.ts'
import { likeCounters } from '#modules/likes/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { group, memberId, join, member, post } = groupMaker(world)

const people = (count: number) => Promise.all(Array.from({ length: count }, () => person()))
const ids = (list: { id: number }[]) => list.map(({ id }) => id)
const told = async (who: Person) =>
  (
    await sql<{ type: string }[]>`
      select coalesce(data ->> 'type', type) as type from notifications where user_id = ${who.id} order by seq`
  ).map(({ type }) => type)
async function assertNoDrift() {
  for (const check of [...groupCounters, ...likeCounters, ...commentCounters])
    assert.deepEqual(await check.find(sql), [], check.name)
}

describe('likes of posts', () => {
  test('are those of specification 4.7: made, listed with people as addresses, taken back', async () => {
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

  test('of private and paid groups are for members only', async () => {
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

  test('racing likes count once per person', async () => {
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

describe('posts', () => {
  test('are published by members whose role may, with pictures, and read', async () => {
    const founder = await person()
    const groupId = await group(founder)
    const [alice, stranger] = [await member(groupId, founder), await person()]
    const image = await uploadPicture(world, alice)
    const id = await post(alice, groupId, { title: 'Openings', summary: '', images: [image] })
    const { body } = await as(alice, 'GET', `/groups/${groupId}/posts/${id}`)
    assert.deepEqual(
      [body.title, body.body, body.summary, body.liked, body.collected, body.user.id, body.group.id],
      ['Openings', 'What it says', '', false, false, alice.id, groupId],
    )
    assert.deepEqual(
      body.images.map(({ file }: { file: number }) => file),
      [image],
    )
    assert.equal(body.views_count, 1)
    const url = `/groups/${groupId}/posts`
    assert.equal((await as(alice, 'POST', url, { title: 'x', body: 'y', summary: '' })).status, 422)
    assert.equal((await as(alice, 'POST', url, { title: 'x', body: 'y' })).status, 422)
    assert.equal((await as(stranger, 'POST', url, {})).status, 403)
    await as(founder, 'PATCH', `/groups/${groupId}/permissions`, { permissions: ['founder'] })
    assert.equal((await as(alice, 'POST', url, { title: 'x', body: 'y', summary: 'z' })).status, 422)
    assert.deepEqual((await as(alice, 'GET', '/user-groups?type=allow_post')).body, [])
    assert.equal((await as(founder, 'GET', '/user-groups?type=allow_post')).body.length, 1)
    const simple = await guest('GET', `/group/simple-posts?id=${id}`)
    assert.deepEqual([simple.body[0].title, simple.body[0].image.file], ['Openings', image])
    assert.equal((await guest('GET', `/group-posts?keyword=PENING&group_id=${groupId}`)).body[0].id, id)
    assert.deepEqual(ids((await as(alice, 'GET', '/user-group-posts')).body), [id])
  })

  test('belong to the group of the path', async () => {
    const founder = await person()
    const [one, two] = [await group(founder), await group(founder)]
    const id = await post(founder, one)
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { title: 'x', body: 'y', summary: 'z' }],
      ['DELETE', undefined],
    ] as const)
      assert.equal((await as(founder, method, `/groups/${two}/posts/${id}`, body)).status, 404)
    assert.equal((await guest('GET', `/groups/${one}/posts/${id}`)).status, 200)
  })

  test('are changed by their author, keeping pictures that are named again', async () => {
    const founder = await person()
    const groupId = await group(founder)
    const [first, second, third] = [
      await uploadPicture(world, founder),
      await uploadPicture(world, founder),
      await uploadPicture(world, founder),
    ]
    const id = await post(founder, groupId, { images: [first, second] })
    const url = `/groups/${groupId}/posts/${id}`
    const changed = await as(founder, 'PUT', url, {
      title: 'New',
      body: 'Text',
      summary: '',
      images: [{ id: third }, { id: first }],
    })
    assert.equal(changed.status, 201, JSON.stringify(changed.body))
    assert.deepEqual(
      changed.body.post.images.map(({ file }: { file: number }) => file),
      [third, first],
    )
    const alice = await member(groupId, founder)
    assert.equal((await as(alice, 'PUT', url, {})).status, 403)
    assert.equal((await as(alice, 'DELETE', url)).status, 403)
  })

  test('are deleted by author or manager, with all that is on them', async () => {
    const founder = await person()
    const groupId = await group(founder)
    const alice = await member(groupId, founder)
    const id = await post(alice, groupId, { images: [await uploadPicture(world, alice)] })
    await as(founder, 'POST', `/group-posts/${id}/likes`)
    await as(founder, 'POST', `/group-posts/${id}/comments`, { body: 'Hm' })
    await as(founder, 'POST', `/group-posts/${id}/collections`)
    await as(founder, 'PUT', `/group/posts/${id}/toggle-excellent`)
    await assertNoDrift()
    assert.equal((await as(founder, 'DELETE', `/groups/${groupId}/posts/${id}`)).status, 204)
    assert.equal((await as(founder, 'DELETE', `/groups/${groupId}/posts/${id}`)).status, 404)
    const { body } = await guest('GET', `/groups/${groupId}`)
    assert.deepEqual([body.posts_count, body.excellen_posts_count], [0, 0])
    await assertNoDrift()
  })

  test('are listed by making or by last reply, the excellent ones apart', async () => {
    const founder = await person()
    const groupId = await group(founder)
    const [one, two, three] = [
      await post(founder, groupId),
      await post(founder, groupId),
      await post(founder, groupId),
    ]
    await as(founder, 'POST', `/group-posts/${one}/comments`, { body: 'Again' })
    const list = async (query: string) =>
      ids((await guest('GET', `/groups/${groupId}/posts?${query}`)).body.posts)
    assert.deepEqual(await list(''), [three, two, one])
    assert.deepEqual(await list('limit=2&offset=1'), [two, one])
    assert.deepEqual(await list('type=latest_reply'), [one, three, two])
    const toggled = await Promise.all(
      [1, 2, 3].map(() => as(founder, 'PUT', `/group/posts/${two}/toggle-excellent`)),
    )
    assert.deepEqual(
      toggled.map(({ status }) => status),
      [204, 204, 204],
    )
    assert.deepEqual(await list('excellent=1'), [two])
    const { body: excellent } = await guest('GET', `/groups/${groupId}/posts/${two}`)
    assert.match(excellent.excellent_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.equal((await as(await person(), 'PUT', `/group/posts/${two}/toggle-excellent`)).status, 403)
    await assertNoDrift()
  })

  test('are copied to the feed where the group lets them be', async () => {
    const founder = await person()
    const [open, shut] = [await group(founder, { allow_feed: true }), await group(founder)]
    const body = { sync_feed: 1, feed_from: 3, title: 'For all' }
    const id = await post(founder, open, body)
    const feed = (await as(founder, 'GET', '/feeds?type=users')).body.feeds[0]
    assert.deepEqual(
      [feed.feed_content, feed.feed_from, feed.repostable_type, feed.repostable_id],
      ['For all', 3, 'group-posts', id],
    )
    const fails = async (groupId: number, more: object) =>
      (await as(founder, 'POST', `/groups/${groupId}/posts`, { summary: 's', body: 'b', ...body, ...more }))
        .status
    assert.equal(await fails(shut, {}), 422)
    assert.equal(await fails(open, { feed_from: null }), 422)
  })

  test('mention people, in private groups only those who may read them', async () => {
    const [founder, stranger] = await people(2)
    const groupId = await group(founder!, { mode: 'private' })
    const alice = await member(groupId, founder!)
    const at = (who: Person) => `\u00ad@${who.name}\u00ad`
    await post(founder!, groupId, { body: `${at(alice)} and ${at(stranger!)}` })
    assert.ok((await told(alice)).includes('at'))
    assert.deepEqual(await told(stranger!), [])
    await sql`insert into user_blocks (user_id, target_id) values (${alice.id}, ${founder!.id})`
    const body = { title: 'A post', body: at(alice), summary: 'x' }
    assert.equal((await as(founder!, 'POST', `/groups/${groupId}/posts`, body)).status, 403)
  })

  test('are collected once, listed and given back', async () => {
    const [founder, alice] = await people(2)
    const groupId = await group(founder!)
    const id = await post(founder!, groupId)
    const url = `/group-posts/${id}`
    assert.equal((await as(alice!, 'POST', `${url}/collections`)).status, 201)
    assert.equal((await as(alice!, 'POST', `${url}/collections`)).status, 422)
    assert.deepEqual(ids((await as(alice!, 'GET', '/user-post-collections')).body), [id])
    assert.equal((await as(alice!, 'DELETE', `${url}/uncollect`)).status, 204)
    assert.equal((await as(alice!, 'DELETE', `${url}/uncollect`)).status, 422)
    await assertNoDrift()
  })
})

describe('comments and reports', () => {
  test('a manager deletes comments, others only their own', async () => {
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

  test('reports are handled once, by managers of the group only', async () => {
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

  test('a group itself is reported to the site', async () => {
    const [founder, alice] = await people(2)
    const id = await group(founder!)
    assert.equal((await as(alice!, 'POST', `/groups/${id}/reports`, { content: 'Spam' })).status, 201)
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from reports where reportable_type = 'groups' and reportable_id = ${id}`
    assert.equal(row?.n, 1)
  })

  test('lists across kinds know posts, and hide those of private groups', async () => {
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
    // A reply to somebody outside is not for them to read, and a page is filled from what follows.
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

  test('who left a private group hears nothing more of their posts in it', async () => {
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
    assert.deepEqual([await likes(), (await told(alice)).filter((type) => type === 'like').length], [0, 1])
  })
})
