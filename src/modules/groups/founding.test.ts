import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { groupWorld } from '#test/fixtures/founded.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'

const { world, as, guest, person, sql, category, group, member, post, read, assertNoDrift } =
  await groupWorld()

describe('creation and changes of groups', () => {
  test('hides a new group from other users until a site administrator approves it (groups-1)', async () => {
    const founder = await person()
    const id = await group(founder, { name: 'Waiting' }, { passed: false })
    assert.equal((await read(founder, id)).audit, 0)
    assert.equal((await guest('GET', `/groups/${id}`)).status, 404)
    assert.equal((await as(await person(), 'GET', `/groups/${id}/members`)).status, 404)
    assert.equal((await as(await person(), 'PUT', `/groups/${id}`)).status, 404)
    assert.equal((await as(founder, 'POST', `/groups/${id}/posts`)).status, 403)
    const waiting = await as(founder, 'GET', '/user-groups?type=audit')
    assert.deepEqual(
      waiting.body.map((each: { id: number }) => each.id),
      [id],
    )
  })

  test('creates one group per idempotency key, and rejects the key with another body (conventions-28)', async () => {
    const founder = await person()
    const url = `/categories/${await category()}/groups`
    const send = (name: string) =>
      as(founder, 'POST', url, { name, mode: 'public' }, { 'idempotency-key': 'a' })
    const first = await send('Chess')
    assert.equal(first.status, 201, JSON.stringify(first.body))
    assert.deepEqual((await send('Chess')).body, first.body)
    const other = await send('Go')
    assert.deepEqual([other.status, other.headers['x-error-code']], [422, 'idempotency_key_reused'])
    const mine = (await as(founder, 'GET', '/user-groups?type=audit')).body
    assert.deepEqual(
      mine.map(({ name }: { name: string }) => name),
      ['Chess'],
    )
  })

  test('returns a group with its founder, tags, picture and coordinates (groups-3)', async () => {
    const founder = await person()
    const [tagCategory] = await sql<[{ id: number }]>`
      insert into tag_categories (name, name_key) values ('g', 'g') returning id`
    const [tag] = await sql<[{ id: number }]>`
      insert into tags (tag_category_id, name, name_key) values (${tagCategory.id}, 'chess', 'chess') returning id`
    const avatar = await uploadPicture(world, founder)
    const id = await group(founder, {
      name: 'Chess players',
      mode: 'paid',
      money: 30,
      tags: [{ id: tag.id }],
      avatar,
      allow_feed: 1,
      permissions: 'administrator,founder',
      summary: 'We play',
      location: 'Wuhan',
      longitude: '114.3',
      latitude: 30.5,
      geo_hash: 'wt3m',
    })
    const { body } = await guest('GET', `/groups/${id}`)
    assert.deepEqual(
      [body.mode, body.money, body.allow_feed, body.permissions, body.users_count, body.joined],
      ['paid', 30, 1, 'administrator,founder', 1, null],
    )
    assert.match(body.avatar.url, new RegExp(`/files/${avatar}$`))
    assert.equal(body.avatar.vendor, 'local')
    assert.equal(body.founder.user.id, founder.id)
    assert.deepEqual(
      body.tags.map(({ name }: { name: string }) => name),
      ['chess'],
    )
    assert.deepEqual([body.longitude, body.latitude], ['114.3', '30.5'])
    assert.equal((await read(founder, id)).joined.role, 'founder')
    assert.equal((await guest('GET', '/groups?keyword=CHESS')).body[0].id, id)
    assert.deepEqual((await guest('GET', '/groups?keyword=cheese')).body, [])
  })

  test("returns a group's picture as an object in group lists, posts and reports (groups-3)", async () => {
    const founder = await person({ roles: ['founder', 'owner'] })
    const avatar = await uploadPicture(world, founder)
    const id = await group(founder, { avatar, name: 'Seen everywhere' })
    const postId = await post(founder, id)
    await as(founder, 'POST', `/reports/posts/${postId}`, { content: 'Hm' })
    const places = {
      '/groups?keyword=everywhere': '0',
      '/user-groups': '0',
      [`/groups/users?user_id=${founder.id}`]: '0',
      '/admin/groups?q=everywhere': 'data.0',
      [`/groups/${id}/posts`]: 'posts.0.group',
      [`/groups/${id}/posts/${postId}`]: 'group',
      '/user-group-posts': '0.group',
      [`/reports?group_id=${id}`]: '0.group',
      [`/plus-group/groups/${id}`]: '',
    }
    for (const [path, place] of Object.entries(places)) {
      const answer = await as(founder, 'GET', path)
      assert.equal(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
      const shown = place.split('.').reduce((body, step) => (step === '' ? body : body[step]), answer.body)
      assert.match(shown.avatar.url, /\/files\/\d+$/, path)
    }
  })

  test('creates a group from a multipart form with a picture (groups-2)', async () => {
    const founder = await person()
    const form = new FormData()
    const { flatPicture } = await import('#test/fixtures/media.ts')
    const bytes = await flatPicture(41, 43).png().toBuffer()
    form.append('avatar', new Blob([new Uint8Array(bytes)]), 'a.png')
    form.append('name', 'From a form')
    form.append('mode', 'private')
    form.append('allow_feed', '1')
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
    const url = `/plus-group/categories/${await category()}/groups`
    const answer = await as(founder, 'POST', url, Buffer.from(await encoded.arrayBuffer()), headers)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal(answer.body.group.mode, 'private')
    assert.match(answer.body.group.avatar.url, /^http/)
    const cut = Buffer.from(await new Response(form).arrayBuffer()).subarray(0, 300)
    assert.equal((await as(founder, 'POST', url, cut, headers)).status, 422)
  })

  test('reads a multipart form as PHP reads it (conventions-17, conventions-41)', async () => {
    const founder = await person()
    const url = `/plus-group/categories/${await category()}/groups`
    const send = (path: string, fields: [string, string | Buffer][]) => {
      const parts: [string, string | Buffer][] = [
        // Browsers send a file field without a choice as an empty file without a name.
        ['avatar"; filename="', ''],
        ...fields,
      ]
      const pieces = parts.flatMap(([name, value]) => [
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`,
        value,
        '\r\n',
      ])
      const bytes = Buffer.concat([...pieces, '--x--\r\n'].map((piece) => Buffer.from(piece)))
      return as(founder, 'POST', path, bytes, { 'content-type': 'multipart/form-data; boundary=x' })
    }
    const summary = '[{"x":1}]'
    const made = await send(`${url}?mode=public&name=no`, [
      ['summary', summary],
      ['name', '一'],
      ['name', '组'],
    ])
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { name, mode, avatar } = made.body.group
    assert.deepEqual([name, mode, avatar, made.body.group.summary], ['组', 'public', null, summary])
    const tags = await send(`${url}?name=x&mode=public`, [['tags', '[{"id":999999}]']])
    assert.deepEqual(tags.body.errors, { tags: ['This tag does not exist.'] })
    const text = await send(`${url}?mode=public`, [['name', Buffer.from([98, 255])]])
    assert.deepEqual([text.status, text.headers['x-error-code']], [400, 'bad_request'])
    const id = await group(founder)
    const changed = await send(`/groups/${id}?notice=N`, [['summary', 'L']])
    assert.equal(changed.status, 201, JSON.stringify(changed.body))
    assert.deepEqual([changed.body.group.notice, changed.body.group.summary], ['N', 'L'])
  })

  test('rejects a group with an invalid field or an uncertified founder (groups-1, groups-2)', async () => {
    const founder = await person()
    const url = `/categories/${await category()}/groups`
    const fails = async (body: object, field: string) => {
      const answer = await as(founder, 'POST', url, { name: 'x', mode: 'public', ...body })
      assert.equal(answer.status, 422, field)
      assert.ok(answer.body.errors[field], JSON.stringify(answer.body))
    }
    await fails({ name: '' }, 'name')
    await fails({ mode: 'open' }, 'mode')
    await fails({ mode: 'paid' }, 'money')
    await fails({ longitude: 3 }, 'location')
    await fails({ tags: [999_999] }, 'tags')
    await fails({ avatar: 999_999 }, 'avatar')
    assert.equal((await as(founder, 'POST', '/categories/999999/groups', {})).status, 404)
    const { updateSettings } = await import('#modules/settings/index.ts')
    await updateSettings(world.ctx, sql, { 'group:need-verified': true })
    assert.equal((await as(founder, 'POST', url, { name: 'x', mode: 'public' })).status, 422)
    await sql`delete from settings where name = 'group:need-verified'`
    await updateSettings(world.ctx, sql, {})
  })

  test('lists nearby groups, nearest first (groups-5)', async () => {
    const founder = await person()
    const at = (name: string, latitude: number, longitude: number) =>
      group(founder, { name, location: name, latitude, longitude, geo_hash: 'x' })
    const near = await at('near', -42.01, 179.99)
    const nearer = await at('nearer', -42.001, 179.999)
    const across = await at('across the date line', -42.02, -179.99)
    await at('far', -42.5, 179)
    const { body } = await guest('GET', '/round/groups?latitude=-42&longitude=180')
    assert.deepEqual(
      body.map(({ id }: { id: number }) => id),
      [nearer, near, across],
    )
    assert.equal((await guest('GET', '/round/groups?latitude=3')).status, 422)
    assert.ok((await guest('GET', '/groups/count')).body.count >= 4)
    assert.equal(typeof (await guest('GET', '/groups/protocol')).body.protocol, 'string')
    await assertNoDrift()
  })

  test('lets only managers change a group (groups-2, groups-6, groups-15)', async () => {
    const founder = await person()
    const id = await group(founder)
    const plain = await member(id, founder)
    assert.equal((await as(plain, 'POST', `/groups/${id}`, { name: 'Mine' })).status, 403)
    const changed = await as(founder, 'POST', `/groups/${id}`, { notice: 'Be kind', mode: 'private' })
    assert.deepEqual([changed.status, changed.body.group.notice], [201, 'Be kind'])
    const permissions = await as(founder, 'PATCH', `/groups/${id}/permissions`, { permissions: ['founder'] })
    assert.equal(permissions.status, 201)
    assert.equal((await read(founder, id)).permissions, 'founder')
    assert.equal((await as(founder, 'PUT', `/group/groups/${id}/bind-im-group`, { id: '77' })).status, 204)
    assert.equal((await as(plain, 'PUT', `/group/groups/${id}/bind-im-group`, { id: '78' })).status, 403)
    assert.equal((await read(founder, id)).im_group_id, '77')
  })

  test('returns the same responses under /plus-group (conventions-23)', async () => {
    const founder = await person()
    const id = await group(founder, { name: 'Twice' })
    for (const path of [`/groups/${id}`, `/groups/${id}/posts`, '/groups?keyword=twice', '/categories'])
      assert.deepEqual(
        (await as(founder, 'GET', `/plus-group${path}`)).body,
        (await as(founder, 'GET', path)).body,
      )
  })
})
