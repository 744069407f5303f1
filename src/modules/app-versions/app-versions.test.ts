import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const { as, guest, person } = await createWorld()
const founder = await person({ roles: ['founder', 'owner'] })
const draft = {
  type: 'android',
  version: '2.3.0',
  version_code: 230,
  description: 'Fixes',
  link: 'https://example.org/app.apk',
}
const add = (body: object = {}) => as(founder, 'POST', '/admin/app-versions', { ...draft, ...body })
const list = async (query = 'type=android') => (await guest('GET', `/plus-appversion?${query}`)).body

test('lists app versions with the highest version code first (administration-23)', async () => {
  for (const version_code of [210, 230, 220]) assert.equal((await add({ version_code })).status, 201)
  assert.equal((await add({ type: 'ios', is_forced: true })).status, 201)
  const codes = (rows: { version_code: number }[]) => rows.map(({ version_code }) => version_code)
  const all = await list()
  assert.deepEqual(codes(all), [230, 220, 210])
  assert.deepEqual(codes(await list(`type=android&limit=1&after=${all[0].id}`)), [220])
  const [ios] = await list('type=ios')
  assert.deepEqual([ios.version, ios.is_forced, ios.link], ['2.3.0', 1, draft.link])
  for (const query of ['', 'type=windows', 'type=ios&limit=0'])
    assert.equal((await guest('GET', `/plus-appversion?${query}`)).status, 422)
})

test('rejects a duplicate version code of an app (administration-23)', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => add({ version_code: 900 })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  const { id } = answers.find(({ status }) => status === 201)!.body
  const url = `/admin/app-versions/${id}`
  assert.equal((await as(founder, 'PATCH', url, { version_code: 901, is_forced: 1 })).status, 204)
  assert.equal((await list())[0].is_forced, 1)
  assert.equal((await add({ version_code: 902 })).status, 201)
  assert.equal((await as(founder, 'PATCH', url, { version_code: 902 })).status, 422)
  assert.equal((await as(founder, 'DELETE', url)).status, 204)
  assert.equal((await as(founder, 'GET', url)).status, 404)
  assert.equal((await list())[0].version_code, 902)
})

test('rejects an app version with an invalid field', async () => {
  const anna = await person()
  assert.equal((await as(anna, 'POST', '/admin/app-versions', draft)).status, 403)
  for (const body of [
    { type: 'windows' },
    { version: '' },
    { version_code: 0 },
    { version_code: 2_147_483_648 },
    { link: 'javascript:alert(1)' },
    { description: 'x'.repeat(10_001) },
  ])
    assert.equal((await add({ version_code: 5, ...body })).status, 422, JSON.stringify(body).slice(0, 40))
})
