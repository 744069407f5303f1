import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const { as, guest, person } = await createWorld()
const founder = await person({ roles: ['founder'] })

const add = (name: string, pid?: number, more: object = {}) =>
  as(founder, 'POST', '/admin/areas', { name, ...(pid === undefined ? {} : { pid }), ...more })
const search = async (name: string) =>
  (await guest('GET', `/locations/search?name=${encodeURIComponent(name)}`)).body

const china = (await add('中国', 0, { extends: '3' })).body.id
const sichuan = (await add('四川省', china)).body.id
const chengdu = (await add('成都市', sichuan)).body.id
const wuhou = (await add('武侯区', chengdu)).body.id

test('finds an area by a part of its name (feeds-32)', async () => {
  const [found, ...others] = await search('四川')
  assert.equal(others.length, 0)
  assert.deepEqual(
    found.items.map((area: { id: number; pid: number }) => [area.id, area.pid]),
    [[chengdu, sichuan]],
  )
  const { tree } = found
  assert.deepEqual([tree.id, tree.parent.id, tree.parent.pid, tree.parent.extends], [sichuan, china, 0, '3'])
  assert.equal(tree.parent.parent, null)
  assert.equal((await search('成都'))[0].items, null)
  assert.equal((await search('成都'))[0].tree.parent.parent.name, '中国')
  assert.deepEqual(await search('%'), [])
  for (let i = 0; i < 6; i += 1) assert.equal((await add(`新区${i}`, china)).status, 201)
  assert.equal((await search('新区')).length, 5)
  assert.deepEqual(Object.keys((await guest('GET', '/locations/search')).body.errors), ['name'])
})

test('rejects duplicate sibling names, unknown parents and a fifth level in the area tree (feeds-33)', async () => {
  assert.deepEqual(Object.keys((await add('四川省', china)).body.errors), ['name'])
  assert.equal((await add('四川省')).status, 201)
  assert.deepEqual(Object.keys((await add('x', 99_999)).body.errors), ['pid'])
  assert.deepEqual(Object.keys((await add('x', wuhou)).body.errors), ['pid'])
  const url = `/admin/areas/${chengdu}`
  assert.equal((await as(founder, 'PATCH', url, { name: '蓉城', pid: wuhou })).status, 204)
  const { body } = await as(founder, 'GET', url)
  assert.deepEqual([body.name, body.pid], ['蓉城', sichuan])
  assert.equal((await search('蓉'))[0].tree.id, chengdu)
  assert.equal((await as(founder, 'DELETE', url)).status, 422)
  assert.equal((await as(founder, 'DELETE', `/admin/areas/${wuhou}`)).status, 204)
  assert.equal((await as(founder, 'DELETE', url)).status, 204)
  assert.equal((await as(founder, 'GET', `/admin/areas?pid=${sichuan}`)).body.total, 0)
})

test('requires a separate ability for each operation on areas', async () => {
  await as(founder, 'POST', '/admin/roles', {
    name: 'mapper',
    abilities: ['admin:area:show', 'admin:area:add'],
  })
  const mapper = await person({ roles: ['mapper'] })
  const made = await as(mapper, 'POST', '/admin/areas', { name: 'Mapped' })
  assert.equal(made.status, 201)
  assert.equal((await as(mapper, 'GET', `/admin/areas/${made.body.id}`)).status, 200)
  assert.equal((await as(mapper, 'PATCH', `/admin/areas/${made.body.id}`, { name: 'Moved' })).status, 403)
  assert.equal((await as(mapper, 'DELETE', `/admin/areas/${made.body.id}`)).status, 403)
})

test('returns popular areas in the configured order', async () => {
  const hots = ['中国 四川省 成都市', '中国 北京 北京']
  assert.deepEqual((await guest('GET', '/locations/hots')).body, [])
  assert.equal((await as(founder, 'PATCH', '/admin/settings', { 'locations:hots': hots })).status, 204)
  assert.deepEqual((await guest('GET', '/locations/hots')).body, hots)
  assert.deepEqual((await guest('GET', '/bootstrappers')).body.hots_area, [
    { name: hots[0], sort: 2 },
    { name: hots[1], sort: 1 },
  ])
})
