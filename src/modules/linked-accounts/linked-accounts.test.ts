import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database'
import {
  startOAuthProvider,
  startOpenIdProvider,
  startSilentProvider,
} from '#test/fixtures/outside-providers.ts'
import { fieldError, fresh, refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'

const openId = await startOpenIdProvider()
const oauth = await startOAuthProvider()
const world = await createWorld({
  LINKED_PROVIDERS: 'company, silent, forge, open_forge, gone',
  ...openId.env,
  LINKED_SILENT_ISSUER: await startSilentProvider(),
  LINKED_SILENT_CLIENT_ID: 'kith',
  LINKED_SILENT_CLIENT_SECRET: 'a secret',
  LINKED_SILENT_REDIRECT_URL: 'https://community.example/signed-in',
  ...oauth.settings('FORGE'),
  ...oauth.settings('OPEN_FORGE'),
  LINKED_OPEN_FORGE_ACCEPT_TOKENS: 'true',
  ...oauth.settings('GONE'),
  LINKED_GONE_ACCEPT_TOKENS: 'true',
  // Port 9 refuses connections, so requests for profiles fail at the provider `GONE`.
  LINKED_GONE_PROFILE_URL: 'http://127.0.0.1:9/profile',
})
const { as, guest, outbox, person, sql, work } = world
const { codeFor, signUp } = signUpsOn(world)
const under = settingsOn(world)
const founder = await person({ roles: ['founder'] })

let accounts = 100
const nextAccount = () => {
  accounts += 1
  return accounts
}
const token = (id: number) => ({ access_token: `token-${id}` })
const FORGE = '/socialite/open_forge'
const MINE = '/user/socialite/open_forge'
const register = async (id: number): Promise<Person> => {
  const name = `out_${id}`
  const made = await guest('PATCH', FORGE, { ...token(id), name })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const [row] = await sql<[{ id: number }]>`select id from users where name = ${name}`
  return { id: row.id, name, token: made.body.access_token }
}

const webProof = async (who: string) => {
  const { url, verification } = (await guest('POST', '/socialite/company/departures')).body
  const back = await guest('POST', '/socialite/company/returns', {
    ...(await openId.visit(url, who)),
    verification,
  })
  assert.equal(back.status, 201, JSON.stringify(back.body))
  return { access_token: back.body.access_token as string }
}

test('rejects a web sign-in that returns in another browser (sign-in-25)', async () => {
  const left = await guest('POST', '/socialite/company/departures')
  assert.equal(left.status, 201, JSON.stringify(left.body))
  const query = new URL(left.body.url).searchParams
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(query.get(name), name)
  const brought = await openId.visit(left.body.url, 'ann')
  const come = (body: object) => guest('POST', '/socialite/company/returns', body)
  const { verification } = left.body
  const other = (await guest('POST', '/socialite/company/departures')).body.verification
  for (const wrong of [
    { ...brought, verification: other },
    { ...brought, verification: 'v1.nothing' },
    { ...brought, verification, state: 'another' },
  ])
    assert.equal((await come(wrong)).headers['x-error-code'], 'outside_account_not_proven')
  const back = await come({ ...brought, verification })
  assert.equal(back.status, 201, JSON.stringify(back.body))
  assert.equal((await come({ ...brought, verification })).status, 422)

  const proof = { access_token: back.body.access_token }
  assert.equal((await guest('POST', '/socialite/company', proof)).headers['x-error-code'], 'not_linked')
  assert.equal((await guest('POST', '/socialite/forge', proof)).status, 422)
  assert.equal((await guest('PATCH', '/socialite/company', { ...proof, name: 'ann_out' })).status, 201)
  assert.equal((await guest('POST', '/socialite/company', await webProof('ann'))).status, 201)
  // The `verification` of a started sign-in does not prove an account.
  assert.equal((await guest('POST', '/socialite/company', { access_token: verification })).status, 422)
})

test('accepts an access token only when the provider issued it to this site (sign-in-23)', async () => {
  const mine = { access_token: await openId.tokenFor('bob') }
  assert.equal((await guest('PATCH', '/socialite/company', { ...mine, name: 'bob_out' })).status, 201)
  assert.equal((await guest('POST', '/socialite/company', mine)).status, 201)
  const stolen = { access_token: await openId.tokenFor('bob', 'other') }
  for (const access_token of [stolen.access_token, 'nonsense'])
    assert.equal((await guest('POST', '/socialite/company', { access_token })).status, 422)
  for (const provider of ['forge', 'silent'])
    assert.equal((await guest('POST', `/socialite/${provider}`, token(1))).status, 422, provider)
  const barred = await guest('POST', FORGE, { access_token: 'barred-1' })
  assert.deepEqual(refusalOf(barred), [422, 'outside_account_not_proven'])
})

test('identifies a user by the profile at an OAuth 2 provider (sign-in-25)', async () => {
  const { url, verification } = (await guest('POST', '/socialite/forge/departures')).body
  const { state } = oauth.visit(url)
  const come = (code: string) => guest('POST', '/socialite/forge/returns', { code, state, verification })
  assert.equal((await come('wrong')).status, 422)
  const back = await come('code-7')
  assert.equal(back.status, 201, JSON.stringify(back.body))
  const { access_token } = back.body
  assert.equal((await guest('PATCH', '/socialite/forge', { access_token, name: 'seven' })).status, 201)
  const [row] = await sql`select subject from linked_accounts where provider = 'forge'`
  assert.equal(row?.subject, '7')
})

test('signs in users with a linked account while registration is closed (registration-1)', async () => {
  const known = nextAccount()
  await register(known)
  const id = nextAccount()
  await under({ 'register:type': 'closed' }, async () => {
    for (const check of [0, 1]) {
      const answer = await guest('PATCH', FORGE, { ...token(id), name: `out_${id}`, check })
      assert.deepEqual(refusalOf(answer), [403, 'registration_closed'])
    }
    assert.equal((await guest('POST', FORGE, token(known))).status, 201)
  })
  await under({ 'register:type': 'thirdPart', 'register:method': 'mail-only' }, () => register(id))
})

test('registers a user with an external account (sign-in-24)', async () => {
  const id = nextAccount()
  const body = { ...token(id), name: `out_${id}` }
  assert.equal((await guest('POST', FORGE, token(id))).status, 404)
  assert.deepEqual((await guest('PATCH', FORGE, { ...body, check: 1 })).body, null)
  assert.equal((await guest('PATCH', FORGE, { ...body, check: '1' })).status, 204)
  assert.equal((await guest('POST', FORGE, token(id))).status, 404)
  const me = await register(id)
  const again = await guest('POST', FORGE, token(id))
  assert.deepEqual([again.status, again.body.token_type, again.body.initial_password], [201, 'bearer', false])
  const { body: self } = await as({ ...me, token: again.body.access_token }, 'GET', '/user')
  assert.deepEqual([self.id, self.initial_password], [me.id, false])
  const other = { ...token(nextAccount()), name: me.name }
  assert.deepEqual(Object.keys((await guest('PATCH', FORGE, { ...other, check: true })).body.errors), [
    'name',
  ])
  assert.equal((await guest('PATCH', FORGE, { ...body, name: 'another_one' })).status, 422)
  assert.equal((await sql`select from users where name = 'another_one'`).length, 0)
  await sql`update users set deleted_at = now() where id = ${me.id}`
  assert.equal((await guest('POST', FORGE, token(id))).status, 403)
})

test('records the pages that a user of an external account agreed to (registration-9)', async () => {
  const [{ id: version } = { id: 0 }] = await sql<{ id: number }[]>`
    with page as (
      insert into site_pages (slug, is_published, at_sign_up) values ('charter', true, true) returning id
    )
    insert into site_page_versions (page_id, language, title, body)
    select id, 'en', 'Charter', 'Be kind' from page returning id`
  const name = 'agreeing'
  const made = await guest('PATCH', FORGE, { ...token(nextAccount()), name, agreed: String(version) })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const rows = await sql<{ version_id: number }[]>`
    select c.version_id from consents c join users u on u.id = c.user_id where u.name = ${name}`
  assert.deepEqual(
    rows.map((row) => row.version_id),
    [version],
  )
})

test('rejects the sign-in of a suspended or disabled user (sign-in-24, sign-in-27)', async () => {
  const id = nextAccount()
  const me = await register(id)
  const [{ id: sanction }] = await sql<[{ id: number }]>`
    insert into sanctions (user_id, kind, reason, imposed_by) values (${me.id}, 'suspension', 'Threats', ${founder.id}) returning id`
  assert.deepEqual(refusalOf(await guest('POST', FORGE, token(id))), [403, 'account_suspended'])
  await sql`delete from sanctions where id = ${sanction}`
  const entering = await transaction(sql, async (tx) => {
    await tx`update users set deleted_at = now() where id = ${me.id}`
    const asked = guest('POST', FORGE, token(id))
    await Promise.race([untilWaiting(sql), asked])
    return { asked }
  })
  assert.equal((await entering.asked).status, 403)

  const ann = await person()
  await sql`update users set password = ${await hashPassword('long enough')} where id = ${ann.id}`
  oauth.meanwhile.push(() => as(founder, 'PATCH', `/admin/users/${ann.id}`, { disabled: true }))
  const put = { ...token(nextAccount()), login: ann.name, password: 'long enough' }
  assert.deepEqual(refusalOf(await guest('PUT', FORGE, put)), [403, 'account_disabled'])
})

test("requires the user's password to link an external account at sign-in (sign-in-24)", async () => {
  const [ann, id] = [await person(), nextAccount()]
  await sql`update users set password = ${await hashPassword('long enough')} where id = ${ann.id}`
  const put = (password: string, account = id) =>
    guest('PUT', FORGE, { ...token(account), login: ann.name, password })
  assert.equal((await put('not this one')).headers['x-error-code'], 'wrong_sign_in')
  assert.equal((await guest('POST', FORGE, token(id))).status, 404)
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await put('long enough')
    assert.deepEqual([status, body.initial_password], [201, true])
  }
  assert.equal((await put('long enough', nextAccount())).headers['x-error-code'], 'linked_already')
  assert.equal((await guest('POST', FORGE, token(id))).body.initial_password, true)
})

test('opens no session when the provider rejects the token of a link at sign-in (sign-in-24)', async () => {
  const ann = await person()
  await sql`update users set password = ${await hashPassword('long enough')} where id = ${ann.id}`
  const sessions = async () => (await as(ann, 'GET', '/user/sessions')).body.length
  const before = await sessions()
  const body = { access_token: 'unknown', login: ann.name, password: 'long enough' }
  assert.equal((await guest('PUT', FORGE, body)).status, 422)
  assert.equal(await sessions(), before)
})

test("unlinks only the user's own external account (sign-in-26)", async () => {
  const [ann, bob, id] = [await person(), await person(), nextAccount()]
  assert.deepEqual((await as(ann, 'GET', '/user/socialite')).body, [])
  for (let n = 0; n < 2; n += 1) assert.equal((await as(ann, 'PATCH', MINE, token(id))).status, 201)
  assert.deepEqual((await as(ann, 'GET', '/user/socialite')).body, ['open_forge'])
  assert.equal((await as(bob, 'PATCH', MINE, token(id))).headers['x-error-code'], 'linked_to_another')
  assert.equal((await as(bob, 'DELETE', MINE)).status, 404)
  await sql`update users set phone = '13900000001' where id = ${ann.id}`
  assert.equal((await as(ann, 'DELETE', MINE)).status, 204)
  assert.equal((await as(ann, 'DELETE', MINE)).status, 404)
  assert.equal((await guest('POST', FORGE, token(id))).status, 404)
})

test('accepts the proof of a web sign-in once (sign-in-25)', async () => {
  const proof = await webProof('cid')
  assert.equal((await guest('POST', '/socialite/company', proof)).status, 404)
  const named = { ...proof, name: 'cid_out' }
  assert.equal((await guest('PATCH', '/socialite/company', { ...named, check: 1 })).status, 204)
  assert.equal((await guest('PATCH', '/socialite/company', named)).status, 201)
  const used = [422, 'outside_account_not_proven']
  assert.deepEqual(refusalOf(await guest('POST', '/socialite/company', proof)), used)
  const other = await webProof('cid')
  const answers = await Promise.all([1, 2, 3].map(() => guest('POST', '/socialite/company', other)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  const ann = await person()
  const mine = await webProof('dan')
  const link = () => as(ann, 'PATCH', '/user/socialite/company', mine)
  assert.equal((await link()).status, 201)
  assert.deepEqual(refusalOf(await link()), used)
  await sql`update used_link_proofs set expires_at = now() - interval '1 second'`
  assert.equal((await guest('POST', '/socialite/company', await webProof('dan'))).status, 201)
  assert.equal((await sql`select from used_link_proofs`).count, 1)
})

const toldSince = async (from: number) => {
  await work()
  return outbox.slice(from).flatMap(({ to, code }) => (code === undefined ? [to] : []))
}

const linkAlerts = async (who: Person) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data
    .map(({ data }: { data: { state: string } }) => data.state)
    .filter((state: string) => /link/.test(state))

test('rejects the link of an external account without proof of the local account (sign-in-26)', async () => {
  const ann = await signUp()
  const email = String(ann.email)
  const id = nextAccount()
  const link = (fields: object = {}) => as(ann, 'PATCH', MINE, { ...token(id), ...fields })
  assert.deepEqual(refusalOf(await link()), [422, 'proof_required'])
  fieldError(await link({ password: 'not mine at all' }), 'password')
  fieldError(await link({ verifiable_code: 1 }), 'verifiable_code')
  assert.deepEqual(refusalOf(await link({ second_factor: '123456' })), [422, 'second_factor_off'])
  assert.equal((await guest('POST', FORGE, token(id))).status, 404)
  const verifiable_code = await codeFor(email)
  let from = outbox.length
  assert.equal((await link({ verifiable_code })).status, 201)
  assert.deepEqual(await toldSince(from), [email])
  from = outbox.length
  assert.equal((await link({ password: ann.password })).status, 201)
  assert.deepEqual(await toldSince(from), [])
  assert.equal((await as(ann, 'DELETE', MINE)).status, 204)
  assert.deepEqual(await toldSince(from), [email])
  fieldError(await link({ verifiable_code }), 'verifiable_code')
  from = outbox.length
  const put = { ...token(id), login: ann.name, password: ann.password }
  assert.equal((await guest('PUT', FORGE, put)).status, 201)
  assert.ok((await toldSince(from)).includes(email))
  assert.deepEqual(await linkAlerts(ann), ['link', 'unlink', 'link'])
})

test('requires a recent sign-in to link an account if the user has no password (sign-in-26)', async () => {
  const me = await register(nextAccount())
  await sql`update token_families set created_at = now() - interval '16 minutes' where user_id = ${me.id}`
  const other = await webProof(`other of ${me.id}`)
  const link = (who: Person) => as(who, 'PATCH', '/user/socialite/company', other)
  assert.deepEqual(refusalOf(await link(me)), [403, 'sign_in_again'])
  const { phone } = fresh()
  const verifiable_code = await codeFor(phone, '/verifycodes/register')
  const bind = (who: Person) => as(who, 'PUT', '/user', { phone, verifiable_code })
  assert.deepEqual(refusalOf(await bind(me)), [403, 'sign_in_again'])
  // A token exchange does not reset the age of the session.
  const exchanged = (await guest('POST', '/auth/refresh', { token: me.token })).body.access_token
  assert.deepEqual(refusalOf(await link({ ...me, token: exchanged })), [403, 'sign_in_again'])
  const id = me.name.replace('out_', '')
  const again = (await guest('POST', FORGE, token(Number(id)))).body.access_token
  assert.equal((await link({ ...me, token: again })).status, 201)
  assert.equal((await bind({ ...me, token: again })).status, 204)
})

test('lists linked accounts with the time of their last use (sign-in-26)', async () => {
  const [ann, id] = [await person(), nextAccount()]
  assert.equal((await as(ann, 'PATCH', MINE, token(id))).status, 201)
  const list = async () => (await as(ann, 'GET', '/user/linked-accounts')).body
  const [link] = await list()
  assert.deepEqual(Object.keys(link), ['provider', 'linked_at', 'used_at'])
  assert.deepEqual([link.provider, link.used_at], ['open_forge', null])
  assert.equal((await guest('POST', FORGE, token(id))).status, 201)
  assert.ok((await list())[0].used_at)
})

test('unlinks external accounts on a password change only when the request says so (sign-in-7)', async () => {
  const ann = await signUp()
  const email = String(ann.email)
  const id = nextAccount()
  const link = async (password: string, who: Person = ann) =>
    assert.equal((await as(who, 'PATCH', MINE, { ...token(id), password })).status, 201)
  await link(ann.password)
  const change = (old_password: string, password: string, fields = {}) =>
    as(ann, 'PUT', '/user/password', { old_password, password, password_confirmation: password, ...fields })
  const opens = async () => (await guest('POST', FORGE, token(id))).status === 201
  assert.equal((await change(ann.password, 'a second one')).status, 204)
  assert.ok(await opens())
  assert.equal((await change('a second one', 'a third one', { unlink_accounts: true })).status, 204)
  assert.equal(await opens(), false)
  await link('a third one')
  const reset = { verifiable_type: 'mail', email, password: 'a fourth one', unlink_accounts: 1 }
  const verifiable_code = await codeFor(email)
  assert.equal((await guest('PUT', '/user/retrieve-password', { ...reset, verifiable_code })).status, 204)
  assert.equal(await opens(), false)
  const again = (await guest('POST', '/auth/login', { login: ann.name, password: 'a fourth one' })).body
  await link('a fourth one', { ...ann, token: again.access_token })
  const admin = { password: 'a fifth one', unlink_accounts: true }
  assert.equal((await as(founder, 'PATCH', `/admin/users/${ann.id}`, admin)).status, 204)
  assert.equal(await opens(), false)
})

test('links an external account to only one of several concurrent users (sign-in-26)', async () => {
  const [id, people] = [nextAccount(), await Promise.all([1, 2, 3, 4].map(() => person()))]
  const answers = await Promise.all(people.map((each) => as(each, 'PATCH', MINE, token(id))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422])
})

test('answers 201 to concurrent equal links, and alerts the user once (sign-in-26)', async () => {
  const [ann, id] = [await person(), nextAccount()]
  await sql`update users set password = ${await hashPassword('long enough')} where id = ${ann.id}`
  const put = () => guest('PUT', FORGE, { ...token(id), login: ann.name, password: 'long enough' })
  let answers: ReturnType<typeof put>[] = []
  const held = transaction(sql, async (tx) => {
    await tx`insert into linked_accounts (provider, subject, user_id) values ('open_forge', ${id}, ${ann.id})`
    answers = [put(), put()]
    await untilWaiting(sql, 2)
    throw new Error('rolled back')
  })
  await assert.rejects(held, /rolled back/)
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [201, 201],
  )
  assert.deepEqual(await linkAlerts(ann), ['link'])
})

test("rejects the removal of a user's last sign-in method (sign-in-26)", async () => {
  const me = await register(nextAccount())
  assert.equal((await as(me, 'DELETE', MINE)).headers['x-error-code'], 'last_way_to_sign_in')
  assert.deepEqual((await as(me, 'GET', '/user/socialite')).body, ['open_forge'])
  for (let round = 0; round < 10; round += 1) {
    await sql`
      insert into linked_accounts (provider, subject, user_id)
      values ('company', ${`x${me.id}`}, ${me.id}), ('open_forge', ${`x${me.id}`}, ${me.id}) on conflict do nothing`
    const racing = await Promise.all([as(me, 'DELETE', MINE), as(me, 'DELETE', '/user/socialite/company')])
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 422])
  }
  await sql`update users set password = 'x' where id = ${me.id}`
  const [left] = (await as(me, 'GET', '/user/socialite')).body
  assert.equal((await as(me, 'DELETE', `/user/socialite/${left}`)).status, 204)
})

test('returns 404 for an unconfigured provider and 503 for an unreachable provider (sign-in-23)', async () => {
  const ann = await person()
  for (const name of ['qq', 'constructor', '__proto__'])
    for (const answer of [
      await guest('POST', `/socialite/${name}`, { access_token: 'x' }),
      await guest('PATCH', `/socialite/${name}`, {}),
      await guest('PUT', `/socialite/${name}`, {}),
      await guest('POST', `/socialite/${name}/departures`),
      await guest('POST', `/socialite/${name}/returns`, {}),
      await as(ann, 'PATCH', `/user/socialite/${name}`, {}),
    ]) {
      assert.deepEqual([answer.status, answer.headers['x-error-code']], [404, 'no_such_provider'], name)
      assert.ok(answer.body.message)
    }
  const away = await guest('POST', '/socialite/gone', token(1))
  assert.deepEqual([away.status, away.headers['x-error-code']], [503, 'provider_away'])
})

test('limits the rate of sign-in attempts with external accounts (sign-in-23)', async () => {
  const limited = await createWorld({
    RATE_LIMIT_SENSITIVE: '2',
    LINKED_PROVIDERS: 'open_forge',
    ...oauth.settings('OPEN_FORGE'),
  })
  const statuses: number[] = []
  for (let n = 0; n < 3; n += 1) statuses.push((await limited.guest('POST', FORGE, token(1))).status)
  assert.deepEqual(statuses, [422, 422, 429])
})

test("omits the provider's authorization code from the log (sign-in-29)", async (t) => {
  const log = t.mock.method(world.ctx.log, 'info')
  const answer = await guest('GET', '/socialite/getAccess/a-secret-code')
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'code_without_state'])
  assert.match(answer.body.message, /departures/)
  const logged = JSON.stringify(log.mock.calls.map(({ arguments: [fields] }) => fields))
  assert.match(logged, /getAccess\/:code/)
  assert.ok(!logged.includes('a-secret-code'))
})
