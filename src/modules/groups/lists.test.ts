import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { app, as, guest, person } = world
const { category, group } = groupMaker(world)

const idsOf = (answer: { body: { id: number }[] }) => answer.body.map(({ id }) => id)

test('lists groups newest first, with filters (groups-4)', async () => {
  const founder = await person()
  const mine: number[] = []
  for (const name of ['Oaks', 'Birches', 'Oak leaves']) mine.push(await group(founder, { name }))
  const [oaks, birches, leaves] = mine as [number, number, number]
  const waiting = await group(founder, { name: 'Oak seeds' }, { passed: false })
  assert.deepEqual(idsOf(await guest('GET', '/groups?limit=2')), [leaves, birches])
  assert.deepEqual(idsOf(await guest('GET', '/groups?limit=2&offset=2')), [oaks])
  assert.deepEqual(idsOf(await guest('GET', `/groups?after=${leaves}`)), [birches, oaks])
  assert.deepEqual(idsOf(await guest('GET', '/groups?keyword=oak')), [leaves, oaks])
  assert.deepEqual(idsOf(await guest('GET', `/groups?id=${oaks},${birches},${waiting}`)), [birches, oaks])
  const { body } = await guest('GET', `/groups/${oaks}`)
  assert.deepEqual(idsOf(await guest('GET', `/categories/${body.category_id}/groups`)), [oaks])
  assert.deepEqual(idsOf(await guest('GET', `/groups?category_id=${body.category_id}`)), [oaks])
  assert.deepEqual(idsOf(await guest('GET', `/categories/${await category()}/groups`)), [])
  assert.equal((await guest('GET', '/categories/999999/groups')).status, 404)
  assert.equal((await guest('GET', '/categories/999999/groups?limit=0')).status, 404)
  assert.deepEqual(idsOf(await as(founder, 'GET', '/user-groups')), [leaves, birches, oaks])
  assert.deepEqual(idsOf(await as(founder, 'GET', '/user-groups?type=audit')), [waiting])
})

test('marks legacy paths as deprecated in the OpenAPI document (conventions-23)', () => {
  const { paths = {} } = app.swagger() as {
    paths?: Record<string, Record<string, { operationId?: string; deprecated?: boolean }>>
  }
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  )
  const aliases = found.filter(({ path }) => /^\/api\/v2\/(plus-group|easemob)\/(?!average$)/.test(path))
  assert.ok(aliases.length > 80, `saw only ${aliases.length}`)
  for (const { method, path, operation } of aliases) {
    assert.equal(operation.deprecated, true, `${method} ${path}`)
    const plain = path.replace('/plus-group/', '/').replace('/easemob/', '/im/')
    const { operationId = '' } = paths[plain]?.[method] ?? {}
    const expected = `${path.includes('/easemob/') ? 'easemob' : 'plusGroup'}${operationId}`
    assert.equal(operation.operationId?.toLowerCase(), expected.toLowerCase(), `${method} ${path}`)
  }
})
