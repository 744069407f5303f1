import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { storePicture } from '#test/fixtures/nodes.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person } = world
const founder = await person({ roles: ['founder'] })

type Space = { id: number; space: string; allow_type: string; format: object }
const spaces: Space[] = (await guest('GET', '/advertisingspace')).body
const spaceId = (name: string) => spaces.find(({ space }) => space === name)?.id ?? 0
const boot = spaceId('boot')

const picture = 'https://example.org/a.png'
const add = (body: object) => as(founder, 'POST', '/admin/advertising', body)
const titles = (list: { title: string }[]) => list.map(({ title }) => title)

test('lists the fields of each advertisement type that a space accepts', () => {
  const { id: _, ...rest } = spaces.find(({ space }) => space === 'boot') as Space & { created_at: string }
  assert.equal(rest.allow_type, 'image')
  assert.deepEqual(rest.format, { image: { image: '图片|string', link: '链接|string' } })
  assert.match(rest.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})

test('lists new advertisements of a space in the order of their `sort` field (feeds-34)', async () => {
  const node = await storePicture(world, founder)
  const second = await add({ space_id: boot, title: 'b', type: 'image', data: { image: picture }, sort: 2 })
  const first = await add({
    space_id: boot,
    title: 'a',
    type: 'image',
    data: { image: node, link: 'http://example.org', name: 'dropped' },
    sort: 1,
  })
  const top = spaceId('feed:list:top')
  const other = await add({ space_id: top, title: 'c', type: 'image', data: { image: picture } })
  assert.deepEqual([first.status, second.status, other.status], [201, 201, 201])

  const { body } = await guest('GET', `/advertisingspace/${boot}/advertising`)
  assert.deepEqual(titles(body), ['a', 'b'])
  assert.equal(body[0].space_id, boot)
  assert.match(body[0].data.image, /\/storage\/public:/)
  assert.deepEqual(Object.keys(body[0].data).sort(), ['image', 'link'])
  assert.deepEqual((await guest('GET', '/bootstrappers')).body.ad, body)
  const both = await guest('GET', `/advertisingspace/advertising?space=${boot},${top}`)
  assert.deepEqual(titles(both.body), ['c', 'a', 'b'])
  assert.deepEqual((await guest('GET', '/advertisingspace/advertising')).body, [])
  assert.equal((await guest('GET', '/advertisingspace/999/advertising')).status, 404)

  const url = `/admin/advertising/${first.body.id}`
  assert.equal((await as(founder, 'PATCH', url, { title: 'z', sort: 3 })).status, 204)
  const changed = (await guest('GET', '/bootstrappers')).body.ad
  assert.deepEqual(titles(changed), ['b', 'z'])
  assert.equal(changed[1].data.image, body[0].data.image)
  assert.equal((await as(founder, 'DELETE', url)).status, 204)
  assert.equal((await as(founder, 'DELETE', url)).status, 404)
  assert.deepEqual(titles((await guest('GET', '/bootstrappers')).body.ad), ['b'])
  const listed = await as(founder, 'GET', `/admin/advertising?space_id=${boot}&q=b`)
  assert.deepEqual([listed.body.total, listed.body.data[0].title], [1, 'b'])
})

test('preserves both of two concurrent changes of an advertisement (feeds-34)', async () => {
  const made = await add({ space_id: boot, title: 'old', type: 'image', data: { image: picture }, sort: 9 })
  const url = `/admin/advertising/${made.body.id}`
  let second: ReturnType<typeof as> | undefined
  await transaction(world.sql, async (tx) => {
    await tx`update advertising set title = 'new' where id = ${made.body.id}`
    second = as(founder, 'PATCH', url, { sort: 8 })
    await untilWaiting(world.sql)
  })
  assert.equal((await second)?.status, 204)
  const { body } = await as(founder, 'GET', url)
  assert.deepEqual([body.title, body.sort], ['new', 8])
  assert.equal((await as(founder, 'DELETE', url)).status, 204)
})

test('reports the invalid field of an advertisement (feeds-34)', async () => {
  const good = { space_id: boot, title: 'x', type: 'image', data: { image: picture } }
  const theirs = await storePicture(world, await person())
  for (const [change, field] of [
    [{ space_id: 999 }, 'space_id'],
    [{ type: 'feed:analog' }, 'type'],
    [{ title: '' }, 'title'],
    [{ data: {} }, 'data.image'],
    [{ data: { image: 'javascript:alert(1)' } }, 'data.image'],
    [{ data: { image: picture, link: 'javascript:alert(1)' } }, 'data.link'],
    [{ data: { image: theirs } }, 'data.image'],
    [
      { space_id: spaceId('feed:list:analog'), type: 'feed:analog', data: { avatar: picture, name: 'n' } },
      'data.content',
    ],
  ] as const) {
    const { status, body } = await add({ ...good, ...change })
    assert.equal(status, 422, JSON.stringify(change))
    assert.deepEqual(Object.keys(body.errors), [field])
  }
  const chinese = async (data: object) =>
    (await as(founder, 'POST', '/admin/advertising', { ...good, data }, { 'accept-language': 'zh' })).body
      .errors
  assert.deepEqual(await chinese({}), { 'data.image': ['此类型的广告必须填写数据.图片。'] })
  const unsafe = await chinese({ image: picture, link: 'javascript:alert(1)' })
  assert.deepEqual(unsafe, { 'data.link': ['数据.链接必须是 http 或 https 地址。'] })
  const member = await person()
  assert.equal((await as(member, 'POST', '/admin/advertising', good)).status, 403)
  assert.equal((await as(founder, 'PATCH', '/admin/advertising/999', { title: 5 })).status, 404)
})
