import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'
import { detachAllTags } from './tags.ts'

const { as, guest, person, sql } = await createWorld()

let counter = 0
async function category(weight = 0): Promise<number> {
  counter += 1
  const name = `category ${counter}`
  const [row] = await sql<[{ id: number }]>`
    insert into tag_categories (name, name_key, weight) values (${name}, ${name}, ${weight}) returning id`
  return row.id
}
async function tag(categoryId: number, weight = 0): Promise<number> {
  counter += 1
  const name = `t${counter}`
  const [row] = await sql<[{ id: number }]>`
    insert into tags (name, name_key, tag_category_id, weight) values (${name}, ${name}, ${categoryId}, ${weight})
    returning id`
  return row.id
}
const take = (who: Person, id: number) => as(who, 'PUT', `/user/tags/${id}`)
const drop = (who: Person, id: number) => as(who, 'DELETE', `/user/tags/${id}`)
const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)

test('lists categories with their tags, highest weight first (feeds-30)', async () => {
  const [light, heavy] = [await category(1_000), await category(2_000)]
  const [small, great] = [await tag(heavy, 1), await tag(heavy, 2)]
  const { status, body } = await guest('GET', '/tags')
  assert.equal(status, 200)
  assert.deepEqual(ids(body.slice(0, 2)), [heavy, light])
  assert.deepEqual(ids(body[0].tags), [great, small])
  assert.deepEqual(Object.keys(body[0].tags[0]).sort(), ['id', 'name', 'tag_category_id', 'weight'])
  assert.deepEqual(body[1].tags, [])
})

test('returns 422 for a tag added or removed twice (feeds-30)', async () => {
  const ann = await person()
  const id = await tag(await category())
  assert.equal((await take(ann, id)).status, 204)
  const again = await take(ann, id)
  assert.deepEqual([again.status, again.headers['x-error-code']], [422, 'tag_attached'])
  for (const answer of [await as(ann, 'GET', '/user/tags'), await guest('GET', `/users/${ann.id}/tags`)]) {
    assert.equal(answer.status, 200)
    assert.deepEqual(ids(answer.body), [id])
  }
  assert.equal((await drop(ann, id)).status, 204)
  const gone = await drop(ann, id)
  assert.deepEqual([gone.status, gone.headers['x-error-code']], [422, 'tag_not_attached'])
  assert.deepEqual((await as(ann, 'GET', '/user/tags')).body, [])
})

test('removes only the given tag of the user', async () => {
  const [ann, bob] = [await person(), await person()]
  const group = await category()
  const [one, two] = [await tag(group), await tag(group)]
  for (const who of [ann, bob]) for (const id of [one, two]) await take(who, id)
  const both = async () => [
    ids((await as(ann, 'GET', '/user/tags')).body),
    ids((await as(bob, 'GET', '/user/tags')).body),
  ]
  assert.equal((await drop(ann, one)).status, 204)
  assert.deepEqual(await both(), [[two], [one, two]])
  await detachAllTags(sql, ann.id)
  assert.deepEqual(await both(), [[], [one, two]])
})

test('adds and removes a tag once under concurrent requests', async () => {
  const ann = await person()
  const id = await tag(await category())
  const answers = await Promise.all(Array.from({ length: 8 }, () => take(ann, id)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(7).fill(422)])
  const drops = await Promise.all(Array.from({ length: 8 }, () => drop(ann, id)))
  assert.deepEqual(drops.map(({ status }) => status).sort(), [204, ...Array(7).fill(422)])
})

test('returns 404 for unknown tags and users', async () => {
  const [ann, gone] = [await person(), await person()]
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  for (const answer of [await take(ann, 2 ** 40), await drop(ann, 2 ** 40)]) assert.equal(answer.status, 404)
  for (const id of [gone.id, 2 ** 40, 'abc'])
    assert.equal((await guest('GET', `/users/${id}/tags`)).status, 404)
  assert.equal((await guest('GET', '/user/tags')).status, 401)
  for (const method of ['PUT', 'DELETE'] as const)
    assert.equal((await guest(method, '/user/tags/1')).status, 401)
})

test('finds users who share a tag with the viewer, newest users first', async () => {
  const [ann, bob, cid, dan, gone] = [
    await person(),
    await person(),
    await person(),
    await person(),
    await person(),
  ]
  const group = await category()
  const [one, two, three] = [await tag(group), await tag(group), await tag(group)]
  for (const who of [ann, bob, cid, gone]) for (const id of [one, two]) await take(who, id)
  await take(dan, three)
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  const found = async (query = '') => ids((await as(ann, 'GET', `/user/find-by-tags${query}`)).body)
  assert.deepEqual(await found(), [cid.id, bob.id])
  assert.deepEqual(await found('?limit=1'), [cid.id])
  assert.deepEqual(await found('?limit=1&offset=1'), [bob.id])
  assert.deepEqual(await found('?offset=2'), [])
  const nobody = await guest('GET', '/user/find-by-tags')
  assert.deepEqual([nobody.status, nobody.body], [200, []])
  const listed = await guest('GET', `/users?tags[]=${one}&tags[]=${three}&order=asc`)
  assert.deepEqual(ids(listed.body), [ann.id, bob.id, cid.id, dan.id])
})
