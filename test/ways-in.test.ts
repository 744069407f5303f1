import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { Secret, TOTP } from 'otpauth'
import { setPassword } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database'
import { startOAuthProvider, startOpenIdProvider } from '#test/fixtures/outside-providers.ts'
import { refusalOf, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const [oauth, openId] = [await startOAuthProvider(), await startOpenIdProvider()]
const world = await createWorld({
  LINKED_PROVIDERS: 'open_forge, company',
  ...openId.env,
  ...oauth.settings('OPEN_FORGE'),
  LINKED_OPEN_FORGE_ACCEPT_TOKENS: 'true',
})
const { app, as, ctx, guest, outbox, person, sql, work } = world
const { codeFor, signIn, signUp } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })
const FORGE = '/socialite/open_forge'
const PASSWORD = 'correct horse'

let accounts = 500
const outside = () => {
  accounts += 1
  return { access_token: `token-${accounts}` }
}
const isOpen = async ({ token }: { token: string }) =>
  (await guest('GET', `/user?token=${token}`)).status === 200
const age = (who: Person) =>
  sql`update token_families set created_at = now() - interval '16 minutes' where user_id = ${who.id}`
const change = (who: Person, old_password: string, password: string, fields = {}) =>
  as(who, 'PUT', '/user/password', { old_password, password, password_confirmation: password, ...fields })
const sent = async () => {
  await work()
  return outbox.length
}
const wasTold = async (to: unknown, from: number) => {
  await work()
  return outbox.slice(from).some((each) => each.to === to && each.code === undefined)
}
const otherCode = (code: string) => String((Number(code) + 1) % 1_000_000)

async function guarded() {
  const ann = await signUp()
  const { secret } = (await as(ann, 'POST', '/user/second-factor', { password: PASSWORD })).body
  const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const on = await as(ann, 'PUT', '/user/second-factor', { second_factor: codeNow() })
  await sql`update second_factors set last_step = 0 where user_id = ${ann.id}`
  return { ...ann, codeNow, recovery: on.body.recovery_codes as string[] }
}

const WAYS: Record<string, () => Promise<void>> = {
  Password: async () => {
    const ann = await signUp()
    assert.deepEqual(refusalOf(await signIn(ann.name, { password: 'wrong' })), [422, 'wrong_sign_in'])
    assert.equal((await change(ann, PASSWORD, 'another horse')).status, 204)
    assert.equal((await signIn(ann.name, { password: PASSWORD })).status, 422)
  },
  'Code by mail or phone': async () => {
    const email = String((await signUp()).email)
    const code = await codeFor(email)
    assert.equal((await signIn(email, { verifiable_code: otherCode(code) })).status, 422)
    assert.equal((await signIn(email, { verifiable_code: code })).status, 200)
    assert.equal((await signIn(email, { verifiable_code: code })).status, 422)
  },
  'Password reset': async () => {
    const ann = await signUp()
    const email = String(ann.email)
    const code = await codeFor(email)
    const reset = (verifiable_code: string) =>
      guest('PUT', '/user/retrieve-password', {
        ...{ verifiable_type: 'mail', email, verifiable_code, password: 'another horse' },
      })
    assert.equal((await reset(otherCode(code))).status, 422)
    const from = await sent()
    assert.equal((await reset(code)).status, 204)
    assert.ok(await wasTold(email, from))
    assert.equal(await isOpen(ann), false)
  },
  'First password': async () => {
    const ann = await signUp({ password: null })
    await age(ann)
    const body = { password: PASSWORD, password_confirmation: PASSWORD }
    assert.deepEqual(refusalOf(await as(ann, 'PUT', '/user/password', body)), [422, 'proof_required'])
    const verifiable_code = await codeFor(String(ann.email))
    const from = await sent()
    assert.equal((await as(ann, 'PUT', '/user/password', { ...body, verifiable_code })).status, 204)
    assert.ok(await wasTold(ann.email, from))
  },
  'New phone or e-mail': async () => {
    const ann = await signUp()
    const phone = '13512340001'
    const verifiable_code = await codeFor(phone, '/verifycodes/register')
    const bind = (fields = {}) => as(ann, 'PUT', '/user', { phone, verifiable_code, ...fields })
    assert.deepEqual(refusalOf(await bind()), [422, 'proof_required'])
    const from = await sent()
    assert.equal((await bind({ password: PASSWORD })).status, 204)
    assert.ok(await wasTold(ann.email, from))
  },
  'External account': async () => {
    const [ann, id] = [await guarded(), outside()]
    assert.deepEqual(refusalOf(await guest('POST', FORGE, id)), [404, 'not_linked'])
    const linked = await as(ann, 'PATCH', `/user${FORGE}`, { ...id, password: PASSWORD })
    assert.equal(linked.status, 201)
    assert.deepEqual(refusalOf(await guest('POST', FORGE, id)), [422, 'second_factor_required'])
    assert.equal((await as(ann, 'DELETE', `/user${FORGE}`)).status, 204)
    assert.deepEqual(refusalOf(await guest('POST', FORGE, id)), [404, 'not_linked'])
  },
  'Link to an external account': async () => {
    const [ann, id] = [await signUp(), outside()]
    const link = (fields = {}) => as(ann, 'PATCH', `/user${FORGE}`, { ...id, ...fields })
    assert.deepEqual(refusalOf(await link()), [422, 'proof_required'])
    const put = { ...id, login: ann.name, password: 'wrong' }
    assert.deepEqual(refusalOf(await guest('PUT', FORGE, put)), [422, 'wrong_sign_in'])
    const from = await sent()
    assert.equal((await link({ password: PASSWORD })).status, 201)
    assert.ok(await wasTold(ann.email, from))
    assert.equal((await change(ann, PASSWORD, 'another horse', { unlink_accounts: true })).status, 204)
    assert.deepEqual(refusalOf(await guest('POST', FORGE, id)), [404, 'not_linked'])
  },
  "Proof from a provider's redirect": async () => {
    const { url, verification } = (await guest('POST', '/socialite/company/departures')).body
    const brought = await openId.visit(url, 'eve')
    const { body } = await guest('POST', '/socialite/company/returns', { ...brought, verification })
    const proof = { access_token: body.access_token }
    assert.equal((await guest('PATCH', '/socialite/company', { ...proof, name: 'eve_out' })).status, 201)
    const again = await guest('POST', '/socialite/company', proof)
    assert.deepEqual(refusalOf(again), [422, 'outside_account_not_proven'])
  },
  'Second factor': async () => {
    const ann = await signUp()
    assert.deepEqual(refusalOf(await as(ann, 'POST', '/user/second-factor', {})), [422, 'proof_required'])
    const bob = await guarded()
    const enter = (fields = {}) => signIn(bob.name, { password: PASSWORD, ...fields })
    assert.deepEqual(refusalOf(await enter()), [422, 'second_factor_required'])
    assert.equal((await as(bob, 'DELETE', '/user/second-factor', { second_factor: '000' })).status, 422)
    const second_factor = bob.codeNow()
    assert.equal((await enter({ second_factor })).status, 200)
    assert.equal((await enter({ second_factor })).status, 422)
  },
  'Recovery code': async () => {
    const ann = await guarded()
    const enter = () => signIn(ann.name, { password: PASSWORD, second_factor: ann.recovery[0] })
    assert.equal((await enter()).status, 200)
    assert.equal((await enter()).status, 422)
    const renew = await as(ann, 'POST', '/user/second-factor/recovery-codes', { second_factor: '000' })
    assert.equal(renew.status, 422)
    const from = await sent()
    const body = { second_factor: ann.codeNow() }
    assert.equal((await as(ann, 'POST', '/user/second-factor/recovery-codes', body)).status, 201)
    assert.ok(await wasTold(ann.email, from))
  },
  'Registration and invitation': async () => {
    const { email, name } = await signUp()
    const asked = await guest('POST', '/verifycodes/register', { email })
    assert.deepEqual(refusalOf(asked), [422, 'email_taken'])
    const id = outside()
    assert.deepEqual(refusalOf(await guest('PATCH', FORGE, { ...id, name })), [422, 'name_taken'])
  },
  'Access token and its exchange': async () => {
    const ann = await signUp()
    const { access_token: token } = (await guest('POST', '/auth/refresh', { token: ann.token })).body
    assert.equal(await isOpen(ann), false)
    await sql`update tokens set exchanged_at = now() - interval '1 minute' where exchanged_at is not null`
    assert.equal((await guest('POST', '/auth/refresh', { token: ann.token })).status, 401)
    assert.equal(await isOpen({ token }), false)
  },
  'Chat password': async () => {
    const ann = await signUp()
    await work()
    const read = async () => (await as(ann, 'GET', '/im/password')).body.im_pwd_hash
    const before = await read()
    assert.equal((await change(ann, PASSWORD, 'another horse')).status, 204)
    await work()
    assert.notEqual(await read(), before)
  },
  'Appeal, export or deletion without a sign-in': async () => {
    const ann = await guarded()
    await sql`
      insert into sanctions (user_id, kind, reason, imposed_by) values (${ann.id}, 'suspension', 'Fraud', ${founder.id})`
    for (const path of ['/auth/appeals', '/auth/exports', '/auth/deletions']) {
      const proof = { login: ann.name, password: PASSWORD, contents: 'It was not me.' }
      assert.deepEqual(refusalOf(await guest('POST', path, proof)), [422, 'second_factor_required'], path)
      await sql`update second_factors set last_step = 0 where user_id = ${ann.id}`
      const done = await guest('POST', path, { ...proof, second_factor: ann.codeNow() })
      assert.ok(done.status < 300, `${path} ${done.status}`)
      assert.doesNotMatch(JSON.stringify(done.body), /access_token/)
    }
  },
  'Cancelled deletion': async () => {
    const ann = await signUp()
    assert.deepEqual(refusalOf(await as(ann, 'DELETE', '/user', {})), [422, 'proof_required'])
    assert.equal((await as(ann, 'DELETE', '/user', { password: PASSWORD })).status, 202)
    assert.equal(await isOpen(ann), false)
    assert.equal((await guest('POST', '/auth/refresh', { token: ann.token })).status, 401)
    assert.equal(
      (await guest('DELETE', '/auth/deletions', { login: ann.name, password: 'wrong' })).status,
      422,
    )
    const from = await sent()
    assert.equal((await signIn(ann.name, { password: PASSWORD })).status, 200)
    assert.ok(await wasTold(ann.email, from))
  },
  Administrator: async () => {
    const ann = await signUp()
    const reset = (by: Person, who: Person) =>
      as(by, 'PATCH', `/admin/users/${who.id}`, { password: 'another horse' })
    assert.equal((await reset(await person(), ann)).status, 403)
    const clerk = await person()
    await sql`
      with role as (insert into roles (name) values ('accounts only') returning id),
      given as (insert into role_abilities (role_id, ability) select id, 'admin:user:update' from role)
      insert into user_roles (user_id, role_id) select ${clerk.id}, id from role`
    assert.deepEqual(refusalOf(await reset(clerk, founder)), [403, 'may_do_more'])
    const from = await sent()
    assert.equal((await reset(founder, ann)).status, 204)
    assert.ok(await wasTold(ann.email, from))
    assert.equal(await isOpen(ann), false)
    const paths = Object.keys((app.swagger() as unknown as { paths: object }).paths)
    assert.deepEqual(
      paths.filter((path) => /admin.*(token|impersonat|login)/.test(path)),
      [],
    )
  },
  'Command line': async () => {
    const ann = await signUp()
    const from = await sent()
    await transaction(sql, (tx) => setPassword(ctx, tx, ann.id, 'a stored hash'))
    assert.ok(await wasTold(ann.email, from))
    assert.equal((await guest('POST', '/auth/refresh', { token: ann.token })).status, 401)
  },
  'Import from another product': async () => {
    const ann = await person()
    await sql`update users set password = ${await bcrypt(PASSWORD, 4)} where id = ${ann.id}`
    assert.equal((await signIn(ann.name, { password: PASSWORD })).status, 200)
    const [row] = await sql<[{ password: string }]>`select password from users where id = ${ann.id}`
    assert.match(row.password, /^\$argon2id\$/)
    for (const file of globSync('{src/modules/**/imports,importers}/**/*.ts'))
      if (!file.endsWith('.test.ts'))
        assert.doesNotMatch(readFileSync(file, 'utf8'), /issueToken|openSession/, file)
  },
  'Archive of an export': async () => {
    const ann = await signUp()
    assert.deepEqual(refusalOf(await as(ann, 'POST', '/user/exports', {})), [422, 'proof_required'])
    const { body } = await as(ann, 'POST', '/user/exports', { password: PASSWORD })
    await work()
    const { url } = (await as(ann, 'GET', `/user/exports/${body.id}/archive?json=1`)).body
    const address = new URL(url)
    const fetched = async () => (await app.inject(`${address.pathname}${address.search}`)).statusCode
    assert.equal(await fetched(), 200)
    address.searchParams.set('expires', String(Date.now() + 9_000_000))
    assert.equal(await fetched(), 403)
  },
}

const document = readFileSync('docs/security.md', 'utf8')
const table = /## Ways into an account\n([\s\S]*?)\n## /.exec(document)?.[1] ?? ''
const ways = [...table.matchAll(/^\| ([^|]+?) \|/gm)]
  .map(([, name = '']) => name)
  .filter((name) => name !== 'Way' && !/^-+$/.test(name))

test('tests every way into an account that docs/security.md lists', () => {
  assert.deepEqual(ways, Object.keys(WAYS))
})

for (const way of ways) test(`rejects a stranger who tries "${way}"`, () => WAYS[way]?.())
