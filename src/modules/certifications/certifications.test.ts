import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { app, as, ctx, guest, person, sql } = world

const ME = '/user/certification'
const PAPERS = { name: '杜伟', phone: '+86-18781993582', number: '51092219920420757X', desc: 'A writer' }
const files = async (who: Person, many = 1) =>
  Promise.all(Array.from({ length: many }, () => uploadPicture(world, who)))
const send = async (who: Person, body: object = {}) =>
  as(who, 'POST', ME, { type: 'user', ...PAPERS, files: await files(who), ...body })
const mine = async (who: Person) => (await as(who, 'GET', ME)).body
const decide = (who: Person, verb: 'pass' | 'reject') => async (by: Person, body: object) =>
  as(by, 'PATCH', `/admin/certifications/${(await mine(who)).id}/${verb}`, body)
const admin = await person({ roles: ['founder'] })

test('returns the data of a submitted certification (sign-in-20)', async () => {
  const ann = await person()
  assert.equal((await guest('GET', ME)).status, 401)
  assert.deepEqual([(await as(ann, 'GET', ME)).status, await mine(ann)], [200, {}])
  const papers = await files(ann, 2)
  const sent = await send(ann, { files: papers })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  assert.equal(sent.body.message, 'Submitted and waiting for review.')
  const { id, created_at, updated_at, ...shown } = await mine(ann)
  for (const paper of shown.files) {
    assert.match(paper.url, /\/storage\/files\/\d+\?expires=\d+&signature=/)
    delete paper.url
  }
  assert.ok(id > 0 && created_at && updated_at)
  assert.deepEqual(shown, {
    certification_name: 'user',
    user_id: ann.id,
    data: {
      ...PAPERS,
      phone: '18781993582',
      files: papers,
      org_name: null,
      org_address: null,
      reject_content: null,
    },
    files: papers.map((file) => ({ id: file, file, size: '30x20', mime: 'image/png' })),
    examiner: 0,
    status: 0,
    icon: null,
    category: { name: 'user', display_name: 'Personal certification', description: null },
  })
  const chinese = await as(ann, 'GET', ME, undefined, { 'accept-language': 'zh-CN' })
  assert.equal(chinese.body.category.display_name, '个人认证')
  assert.equal((await as(ann, 'GET', '/user')).body.verified, null)
})

test("requires an organisation's name and address for type `org` and discards them for type `user`", async () => {
  const ann = await person()
  for (const gap of ['org_name', 'org_address']) {
    const body = { type: 'org', org_name: 'Kith Ltd', org_address: '1 Road', [gap]: null }
    const refused = await send(ann, body)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, [gap]])
  }
  assert.equal((await send(ann, { type: 'org', org_name: 'Kith Ltd', org_address: '1 Road' })).status, 201)
  const { certification_name, data, category } = await mine(ann)
  assert.deepEqual([certification_name, data.org_name, data.org_address], ['org', 'Kith Ltd', '1 Road'])
  assert.equal(category.display_name, 'Organisation certification')
  const toUser = await as(ann, 'PATCH', ME, { type: 'user', org_name: 'Other' })
  assert.equal(toUser.status, 201)
  assert.equal((await mine(ann)).data.org_name, null)
  const back = await as(ann, 'PATCH', ME, { type: 'org', org_name: 'Kith Ltd' })
  assert.deepEqual([back.status, Object.keys(back.body.errors)], [422, ['org_address']])
})

test('reports the invalid field of a certification', async () => {
  const ann = await person()
  const [file] = await files(ann)
  for (const [field, value] of [
    ['type', 'dog'],
    ['name', null],
    ['name', 'x'.repeat(51)],
    ['phone', '12345'],
    ['number', ''],
    ['desc', 'x'.repeat(251)],
    ['files', []],
    ['files', [file, file]],
    ['files', Array.from({ length: 11 }, (_, n) => n + 1)],
  ] as const) {
    const refused = await send(ann, { files: [file], [field]: value })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, [field]], `${field} ${value}`)
  }
  assert.deepEqual(await mine(ann), {})
  assert.equal((await send(ann, { files: [file] })).status, 201)
})

test('accepts files as an object or a comma-separated list', async () => {
  const ann = await person()
  const [front, back] = await files(ann, 2)
  assert.equal((await send(ann, { files: { front, back: `${back}` } })).status, 201)
  assert.deepEqual((await mine(ann)).data.files, [front, back])
  for (const wrong of [{}, { front: 'x' }, { front: 0 }, { front: '9'.repeat(20) }, { front: [front] }])
    assert.equal((await as(ann, 'PATCH', ME, { files: wrong })).status, 422, JSON.stringify(wrong))
  assert.equal((await as(ann, 'PATCH', ME, { files: `${back},${front}` })).status, 201)
  assert.deepEqual((await mine(ann)).data.files, [back, front])
})

test('rejects files that another user uploaded', async () => {
  const [ann, bob] = [await person(), await person()]
  const [foreign] = await files(bob)
  const refused = await send(ann, { files: [foreign] })
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [422, 'file_not_usable'])
  assert.equal((await send(bob, { files: [foreign] })).status, 201)
  const again = await as(bob, 'PATCH', ME, { files: [foreign] })
  assert.equal(again.status, 201)
  assert.equal((await send(ann, { files: [foreign] })).status, 422)
})

test('rejects a second certification of a user (sign-in-20)', async () => {
  const ann = await person()
  const given = await files(ann, 6)
  const answers = await Promise.all(given.map((file) => send(ann, { files: [file] })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422, 422])
  const codes = new Set(answers.map(({ headers }) => headers['x-error-code']))
  assert.deepEqual(codes, new Set([undefined, 'certification_exists']))
  const attached = await sql`select from file_uses where channel = 'certification:file' and raw = ${ann.id}`
  assert.equal(attached.length, 1)
  const incomplete = await as(ann, 'POST', ME, {})
  assert.equal(incomplete.headers['x-error-code'], 'certification_exists')
})

test('sends an edited certification to review again', async () => {
  const ann = await person()
  const missing = await as(ann, 'PATCH', ME, { name: 5 })
  assert.deepEqual([missing.status, missing.headers['x-error-code']], [404, 'no_certification'])
  const [first, second, third] = await files(ann, 3)
  await send(ann, { files: [first, second] })
  assert.equal((await decide(ann, 'reject')(admin, { reject_content: 'Blurred' })).status, 204)
  assert.deepEqual((await mine(ann)).data.reject_content, 'Blurred')
  const changed = await as(ann, 'PATCH', ME, { files: [second, third], name: '杜 伟' })
  assert.deepEqual([changed.status, changed.body.message], [201, 'Changed and waiting for review.'])
  const { status, examiner, data } = await mine(ann)
  assert.deepEqual([status, examiner, data.reject_content, data.name], [0, 0, null, '杜 伟'])
  assert.deepEqual([data.files, data.number], [[second, third], PAPERS.number])
  assert.equal((await as(ann, 'GET', `/files/${first}`)).status, 404)

  assert.equal((await decide(ann, 'pass')(admin, { desc: 'Writer' })).status, 204)
  for (const body of [{ name: 'Other' }, { name: 5 }, {}]) {
    const late = await as(ann, 'PATCH', ME, body)
    assert.deepEqual([late.status, late.headers['x-error-code']], [422, 'certification_passed'])
  }
})

test('serves documents only to the applicant and reviewers (sign-in-20, files-10)', async () => {
  const [ann, bob] = [await person(), await person()]
  const keeper = await person()
  await sql`
    with role as (insert into roles (name) values ('registrar') returning id),
    given as (insert into role_abilities (role_id, ability) select id, 'admin: certifications' from role)
    insert into user_roles (user_id, role_id) select ${keeper.id}, id from role`
  const [file] = await files(ann)
  const bytes = async (url: string) => {
    const { pathname, search } = new URL(url)
    return app.inject({ url: pathname + search })
  }
  const early = (await as(ann, 'GET', `/files/${file}?json=1`)).body.url
  assert.equal((await bytes(early)).statusCode, 200)
  await send(ann, { files: [file] })
  assert.equal((await bytes(early)).statusCode, 403)
  assert.equal((await guest('GET', `/files/${file}`)).status, 404)
  for (const query of ['', '?json=1', '?w=10'])
    assert.equal((await as(bob, 'GET', `/files/${file}${query}`)).status, 404)
  for (const reader of [ann, keeper, admin]) {
    const { status, body } = await as(reader, 'GET', `/files/${file}?json=1&w=10`)
    assert.equal(status, 200)
    const got = await bytes(body.url)
    assert.deepEqual([got.statusCode, got.headers['cache-control']], [200, 'private, no-store'])
    const minutes = (Number(new URL(body.url).searchParams.get('expires')) - Date.now()) / 60_000
    assert.ok(minutes > 0 && minutes <= 5)
  }
})

test('displays the badge of a certified user until the certification is revoked', async () => {
  const [ann, bob] = [await person(), await person()]
  await send(ann)
  const badge = async () => [
    (await as(ann, 'GET', '/user')).body.verified,
    (await guest('GET', `/users/${ann.id}`)).body.verified,
    (await as(bob, 'GET', `/users?id=${ann.id}`)).body[0].verified,
  ]
  assert.deepEqual(await badge(), [null, null, null])
  assert.equal((await decide(ann, 'pass')(admin, { desc: 'Novelist' })).status, 204)
  const shown = { type: 'user', icon: null, description: 'Novelist' }
  assert.deepEqual(await badge(), [shown, shown, shown])
  assert.deepEqual([(await mine(ann)).status, (await mine(ann)).examiner], [1, admin.id])
  assert.equal((await decide(ann, 'reject')(admin, { reject_content: 'Not a novelist' })).status, 204)
  assert.deepEqual(await badge(), [null, null, null])
  assert.equal((await mine(ann)).status, 2)
})

test('omits personal data of certifications from logged URLs', async (t) => {
  const ann = await person()
  const info = t.mock.method(ctx.log, 'info')
  const query = new URLSearchParams({ ...PAPERS, type: 'user' })
  assert.equal((await as(ann, 'PATCH', `${ME}?${query}`)).status, 404)
  assert.equal((await as(admin, 'GET', `/admin/certifications?q=${PAPERS.number}`)).status, 200)
  const logged = info.mock.calls.map(({ arguments: [line] }) => line as unknown as { url: string })
  assert.deepEqual(
    logged.map(({ url }) => url),
    ['/api/v2/user/certification', '/api/v2/admin/certifications'],
  )
})
