import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()
const founder = await person({ roles: ['founder'] })

const make = async (path: string, body: object): Promise<number> => {
  const answer = await as(founder, 'POST', path, body)
  assert.equal(answer.status, 201)
  return answer.body.id
}
const errorOf = async (path: string, method: 'POST' | 'PATCH', body: object) => {
  const answer = await as(founder, method, path, body)
  assert.equal(answer.status, 422)
  return Object.keys(answer.body.errors)
}

test('writes audit records for changes of a tag', async () => {
  const [sports, arts] = [
    await make('/admin/tag-categories', { name: 'Sports', weight: 5 }),
    await make('/admin/tag-categories', { name: 'Arts' }),
  ]
  const tag = await make('/admin/tags', { name: '足球', tag_category_id: sports })
  const one = (await as(founder, 'GET', `/admin/tags/${tag}`)).body
  assert.deepEqual(
    [one.name, one.tag_category_id, one.tag_category_name, one.weight],
    ['足球', sports, 'Sports', 0],
  )
  assert.equal((await as(founder, 'GET', `/admin/tag-categories/${sports}`)).body.tags_count, 1)

  assert.equal(
    (await as(founder, 'PATCH', `/admin/tags/${tag}`, { name: 'Chess', tag_category_id: arts, weight: 3 }))
      .status,
    204,
  )
  assert.equal((await as(founder, 'PATCH', `/admin/tag-categories/${arts}`, { name: 'Games' })).status, 204)
  const moved = (await as(founder, 'GET', `/admin/tags?q=CHES&tag_category_id=${arts}`)).body
  assert.equal(moved.total, 1)
  assert.deepEqual(
    [moved.data[0].name, moved.data[0].tag_category_name, moved.data[0].weight],
    ['Chess', 'Games', 3],
  )
  assert.equal((await as(founder, 'GET', `/admin/tags?tag_category_id=${sports}`)).body.total, 0)
  const listed = (await as(founder, 'GET', '/admin/tag-categories?limit=1')).body
  assert.equal(listed.data[0].id, sports)
  assert.equal(listed.total, 2)

  assert.equal((await as(founder, 'DELETE', `/admin/tags/${tag}`)).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/tag-categories/${arts}`)).status, 204)
  assert.equal((await as(founder, 'GET', `/admin/tags/${tag}`)).status, 404)
  const log = (await as(founder, 'GET', `/admin/audit-log?subject_type=tags&subject_id=${tag}&order=asc`))
    .body
  assert.deepEqual(
    log.data.map(({ action }: { action: string }) => action),
    ['tags.create', 'tags.update', 'tags.delete'],
  )
  assert.equal(log.data[1].before.name, '足球')
})

test('includes a concurrent update in the `before` values of the audit record of a tag or category', async () => {
  const category = await make('/admin/tag-categories', { name: 'Waiting' })
  const tag = await make('/admin/tags', { name: 'waiting', tag_category_id: category })
  for (const [path, table, id] of [
    ['/admin/tag-categories', 'tag_categories', category],
    ['/admin/tags', 'tags', tag],
  ] as const) {
    let changing: Promise<Answer> | undefined
    await sql.begin(async (tx) => {
      await tx`update ${tx(table)} set weight = 7 where id = ${id}`
      changing = as(founder, 'PATCH', `${path}/${id}`, { weight: 9 })
      await untilWaiting(sql)
    })
    assert.equal((await changing)?.status, 204)
    const log = await as(founder, 'GET', `/admin/audit-log?subject_type=${table}&subject_id=${id}`)
    assert.equal(log.body.data[0].before.weight, 7, table)
  }
})

test('rejects the deletion of a tag in use and of a category with tags (feeds-31)', async () => {
  const category = await make('/admin/tag-categories', { name: 'Kept' })
  const tag = await make('/admin/tags', { name: 'kept', tag_category_id: category })
  const ann = await person()
  await as(ann, 'PUT', `/user/tags/${tag}`)
  const used = await as(founder, 'DELETE', `/admin/tags/${tag}`)
  assert.deepEqual([used.status, used.headers['x-error-code']], [422, 'tag_in_use'])
  const full = await as(founder, 'DELETE', `/admin/tag-categories/${category}`)
  assert.deepEqual([full.status, full.headers['x-error-code']], [422, 'category_in_use'])
  await as(ann, 'DELETE', `/user/tags/${tag}`)
  assert.equal((await as(founder, 'DELETE', `/admin/tags/${tag}`)).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/tag-categories/${category}`)).status, 204)
})

test('requires unique and visible tag names of at most ten characters (feeds-31)', async () => {
  const category = await make('/admin/tag-categories', { name: 'Names' })
  const first = await make('/admin/tags', { name: 'First', tag_category_id: category })
  await make('/admin/tags', { name: '一二三四五六七八九十', tag_category_id: category })
  assert.deepEqual(await errorOf('/admin/tag-categories', 'POST', { name: ' nAMES' }), ['name'])
  for (const name of ['fIRST', 'ｆｉｒｓｔ', '一二三四五六七八九十一', '\u200b', '', undefined])
    assert.deepEqual(await errorOf('/admin/tags', 'POST', { name, tag_category_id: category }), ['name'])
  const second = await make('/admin/tags', { name: 'Second', tag_category_id: category })
  assert.deepEqual(await errorOf(`/admin/tags/${second}`, 'PATCH', { name: 'first' }), ['name'])
  assert.equal((await as(founder, 'PATCH', `/admin/tags/${first}`, { name: 'FIRST' })).status, 204)
  assert.deepEqual(await errorOf('/admin/tags', 'POST', { name: 'lost', tag_category_id: 2 ** 40 }), [
    'tag_category_id',
  ])
  assert.deepEqual(await errorOf(`/admin/tags/${first}`, 'PATCH', { tag_category_id: 2 ** 40 }), [
    'tag_category_id',
  ])
})

test('returns 404 for unknown tags and categories before it validates the body', async () => {
  for (const path of ['/admin/tags/999999', '/admin/tag-categories/999999']) {
    assert.equal((await as(founder, 'GET', path)).status, 404)
    assert.equal((await as(founder, 'PATCH', path, { weight: 'x' })).status, 404)
    assert.equal((await as(founder, 'PATCH', path, { weight: 1 })).status, 404)
    assert.equal((await as(founder, 'DELETE', path)).status, 404)
  }
})

test('requires the ability to administer tags', async () => {
  const member = await person()
  assert.equal((await as(member, 'POST', '/admin/tags', { name: 'x', tag_category_id: 1 })).status, 403)
  assert.equal((await guest('GET', '/admin/tag-categories')).status, 401)
})
