import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postWorld } from '#test/fixtures/posts.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import type { Person } from '#test/world.ts'

const { world, as, guest, person, sql, group, member, post, people, ids, told, assertNoDrift } =
  await postWorld()

describe('group posts', () => {
  test('lets only members with a permitted role publish a post (groups-18, groups-23)', async () => {
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

  test('publishes one post per idempotency key, and rejects the key with another body (conventions-28)', async () => {
    const founder = await person()
    const groupId = await group(founder)
    const send = (title: string) =>
      as(
        founder,
        'POST',
        `/groups/${groupId}/posts`,
        { title, body: 'What it says', summary: 'In short' },
        { 'idempotency-key': 'a' },
      )
    const first = await send('Openings')
    assert.equal(first.status, 201, JSON.stringify(first.body))
    assert.deepEqual((await send('Openings')).body, first.body)
    const other = await send('Endings')
    assert.deepEqual([other.status, other.headers['x-error-code']], [422, 'idempotency_key_reused'])
    assert.equal((await guest('GET', `/groups/${groupId}`)).body.posts_count, 1)
  })

  test('returns 404 for a post under the path of another group', async () => {
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

  test('lets only the author change a post (groups-21)', async () => {
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

  test("serves the author's embedded pictures only to readers of the post (groups-18, files-15)", async () => {
    const founder = await person()
    const groupId = await group(founder, { mode: 'private' })
    const [alice, stranger] = [await member(groupId, founder), await person()]
    const [first, second, foreign] = [
      await uploadPicture(world, founder),
      await uploadPicture(world, founder),
      await uploadPicture(world, stranger),
    ]
    const asked = async (file: number) => {
      const answers = await Promise.all([alice, stranger].map((who) => as(who, 'GET', `/files/${file}`)))
      return answers.map(({ status }) => status)
    }
    const id = await post(founder, groupId, { body: `Look @![one](${first}) @![not mine](${foreign})` })
    assert.deepEqual(await asked(first), [302, 404])
    assert.deepEqual(await asked(foreign), [404, 302])
    assert.deepEqual(await asked(second), [404, 404])
    const url = `/groups/${groupId}/posts/${id}`
    const change = (images: number[]) =>
      as(founder, 'PUT', url, {
        title: 'x',
        summary: 'y',
        images,
        body: `@![one](${first}) @![two](${second})`,
      })
    for (const images of [[], [first, second], [second], []]) {
      const changed = await change(images)
      assert.equal(changed.status, 201, JSON.stringify(changed.body))
      assert.deepEqual(
        [await asked(first), await asked(second)],
        [
          [302, 404],
          [302, 404],
        ],
      )
    }
    const elsewhere = await as(founder, 'POST', `/groups/${groupId}/posts`, {
      title: 'x',
      body: 'y',
      summary: 'z',
      images: [first],
    })
    assert.equal(elsewhere.status, 422)
    assert.equal((await as(founder, 'DELETE', url)).status, 204)
    assert.deepEqual(await asked(first), [404, 404])
  })

  test('subtracts a post from all counters when a manager deletes the post (groups-21)', async () => {
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

  test('sorts posts by creation or last comment (groups-21, groups-22)', async () => {
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

  test('copies a post to a feed only when a public group allows copies (groups-19)', async () => {
    const founder = await person()
    const [open, shut] = [await group(founder, { allow_feed: true }), await group(founder)]
    const body = { sync_feed: 1, feed_from: 3, title: 'For all' }
    const id = await post(founder, open, body)
    const feed = (await as(founder, 'GET', '/feeds?type=users')).body.feeds[0]
    assert.deepEqual(
      [feed.feed_content, feed.feed_from, feed.repostable_type, feed.repostable_id],
      ['For all', 3, 'group-posts', id],
    )
    for (const closed of [
      await group(founder, { allow_feed: true, mode: 'private' }),
      await group(founder, { allow_feed: true, mode: 'paid', money: 5 }),
    ])
      assert.equal(
        (await as(founder, 'POST', `/groups/${closed}/posts`, { summary: 's', body: 'b', ...body })).status,
        422,
      )
    assert.equal((await as(founder, 'GET', '/feeds?type=users')).body.feeds.length, 1)
    const fails = async (groupId: number, more: object) =>
      (await as(founder, 'POST', `/groups/${groupId}/posts`, { summary: 's', body: 'b', ...body, ...more }))
        .status
    assert.equal(await fails(shut, {}), 422)
    assert.equal(await fails(open, { feed_from: null }), 422)
  })

  test('notifies mentioned users only if they may read the post (groups-20)', async () => {
    const [founder, stranger] = await people(2)
    const groupId = await group(founder!, { mode: 'private' })
    const alice = await member(groupId, founder!)
    const at = (who: Person) => `\u00ad@${who.name}\u00ad`
    await post(founder!, groupId, { body: `**${at(alice)}** and ${at(stranger!)}` })
    assert.ok((await told(alice)).includes('at'))
    const [notice] = await sql<{ data: { contents: string } }[]>`
      select data from notifications where user_id = ${alice.id} and type = 'at'`
    assert.equal(notice?.data.contents, `@${alice.name} and @${stranger!.name}`)
    assert.deepEqual(await told(stranger!), [])
    await sql`insert into user_blocks (user_id, target_id) values (${alice.id}, ${founder!.id})`
    const body = { title: 'A post', body: at(alice), summary: 'x' }
    assert.equal((await as(founder!, 'POST', `/groups/${groupId}/posts`, body)).status, 403)
  })

  test('collects a post once (groups-24)', async () => {
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
