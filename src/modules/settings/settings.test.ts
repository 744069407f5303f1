import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'
import { readSiteSettings } from './settings.ts'

const { as, ctx, person } = await createWorld()
const founder = await person({ roles: ['founder'] })

test('audits the old and new value of a changed setting (administration-8, administration-4)', async () => {
  const before = await as(founder, 'GET', '/admin/settings')
  assert.equal(before.body['feed:topic:need-review'], false)
  assert.equal((await as(founder, 'PATCH', '/admin/settings', { 'feed:topic:need-review': '1' })).status, 204)
  assert.equal((await as(founder, 'GET', '/admin/settings')).body['feed:topic:need-review'], true)

  const log = await as(
    founder,
    'GET',
    '/admin/audit-log?action=settings.update&subject_id=feed:topic:need-review',
  )
  assert.equal(log.body.total, 1)
  assert.equal(log.body.data[0].user_id, founder.id)
  assert.deepEqual(log.body.data[0].before, { 'feed:topic:need-review': false })
  assert.deepEqual(log.body.data[0].after, { 'feed:topic:need-review': true })
})

test('rejects the name of an undeclared setting at compile time', async () => {
  const settings = await readSiteSettings(ctx)
  // @ts-expect-error: tsc fails here when it accepts the name.
  assert.equal(settings['site:colour'], undefined)
})

test('writes no audit record for a request without settings', async () => {
  const entries = async () =>
    (await as(founder, 'GET', '/admin/audit-log?action=settings.update')).body.total as number
  const before = await entries()
  assert.equal((await as(founder, 'PATCH', '/admin/settings', {})).status, 204)
  assert.equal(await entries(), before)
})

test('saves no setting when one value has a wrong type', async () => {
  const answer = await as(founder, 'PATCH', '/admin/settings', {
    'wallet:ratio': 'much',
    'news:pay-contribute': 5,
  })
  assert.equal(answer.status, 422)
  assert.ok(answer.body.errors['wallet:ratio'])
  assert.equal((await as(founder, 'GET', '/admin/settings')).body['news:pay-contribute'], 100)
})

test('rejects users without the settings ability (administration-1)', async () => {
  const member = await person()
  assert.equal((await as(member, 'GET', '/admin/settings')).status, 403)
  assert.equal((await as(member, 'PATCH', '/admin/settings', { 'wallet:ratio': 5 })).status, 403)
  const role = await as(founder, 'POST', '/admin/roles', { name: 'clerk', abilities: ['admin: login'] })
  assert.equal(role.status, 201)
  const clerk = await person({ roles: ['clerk'] })
  assert.equal((await as(clerk, 'GET', '/admin/settings')).status, 403)
  assert.equal((await as(clerk, 'GET', '/admin/audit-log')).status, 403)
})

test('rejects a default role beyond the abilities of the actor', async () => {
  const set = (who: Person, role: string) => as(who, 'PATCH', '/admin/settings', { 'register:role': role })
  for (const [name, abilities] of [
    ['keeper', ['admin: login', 'admin:site:base', 'admin:site:security']],
    ['guest', []],
    ['strong', ['[feed] Delete Feed']],
  ] as const)
    assert.equal((await as(founder, 'POST', '/admin/roles', { name, abilities })).status, 201)
  const keeper = await person({ roles: ['keeper'] })
  assert.equal((await set(keeper, 'founder')).status, 403)
  assert.equal((await set(keeper, 'strong')).status, 403)
  for (const role of ['founder', 'keeper', 'nobody'])
    assert.deepEqual(Object.keys((await set(founder, role)).body.errors), ['register:role'])
  assert.equal((await as(founder, 'GET', '/admin/settings')).body['register:role'], 'owner')
  for (const role of ['guest', 'owner']) assert.equal((await set(keeper, role)).status, 204)
  const helper = await as(founder, 'PATCH', '/admin/settings', { 'im:helper-user': 2 ** 40 })
  assert.deepEqual(Object.keys(helper.body.errors), ['im:helper-user'])
})

test('ignores null for settings that are not nullable (administration-8)', async () => {
  const set = (changes: object) => as(founder, 'PATCH', '/admin/settings', changes)
  assert.equal((await set({ 'site:client-email': 'ann@example.org' })).status, 204)
  assert.equal((await set({ 'site:client-email': null, 'wallet:ratio': null })).status, 204)
  const { body } = await as(founder, 'GET', '/admin/settings')
  assert.deepEqual([body['site:client-email'], body['wallet:ratio']], [null, 100])
})

test('accepts only http and https URLs as `site:about-url` (administration-8)', async () => {
  const set = (url: string) => as(founder, 'PATCH', '/admin/settings', { 'site:about-url': url })
  for (const url of [
    'javascript:alert(1)',
    'JavaScript://x/%0aalert(1)',
    'data:text/html,x',
    '//x',
    'https://',
    'https:// x',
  ])
    assert.deepEqual(Object.keys((await set(url)).body.errors), ['site:about-url'], url)
  for (const url of ['https://example.org/about?a=1#b', 'HTTP://例子.中国'])
    assert.equal((await set(url)).status, 204, url)
})

test('requires `admin: currency` to change settings about points and money (administration-8)', async () => {
  await as(founder, 'POST', '/admin/roles', {
    name: 'editor',
    abilities: ['admin: login', 'admin:site:base'],
  })
  await as(founder, 'POST', '/admin/roles', {
    name: 'banker',
    abilities: ['admin: login', 'admin:site:base', 'admin: currency'],
  })
  const [editor, banker] = [await person({ roles: ['editor'] }), await person({ roles: ['banker'] })]
  for (const changes of [
    { 'currency:recharge-ratio': 1000 },
    { 'wallet:ratio': 1, 'site:reward': true },
    { 'wallet:labels': [5] },
    { 'checkin:balance': 1_000_000 },
  ]) {
    const answer = await as(editor, 'PATCH', '/admin/settings', changes)
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'money_settings'])
  }
  const { body } = await as(editor, 'GET', '/admin/settings')
  assert.equal((await as(editor, 'PATCH', '/admin/settings', { ...body, 'site:reward': false })).status, 204)
  assert.equal((await as(banker, 'PATCH', '/admin/settings', { 'currency:recharge-ratio': 2 })).status, 204)
  const after = (await as(founder, 'GET', '/admin/settings')).body
  assert.deepEqual(after, { ...body, 'site:reward': false, 'currency:recharge-ratio': 2 })
})

test('requires `admin:site:security` to change settings that protect accounts (administration-8)', async () => {
  for (const [name, more] of [
    ['decorator', []],
    ['warden', ['admin:site:security']],
  ] as const) {
    const abilities = ['admin: login', 'admin:site:base', ...more]
    assert.equal((await as(founder, 'POST', '/admin/roles', { name, abilities })).status, 201)
  }
  const [decorator, warden] = [await person({ roles: ['decorator'] }), await person({ roles: ['warden'] })]
  await as(founder, 'POST', '/admin/roles', { name: 'powerless', abilities: [] })
  const before = (await as(founder, 'GET', '/admin/settings')).body
  const weaker: object[] = [
    { 'account:second-factor-for-administrators': !before['account:second-factor-for-administrators'] },
    { 'account:deletion-days': 0 },
    { 'register:role': 'powerless' },
    { 'register:type': 'closed', 'site:reward': true },
    { 'sms:daily': 0 },
    { 'chat:keep-days': 1 },
    { 'site:reserved-nickname': '' },
    { 'site:about-url': 'https://elsewhere.example/' },
    { 'pay-validate-user-password': !before['pay-validate-user-password'] },
  ]
  for (const changes of weaker) {
    const answer = await as(decorator, 'PATCH', '/admin/settings', changes)
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'security_settings'])
  }
  assert.deepEqual((await as(founder, 'GET', '/admin/settings')).body, before)
  assert.equal((await as(decorator, 'PATCH', '/admin/settings', before)).status, 204)
  assert.equal((await as(warden, 'PATCH', '/admin/settings', { 'account:deletion-days': 3 })).status, 204)
})
