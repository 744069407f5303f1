import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, work } = world

const PATH = '/admin/certifications'
const admin = await person({ roles: ['founder'] })
let number = 10_000
const papers = async (by: Person, more: object = {}) => {
  number += 1
  const files = [await uploadPicture(world, by)]
  return { type: 'user', name: '王五', phone: '13800138000', number: `N${number}`, desc: 'x', files, ...more }
}
async function applicant(more: object = {}) {
  const who = await person()
  const body = await papers(who, more)
  assert.equal((await as(who, 'POST', '/user/certification', body)).status, 201)
  const { id } = (await as(who, 'GET', '/user/certification')).body as { id: number }
  return { who, id, body }
}
const verified = async ({ id }: Person) => (await guest('GET', `/users/${id}`)).body.verified
const told = async (who: Person) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data.map(
    ({ data }: { data: Record<string, unknown> }) => data,
  )
const code = ({ headers }: { headers: Record<string, unknown> }) => headers['x-error-code']
const records = (id: number | string, subject = 'certifications') =>
  sql<{ action: string; before: object; after: object }[]>`
    select action, before, after from audit_log
    where subject_type = ${subject} and subject_id = ${String(id)} order by id`

test('filters certifications by status, type, user and text', async () => {
  const one = await applicant({ name: '欧阳询', number: 'ID-4711' })
  const org = { type: 'org', org_name: 'Müller & Söhne', org_address: '100% Street' }
  const two = await applicant(org)
  const find = async (query: string) => {
    const { status, body } = await as(admin, 'GET', `${PATH}?${query}`)
    assert.equal(status, 200)
    assert.equal(body.total, body.data.length)
    return body.data.map(({ id }: { id: number }) => id)
  }
  const { data, total } = (await as(admin, 'GET', `${PATH}?status=0&limit=1`)).body
  assert.deepEqual([total >= 2, data.length, data[0].id], [true, 1, two.id])
  assert.deepEqual([data[0].files, data[0].data.files, data[0].user.id], [[], [], two.who.id])
  for (const [query, ids] of [
    ['q=欧阳', [one.id]],
    ['q=id-47', [one.id]],
    [`q=${one.who.name.slice(2)}`, [one.id]],
    [`q=${encodeURIComponent('100%')}`, [two.id]],
    [`q=${encodeURIComponent('%')}&user_id=${one.who.id}`, []],
    ['q=müller&certification_name=org', [two.id]],
    ['q=müller&certification_name=user', []],
    [`user_id=${one.who.id}&status=1`, []],
    [`user_id=${one.who.id}`, [one.id]],
  ] as const)
    assert.deepEqual(await find(query), ids, query)
  const whole = (await as(admin, 'GET', `${PATH}/${one.id}`)).body
  assert.deepEqual([whole.data.files, whole.files.length], [one.body.files, 1])
  assert.equal((await as(admin, 'GET', `${PATH}/${2 ** 40}`)).status, 404)
  assert.equal((await as(admin, 'PATCH', `${PATH}/${2 ** 40}/pass`, {})).status, 404)
  const other = await person()
  assert.equal((await as(other, 'PATCH', `${PATH}/${one.id}/pass`, { desc: 'Me' })).status, 403)
})

test('applies one of several concurrent decisions on a certification (administration-10)', async () => {
  const { who, id, body } = await applicant()
  const race = await Promise.all(
    ['A', 'B', 'C', 'D'].map((desc) => as(admin, 'PATCH', `${PATH}/${id}/pass`, { desc })),
  )
  assert.deepEqual(race.map(({ status }) => status).sort(), [204, 422, 422, 422])
  assert.deepEqual(new Set(race.map(code)), new Set([undefined, 'certification_decided']))
  assert.equal((await verified(who)).type, 'user')
  const [notice, ...more] = await told(who)
  assert.equal(more.length, 0)
  assert.equal(notice.contents, 'Your certification was accepted.')

  assert.equal((await as(admin, 'PATCH', `${PATH}/${id}/reject`, {})).status, 422)
  assert.equal((await as(admin, 'PATCH', `${PATH}/${id}/reject`, { reject_content: 'Forged' })).status, 204)
  assert.equal(
    code(await as(admin, 'PATCH', `${PATH}/${id}/reject`, { reject_content: 'x' })),
    'certification_decided',
  )
  assert.equal(await verified(who), null)
  const log = await records(id)
  assert.deepEqual(
    log.map(({ action }) => action),
    ['certifications.pass', 'certifications.reject'],
  )
  assert.deepEqual(log[0]?.before, { user_id: who.id, type: 'user', status: 0 })
  const text = JSON.stringify(log)
  for (const secret of [body.name, body.phone, body.number]) assert.ok(!text.includes(secret))
})

test('rejects a decision on a certification edited since it was read (administration-10)', async () => {
  const { who, id } = await applicant()
  const { version } = (await as(admin, 'GET', `${PATH}/${id}`)).body
  assert.equal((await as(who, 'PATCH', '/user/certification', { name: 'Other' })).status, 201)
  const stale = await as(admin, 'PATCH', `${PATH}/${id}/pass`, { desc: 'x', version })
  assert.deepEqual([stale.status, code(stale)], [422, 'certification_changed'])
  assert.equal(await verified(who), null)
  assert.equal(
    (await as(admin, 'PATCH', `${PATH}/${id}/pass`, { desc: 'x', version: version + 1 })).status,
    204,
  )
})

test('serializes a decision and a concurrent edit of a certification', async () => {
  for (let n = 0; n < 3; n += 1) {
    const { who, id } = await applicant()
    const [changed, passed] = await Promise.all([
      as(who, 'PATCH', '/user/certification', { name: 'Other' }),
      as(admin, 'PATCH', `${PATH}/${id}/pass`, { desc: 'x' }),
    ])
    assert.equal(passed.status, 204)
    assert.ok([201, 422].includes(changed.status))
    const { status, data } = (await as(who, 'GET', '/user/certification')).body
    assert.deepEqual([status, data.name === 'Other'], [1, changed.status === 201])
    assert.notEqual(await verified(who), null)
  }
})

test('certifies a user with documents uploaded by an administrator', async () => {
  const who = await person()
  const body = await papers(admin, { user_id: who.id, desc: 'Known here' })
  const made = await as(admin, 'POST', PATH, body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body
  assert.deepEqual(await verified(who), { type: 'user', icon: null, description: 'Known here' })
  assert.equal((await told(who)).length, 1)
  assert.equal((await as(who, 'GET', `/files/${body.files[0]}`)).status, 302)

  const org = {
    type: 'org',
    org_name: 'Kith',
    org_address: 'Road',
    files: [await uploadPicture(world, admin)],
  }
  assert.equal((await as(admin, 'PATCH', `${PATH}/${id}`, org)).status, 204)
  assert.deepEqual(await verified(who), { type: 'org', icon: null, description: 'Known here' })
  assert.equal((await as(admin, 'GET', `/files/${body.files[0]}`)).status, 404)
  assert.equal((await told(who)).length, 1)
  const again = await as(admin, 'POST', PATH, await papers(admin, { user_id: who.id }))
  assert.deepEqual([again.status, code(again)], [422, 'certification_exists'])
  const nobody = await as(admin, 'POST', PATH, await papers(admin, { user_id: 2 ** 40 }))
  assert.deepEqual([nobody.status, Object.keys(nobody.body.errors)], [422, ['user_id']])
  const foreign = await papers(await person(), { user_id: (await person()).id })
  assert.equal(code(await as(admin, 'POST', PATH, foreign)), 'file_not_usable')
  const log = await records(id)
  assert.deepEqual(log[1]?.after, { status: 1, changed: ['type', 'files', 'org_name', 'org_address'] })

  const { who: waiting, id: theirs } = await applicant()
  assert.equal((await as(admin, 'PATCH', `${PATH}/${theirs}`, { desc: 'Corrected' })).status, 204)
  assert.equal((await verified(waiting)).description, 'Corrected')
  assert.equal((await told(waiting)).length, 1)
})

test('deletes the badge and documents together with a certification', async () => {
  const { who, id, body } = await applicant()
  assert.equal((await as(admin, 'PATCH', `${PATH}/${id}/pass`, { desc: 'x' })).status, 204)
  assert.equal((await as(admin, 'DELETE', `${PATH}/${id}`)).status, 204)
  assert.equal((await as(admin, 'DELETE', `${PATH}/${id}`)).status, 404)
  assert.equal(await verified(who), null)
  assert.deepEqual((await as(who, 'GET', '/user/certification')).body, {})
  assert.equal((await told(who)).length, 0)
  await work()
  const left = await sql`
    select from files where owner_id = ${who.id}
    union all select from file_uses where id = any(${body.files})
    union all select from certifications where user_id = ${who.id}`
  assert.equal(left.length, 0)
  assert.equal((await as(who, 'POST', '/user/certification', await papers(who))).status, 201)
})

test("revokes a user's certification when an administrator removes the badge", async () => {
  const { who, id } = await applicant()
  await as(admin, 'PATCH', `${PATH}/${id}/pass`, { desc: 'x' })
  assert.equal((await as(admin, 'PATCH', `/admin/users/${who.id}`, { verified: null })).status, 204)
  assert.equal(await verified(who), null)
  assert.equal((await as(admin, 'GET', `${PATH}/${id}`)).body.status, 2)
  assert.equal((await as(who, 'PATCH', '/user/certification', {})).status, 201)
})

test('updates the badges of certified users when the icon of their category changes', async () => {
  const { who, id } = await applicant()
  const [waiting, other] = [await applicant(), await applicant()]
  for (const each of [id, other.id]) await as(admin, 'PATCH', `${PATH}/${each}/pass`, { desc: 'x' })
  // Badges set by an administrator must not change with the category.
  const byHand = { type: 'user', icon: 'https://example.org/own.png', description: null }
  await as(admin, 'PATCH', `/admin/users/${waiting.who.id}`, { verified: byHand })
  await as(admin, 'PATCH', `/admin/users/${other.who.id}`, { verified: { ...byHand, type: 'star' } })
  const { body } = await as(admin, 'GET', `${PATH}/categories`)
  assert.equal(body.total, 2)
  assert.deepEqual(
    body.data.map(({ name, display_name_zh }: Record<string, string>) => [name, display_name_zh]),
    [
      ['user', '个人认证'],
      ['org', '组织认证'],
    ],
  )
  const icon = 'https://example.org/badge.png'
  const change = { icon, description: 'Real people', display_name_en: 'Person' }
  assert.equal((await as(admin, 'PATCH', `${PATH}/categories/user`, change)).status, 204)
  await work()
  assert.deepEqual(await verified(who), { type: 'user', icon, description: 'x' })
  assert.deepEqual(await verified(waiting.who), byHand)
  assert.deepEqual(await verified(other.who), { ...byHand, type: 'star' })
  const mine = (await as(who, 'GET', '/user/certification')).body
  assert.deepEqual(
    [mine.icon, mine.category],
    [icon, { name: 'user', display_name: 'Person', description: 'Real people' }],
  )
  const later = await applicant()
  await as(admin, 'PATCH', `${PATH}/${later.id}/pass`, { desc: 'y' })
  assert.equal((await verified(later.who)).icon, icon)
  for (const bad of ['javascript:alert(1)', 'x', `https://a/"onerror=`])
    assert.equal((await as(admin, 'PATCH', `${PATH}/categories/user`, { icon: bad })).status, 422, bad)
  assert.equal((await as(admin, 'GET', `${PATH}/categories/dog`)).status, 404)
  assert.equal((await as(admin, 'PATCH', `${PATH}/categories/user`, { icon: null })).status, 204)
  assert.equal((await as(admin, 'GET', `${PATH}/categories/user`)).body.icon, null)
  const [changed] = await records('user', 'certification-categories')
  assert.deepEqual(changed?.before, {
    icon: null,
    description: null,
    display_name_en: 'Personal certification',
  })
})
