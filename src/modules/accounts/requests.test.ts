import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOAuthProvider } from '#test/fixtures/outside-providers.ts'
import { fresh, refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const oauth = await startOAuthProvider()
const world = await createWorld({
  LINKED_PROVIDERS: 'open_forge',
  ...oauth.settings('OPEN_FORGE'),
  LINKED_OPEN_FORGE_ACCEPT_TOKENS: 'true',
})
const { guest, as, sql, person, outbox, work } = world
const { register, signIn, codeFor } = signUpsOn(world)
const under = settingsOn(world)
const admin = await person({ roles: ['founder'] })

async function applicant(fields: { phone?: string; introduction?: string } = {}) {
  const { name, email } = fresh()
  const given = { name, ...(fields.phone ? {} : { email }), password: 'correct horse', ...fields }
  await under({ 'register:type': 'approval' }, async () => {
    const answer = await register(given)
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    assert.deepEqual(Object.keys(answer.body), ['message'])
  })
  const { data } = (await as(admin, 'GET', '/admin/registrations?limit=100')).body
  const request = data.find((row: { name: string }) => row.name === name)
  return { ...given, login: String(fields.phone ?? email), request }
}
const decide = (id: number, body: object) => as(admin, 'PATCH', `/admin/registrations/${id}`, body)
const letterTo = (to: string) =>
  outbox.findLast((each) => each.to === to && each.code === undefined)?.text ?? ''

test('reports a pending account at sign-in (registration-8)', async () => {
  const { name, email, login, request } = await applicant({ introduction: 'I sing bass.' })
  assert.equal(request.introduction, 'I sing bass.')
  assert.equal(request.email, email)
  assert.deepEqual(refusalOf(await signIn(login, { password: 'correct horse' })), [403, 'account_waiting'])
  assert.deepEqual(refusalOf(await signIn(name, { password: 'wrong' })), [422, 'wrong_sign_in'])
  const verifiable_code = await codeFor(login)
  assert.deepEqual(refusalOf(await signIn(login, { verifiable_code })), [403, 'account_waiting'])
  assert.equal((await guest('GET', `/users/${name}`)).status, 404)
  assert.equal(
    (await guest('POST', '/verifycodes/register', { email })).headers['x-error-code'],
    'email_taken',
  )
  const [made] = await sql`select deleted_at is null as enabled from users where name = ${name}`
  assert.equal(made?.enabled, false)
})

test('notifies an approved user and lets them sign in (registration-8)', async () => {
  const star = await person()
  await as(admin, 'PUT', `/admin/user-famous/${star.id}`, { type: 'each' })
  const { name, login, request } = await applicant()
  assert.equal((await decide(request.id, { action: 'accept', remark: 'Welcome!' })).status, 204)
  await work()
  assert.match(letterTo(login), /已通过.*Welcome!.*accepted.*Welcome!/)
  const signedIn = await signIn(login, { password: 'correct horse' })
  assert.equal(signedIn.status, 200)
  const me = (await guest('GET', `/user?token=${signedIn.body.access_token}`)).body
  assert.deepEqual([me.name, me.extra.followings_count, me.extra.followers_count], [name, 1, 1])
  assert.deepEqual(refusalOf(await decide(request.id, { action: 'reject' })), [422, 'already_decided'])
  assert.equal((await decide(999_999, { action: 'accept' })).status, 404)
  await as(admin, 'DELETE', `/admin/user-famous/${star.id}`)
})

test('frees the name and phone of a rejected user (registration-8)', async () => {
  const { phone } = fresh()
  const { name, request } = await applicant({ phone })
  assert.equal((await decide(request.id, { action: 'reject', remark: 'no robots' })).status, 204)
  await work()
  assert.match(letterTo(phone), /未通过.*no robots/)
  assert.deepEqual(refusalOf(await signIn(phone, { password: 'correct horse' })), [422, 'wrong_sign_in'])
  const rest = await sql`select from user_roles where user_id = ${request.user_id}
    union all select from user_counts where user_id = ${request.user_id}`
  assert.equal(rest.length, 0)
  const [kept] = (await as(admin, 'GET', `/admin/registrations?state=rejected&q=${name}`)).body.data
  assert.deepEqual(
    [kept.name, kept.remark, kept.phone, kept.user_id, kept.decided_by],
    [name, 'no robots', null, null, admin.id],
  )
  assert.equal((await register({ name, phone })).status, 201)
})

test('reports an account as disabled when it is disabled after its approval (registration-8)', async () => {
  const { login, request } = await applicant()
  assert.equal((await decide(request.id, { action: 'accept' })).status, 204)
  const disabled = await as(admin, 'PATCH', `/admin/users/${request.user_id}`, { disabled: true })
  assert.equal(disabled.status, 204)
  assert.deepEqual(refusalOf(await signIn(login, { password: 'correct horse' })), [403, 'account_disabled'])
})

test('applies one of several concurrent decisions on a registration (registration-8)', async () => {
  const { request } = await applicant()
  const answers = await Promise.all(
    ['accept', 'reject', 'accept', 'reject'].map((action) => decide(request.id, { action })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422, 422])
})

test('approves a pending account when an administrator enables it (registration-8)', async () => {
  const { login, request } = await applicant()
  const changed = await as(admin, 'PATCH', `/admin/users/${request.user_id}`, { disabled: false })
  assert.equal(changed.status, 204)
  assert.equal((await signIn(login, { password: 'correct horse' })).status, 200)
  assert.deepEqual(refusalOf(await decide(request.id, { action: 'reject' })), [422, 'already_decided'])
})

test('holds users from external providers for approval (registration-8)', async () => {
  const FORGE = '/socialite/open_forge'
  const name = fresh().name
  await under({ 'register:type': 'approval' }, async () => {
    const answer = await guest('PATCH', FORGE, { access_token: 'token-901', name })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
  })
  assert.deepEqual(refusalOf(await guest('POST', FORGE, { access_token: 'token-901' })), [
    403,
    'account_waiting',
  ])
  const { data } = (await as(admin, 'GET', '/admin/registrations?limit=100')).body
  const { id } = data.find((row: { name: string }) => row.name === name)
  assert.equal((await decide(id, { action: 'accept' })).status, 204)
  assert.equal((await guest('POST', FORGE, { access_token: 'token-901' })).status, 201)
  const ann = await person()
  assert.equal((await as(ann, 'GET', '/admin/registrations')).status, 403)
  assert.equal((await as(ann, 'PATCH', `/admin/registrations/${id}`, { action: 'accept' })).status, 403)
})
