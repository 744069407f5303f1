import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateSettings } from '#test/settings.ts'
import { createWorld } from '#test/world.ts'

const { as, ctx, guest, person, sql } = await createWorld()

test('omits empty settings except those that clients read without a null check (sign-in-1)', async () => {
  const { status, body } = await guest('GET', '/bootstrappers')
  assert.equal(status, 200)
  assert.match(body['server:version'], /^\d+\.\d+\.\d+/)
  assert.equal(body.limit, 15)
  assert.equal(body['pay-validate-user-password'], false)
  assert.equal(body.site.gold.status, false)
  assert.equal(body.site.currency_name.name, 'Points')
  assert.ok(!('about_url' in body.site) && !('rule' in body.site.anonymous))
  assert.equal(body.registerSettings.method, 'all')
  assert.equal(body.registerSettings.content, '')
  assert.deepEqual(body.currency.settings, {
    'recharge-ratio': 1,
    'recharge-options': '100,500,1000,2000,5000,10000',
    'recharge-max': 10_000_000,
    'recharge-min': 100,
    'cash-max': 10_000_000,
    'cash-min': 100,
  })
  assert.equal(body.currency.IAP.only, false)
  assert.equal(body.wallet.ratio, 100)
  assert.equal(body.wallet.cash['min-amount'], 100)
  assert.ok(!('labels' in body.wallet))
  assert.deepEqual(body.feed, { reward: true, paycontrol: true, limit: 50, items: [] })
  assert.deepEqual(body.news, { contribute: { pay: true, verified: true }, pay_contribute: 100 })
  assert.deepEqual(body['news:contribute'], body.news.contribute)
  assert.equal(body.checkin.switch, true)
  assert.ok(!('im:helper-user' in body) && !('ad' in body))
})

test('returns the new value of a setting at once after a change', async () => {
  const changes = { 'pay-validate-user-password': true, 'feed:items': [100, 200], 'im:helper-user': 7 }
  await updateSettings(ctx, sql, changes)
  const { body } = await guest('GET', '/bootstrappers')
  assert.equal(body['pay-validate-user-password'], true)
  assert.deepEqual(body.feed.items, [100, 200])
  assert.equal(body['im:helper-user'], 7)
})

test('returns registration methods under the names that clients expect (sign-in-1)', async () => {
  const founder = await person({ roles: ['founder'] })
  for (const [set, shown] of [
    ['mail', 'mail-only'],
    ['mobile-only', 'mobile-only'],
    ['mobile', 'mobile-only'],
    ['mail-only', 'mail-only'],
    ['all', 'all'],
  ]) {
    assert.equal((await as(founder, 'PATCH', '/admin/settings', { 'register:method': set })).status, 204)
    assert.equal((await guest('GET', '/bootstrappers')).body.registerSettings.method, shown)
  }
  assert.equal((await as(founder, 'PATCH', '/admin/settings', { 'register:method': 'post' })).status, 422)
})

test('returns question prices under the `question:` keys and under `Q&A` (sign-in-1)', async () => {
  const founder = await person({ roles: ['founder'] })
  const read = async () => {
    const { body } = await guest('GET', '/bootstrappers')
    assert.equal(body['question:apply_amount'], body['Q&A'].apply_amount)
    assert.equal(body['question:onlookers_amount'], body['Q&A'].onlookers_amount)
    return body['Q&A']
  }
  assert.deepEqual(await read(), {
    switch: true,
    apply_amount: 200,
    onlookers_amount: 100,
    anonymity_rule: '',
    reward_rule: '',
  })
  const changes = {
    'question:apply-amount': 7,
    'question:onlookers-amount': 9,
    'question:anonymity-rule': 'Be kind.',
    'question:reward-rule': 'Be fair.',
  }
  assert.equal((await as(founder, 'PATCH', '/admin/settings', changes)).status, 204)
  assert.deepEqual(await read(), {
    switch: true,
    apply_amount: 7,
    onlookers_amount: 9,
    anonymity_rule: 'Be kind.',
    reward_rule: 'Be fair.',
  })
})
