import assert from 'node:assert/strict'
import { test } from 'node:test'
import { multipart, newPicture } from '#test/fixtures/uploads.ts'
import { fieldError, fresh, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, outbox, person, sql, work } = world
const { codeFor, signUp, signIn } = signUpsOn(world)

async function storedPicture(ownerId: number): Promise<string> {
  const node = `public:2026/11/21/${ownerId.toString(16).padStart(64, 'a')}.png`
  await sql`
    insert into storage_nodes (node, owner_id, md5, declared_size, mime, size, width, height, uploaded_at)
    values (${node}, ${ownerId}, ${Buffer.alloc(16)}, 10, 'image/png', 10, 2, 3, now())`
  return node
}

test("returns private fields of the viewer's account (sign-in-10)", async () => {
  const ann = await signUp()
  const { status, body } = await as(ann, 'GET', '/user')
  assert.equal(status, 200)
  assert.equal(body.id, ann.id)
  assert.equal(body.email, ann.email)
  assert.deepEqual(body.currency, { owner_id: ann.id, type: 1, sum: 0 })
  assert.equal(body.wallet.balance, 0)
  assert.equal(body.wallet.user_id, ann.id)
  assert.deepEqual(body.new_wallet, { owner_id: ann.id, balance: 0, total_income: 0, total_expenses: 0 })
  assert.equal(body.friends_count, 0)
  for (const field of ['bio', 'location', 'avatar', 'bg', 'verified']) assert.equal(body[field], null)
  assert.equal(body.sex, 0)
  assert.match(body.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.ok(!('password' in body))
})

test('counts mutual followers as friends', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await sql`insert into user_follows (user_id, target_id)
    values (${ann.id}, ${bob.id}), (${bob.id}, ${ann.id}), (${ann.id}, ${cid.id})`
  assert.equal((await as(ann, 'GET', '/user')).body.friends_count, 1)
  assert.equal((await as(cid, 'GET', '/user')).body.friends_count, 0)
})

test('changes single profile fields (sign-in-14)', async () => {
  const ann = await person()
  const bio = '字'.repeat(255)
  assert.equal((await as(ann, 'PATCH', '/user', { bio, sex: '2', location: ' Chengdu ' })).status, 204)
  assert.equal((await as(ann, 'PATCH', '/user?location=Xi')).status, 204)
  const { body } = await as(ann, 'GET', '/user')
  assert.deepEqual([body.bio, body.sex, body.location, body.name], [bio, 2, 'Xi', ann.name])
  assert.equal((await as(ann, 'PATCH', '/user', { bio: null, sex: null, location: '' })).status, 204)
  const cleared = (await as(ann, 'GET', '/user')).body
  assert.deepEqual([cleared.bio, cleared.sex, cleared.location], [null, 0, null])
  assert.equal((await as(ann, 'PATCH', '/user', {})).status, 204)
  fieldError(await as(ann, 'PATCH', '/user', { bio: 'x'.repeat(256) }), 'bio')
  fieldError(await as(ann, 'PATCH', '/user', { sex: 3 }), 'sex')
})

test('applies the registration rules to a new name', async () => {
  const [ann, bob] = [await person(), await person()]
  fieldError(await as(ann, 'PATCH', '/user', { name: 'a b' }), 'name')
  fieldError(await as(ann, 'PATCH', '/user', { name: 'admin' }), 'name')
  fieldError(await as(ann, 'PATCH', '/user', { name: bob.name.toUpperCase() }), 'name')
  assert.equal((await as(ann, 'PATCH', '/user', { name: ann.name.toUpperCase() })).status, 204)
  const { name } = fresh()
  const answers = await Promise.all([ann, bob].map((who) => as(who, 'PATCH', '/user', { name })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422])
  const [row] = await sql<[{ name_key: string; name_grams: string[] }]>`
    select name_key, name_grams from users where name = ${name}`
  assert.equal(row.name_key, name)
  assert.ok(row.name_grams.includes('reg'))
})

test("accepts a user's unchanged name even when the name is reserved (sign-in-14)", async () => {
  const founder = await person({ name: 'root', roles: ['founder'] })
  assert.equal((await as(founder, 'PATCH', '/user', { name: 'root', bio: 'First' })).status, 204)
  assert.equal((await as(founder, 'GET', '/user')).body.bio, 'First')
  fieldError(await as(founder, 'PATCH', '/user', { name: 'admin' }), 'name')
  assert.equal((await as(founder, 'PATCH', `/admin/users/${founder.id}`, { name: 'root' })).status, 204)
})

test("accepts only the viewer's stored pictures as avatar and background", async () => {
  const [ann, bob] = [await person(), await person()]
  const node = await storedPicture(ann.id)
  assert.equal((await as(ann, 'PATCH', '/user', { avatar: node, bg: node })).status, 204)
  const { avatar, bg } = (await as(ann, 'GET', '/user')).body
  assert.deepEqual(avatar, bg)
  assert.deepEqual(avatar.dimension, { width: 2, height: 3 })
  assert.equal(avatar.mime, 'image/png')
  assert.equal((await as(ann, 'PATCH', '/user', { avatar: null })).status, 204)
  const cleared = (await as(ann, 'GET', '/user')).body
  assert.deepEqual([cleared.avatar, cleared.bg], [null, bg])
  fieldError(await as(bob, 'PATCH', '/user', { avatar: node }), 'avatar')
  fieldError(await as(ann, 'PATCH', '/user', { bg: node.replace('a', 'b') }), 'bg')
  fieldError(await as(ann, 'PATCH', '/user', { avatar: 'https://example.com/x.png' }), 'avatar')
})

test('binds a phone or e-mail by a code sent to the new contact (sign-in-8)', async () => {
  const ann = await signUp()
  const { phone, email } = fresh()
  const code = await codeFor(phone, '/verifycodes/register')
  const { password } = ann
  assert.equal((await as(ann, 'PUT', '/user', { phone, email, verifiable_code: code })).status, 422)
  assert.equal((await as(ann, 'PUT', '/user', { verifiable_code: code })).status, 422)
  fieldError(await as(ann, 'PUT', '/user', { phone }), 'verifiable_code')
  assert.equal((await as(ann, 'PUT', '/user', { email, password, verifiable_code: code })).status, 422)
  assert.equal((await as(ann, 'PUT', '/user', { phone, password, verifiable_code: code })).status, 204)
  assert.equal((await as(ann, 'PUT', '/user', { phone, password, verifiable_code: code })).status, 422)
  const change = await codeFor(email, '/verifycodes/register')
  assert.equal((await as(ann, 'PUT', '/user', { email, password, verifiable_code: change })).status, 204)
  const { body } = await as(ann, 'GET', '/user')
  assert.deepEqual([body.phone, body.email], [phone, email])
})

test('binds a phone to one of two users who request it concurrently', async () => {
  const [ann, bob] = [await signUp(), await signUp()]
  const { phone } = fresh()
  const verifiable_code = await codeFor(phone, '/verifycodes/register')
  const answers = await Promise.all(
    [ann, bob].map((who) => as(who, 'PUT', '/user', { phone, password: who.password, verifiable_code })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422])
})

test('rejects a contact that another user bound after the code was sent', async () => {
  const ann = await signUp()
  const { phone } = fresh()
  const verifiable_code = await codeFor(phone, '/verifycodes/register')
  const bob = await person()
  await sql`update users set phone = ${phone} where id = ${bob.id}`
  fieldError(await as(ann, 'PUT', '/user', { phone, password: ann.password, verifiable_code }), 'phone')
})

test('unbinds a phone or e-mail by password and code (sign-in-8)', async () => {
  const { phone } = fresh()
  const ann = await signUp({ phone })
  const verifiable_code = await codeFor(phone)
  const wrong = String((Number(verifiable_code) + 1) % 1_000_000)
  const unbind = (fields: Record<string, unknown>) => as(ann, 'DELETE', '/user/phone', fields)
  fieldError(await unbind({ password: 'wrong one', verifiable_code }), 'password')
  assert.equal((await unbind({ password: ann.password, verifiable_code: wrong })).status, 422)
  assert.equal((await unbind({})).status, 422)
  const query = new URLSearchParams({ password: ann.password, verifiable_code })
  assert.equal((await as(ann, 'DELETE', `/user/phone?${query}`)).status, 204)
  assert.equal((await as(ann, 'GET', '/user')).body.phone, null)
  fieldError(await unbind({ password: ann.password, verifiable_code }), 'phone')
  assert.equal((await guest('POST', '/verifycodes', { phone })).status, 422)
  const bob = await signUp()
  const code = await codeFor(String(bob.email))
  const body = { password: bob.password, verifiable_code: code }
  assert.equal((await as(bob, 'DELETE', '/user/email', body)).status, 204)
  assert.equal((await signIn(String(bob.email), { password: bob.password })).status, 422)
  assert.equal((await signIn(bob.name, { password: bob.password })).status, 200)
})

const alerts = async (who: Person) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data.map(
    ({ data }: { data: { kind: string; state: string } }) => `${data.kind} ${data.state}`,
  )
const told = async (from = 0) => {
  await work()
  return outbox.slice(from).flatMap(({ to, code }) => (code === undefined ? [to] : []))
}

test('requires the password or a code of the current contact to bind another contact (sign-in-8)', async () => {
  const ann = await signUp()
  const old = String(ann.email)
  const { phone, email } = fresh()
  const verifiable_code = await codeFor(phone, '/verifycodes/register')
  const bind = (fields: object) => as(ann, 'PUT', '/user', { phone, verifiable_code, ...fields })
  const refused = await bind({})
  fieldError(refused, 'password')
  assert.equal(refused.headers['x-error-code'], 'proof_required')
  fieldError(await bind({ password: 'not mine at all' }), 'password')
  fieldError(await bind({ old_verifiable_code: 1 }), 'old_verifiable_code')
  assert.equal((await as(ann, 'GET', '/user')).body.phone, null)
  fieldError(await bind({ old_verifiable_code: verifiable_code }), 'old_verifiable_code')
  const proof = await codeFor(old)
  const before = outbox.length
  assert.equal((await bind({ old_verifiable_code: proof })).status, 204)
  assert.deepEqual(await told(before), [old])
  const another = await codeFor(email, '/verifycodes/register')
  fieldError(
    await as(ann, 'PUT', '/user', { email, verifiable_code: another, old_verifiable_code: proof }),
    'old_verifiable_code',
  )
  const later = outbox.length
  const { password } = ann
  assert.equal((await as(ann, 'PUT', '/user', { email, verifiable_code: another, password })).status, 204)
  assert.deepEqual((await told(later)).sort(), [old, phone].sort())
  assert.deepEqual(await alerts(ann), ['account:changed email', 'account:changed phone'])
})

test('binds a phone by code alone when the account has no credentials', async () => {
  const ann = await person()
  const { phone } = fresh()
  const verifiable_code = await codeFor(phone, '/verifycodes/register')
  assert.equal((await as(ann, 'PUT', '/user', { phone, verifiable_code })).status, 204)
})

test('alerts the user when a credential changes (sign-in-8)', async () => {
  const { phone, email } = fresh()
  const ann = await signUp({ phone })
  const root = await person({ roles: ['founder'] })
  const step = async (act: () => Promise<{ status: number }>) => {
    const from = outbox.length
    assert.equal((await act()).status, 204)
    return told(from)
  }
  const next = {
    old_password: ann.password,
    password: 'quite another',
    password_confirmation: 'quite another',
  }
  assert.deepEqual(await step(() => as(ann, 'PUT', '/user/password', next)), [phone])
  const reset = { verifiable_type: 'sms', phone, password: ann.password }
  const code = await codeFor(phone)
  assert.deepEqual(
    await step(() => guest('PUT', '/user/retrieve-password', { ...reset, verifiable_code: code })),
    [phone],
  )
  const newToken = async (): Promise<string> =>
    (await signIn(ann.name, { password: ann.password })).body.access_token
  const change = (fields: object) => step(() => as(root, 'PATCH', `/admin/users/${ann.id}`, fields))
  assert.deepEqual(await change({ bio: 'Hm', phone }), [])
  const unbound = await codeFor(phone)
  const away = { password: ann.password, verifiable_code: unbound }
  assert.deepEqual(
    await step(async () => as({ ...ann, token: await newToken() }, 'DELETE', '/user/phone', away)),
    [phone],
  )
  assert.deepEqual(await change({ phone }), [])
  assert.deepEqual(await change({ email }), [phone])
  assert.deepEqual(
    (await change({ password: 'a third one', phone: null })).sort(),
    [email, email, phone, phone].sort(),
  )
  const { access_token: token } = (await signIn(ann.name, { password: 'a third one' })).body
  assert.deepEqual(await alerts({ ...ann, token }), [
    'account:changed phone',
    'account:changed password',
    'account:changed email',
    'account:changed phone',
    'account:changed phone',
    'account:changed password',
    'account:changed password',
  ])
})

test('sets the background to an uploaded picture (files-16)', async () => {
  const ann = await person()
  const send = async (parts: [string, Buffer | string][]) => {
    const { payload, headers } = await multipart(parts)
    return as(ann, 'POST', '/user/bg', payload, headers)
  }
  const picture = await newPicture(50, 20)
  assert.equal((await send([['image', picture]])).status, 204)
  const { bg } = (await as(ann, 'GET', '/user')).body
  assert.deepEqual([bg.mime, bg.dimension], ['image/png', { width: 50, height: 20 }])
  const shown = await world.app.inject({ method: 'GET', url: bg.url.slice(new URL(bg.url).origin.length) })
  assert.deepEqual([shown.statusCode, shown.headers['content-type']], [200, 'image/png'])
  for (const parts of [
    [['image', Buffer.from('no picture')]],
    [['image', Buffer.alloc(0)]],
    [['image', Buffer.concat([picture, Buffer.alloc(2_097_152)])]],
    [['other', picture]],
    [['image', 'a text']],
  ] as [string, Buffer | string][][])
    fieldError(await send(parts), 'image')
  fieldError(await as(ann, 'POST', '/user/bg', {}), 'image')
  assert.deepEqual((await as(ann, 'GET', '/user')).body.bg, bg)
})
