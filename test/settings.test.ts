import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { notify } from '#modules/notifications/index.ts'
import { addJob } from '#platform/jobs'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import type { SettingName, Settings } from '#test/settings.ts'
import { SETTINGS } from '#test/settings.ts'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'
import { MODULES } from '../src/modules.ts'
import { SITE } from '../src/site.ts'

const world = await createWorld()
const { as, ctx, guest, sql, person, work } = world
const { rich } = await walletsOf(world)
const { ask, answer, askForLooks, points, rich: richInPoints } = questionsOf(world)
const { publish } = feedsOf(world)
const { group } = groupMaker(world)
const under = settingsOn(world)
const ann = await rich(10_000, 10_000)

/** Settings that only clients use, by the path that returns them. */
const CLIENT_SETTINGS: Record<string, readonly SettingName[]> = {
  '/bootstrappers': [
    ...['site:name', 'site:name-en', 'site:description', 'site:description-en', 'site:welcome'],
    ...['site:welcome-en', 'site:contact', 'site:powered-by'],
    ...['feed:items', 'site:client-email', 'site:user-invite-template', 'site:gold', 'site:reward-amounts'],
    ...['site:currency-name', 'site:currency-unit', 'site:anonymous-rule', 'register:show-terms'],
    ...[
      'register:content',
      'register:fixed',
      'currency:recharge-options',
      'currency:rule',
      'currency:cash-rule',
    ],
    ...['currency:recharge-rule', 'currency:iap-only', 'currency:iap-rule', 'im:helper-user'],
    ...['question:anonymity-rule', 'question:reward-rule'],
  ] as SettingName[],
  '/wallet': ['wallet:labels', 'wallet:ratio', 'wallet:rule'],
  '/groups/protocol': ['group:protocol'],
  '/locations/hots': ['locations:hots'],
}

function otherThan(name: SettingName): unknown {
  const { schema, standard } = SETTINGS[name] as { schema: object; standard: unknown }
  const {
    type,
    enum: values,
    items,
  } = schema as { type: string | string[]; enum?: unknown[]; items?: { type: string } }
  if (values) return values.find((value) => value !== standard)
  const [first] = [type].flat()
  if (first === 'boolean') return !standard
  if (first === 'integer') return Number(standard ?? 0) + 1
  if (first === 'array') return items?.type === 'integer' ? [77] : ['国家 省 市']
  return `other ${standard ?? ''}`.trim()
}

for (const [path, names] of Object.entries(CLIENT_SETTINGS))
  test(`${path} returns the settings for clients (sign-in-1)`, async () => {
    const read = async () => JSON.stringify((await as(ann, 'GET', path)).body)
    const before = await read()
    for (const name of names)
      await under({ [name]: otherThan(name) } as Partial<Settings>, async () =>
        assert.notEqual(await read(), before, `${name} changes nothing`),
      )
    assert.equal(await read(), before)
  })

const tidied = async (who: Person, settings: Partial<Settings>) => {
  await under(settings, async () => {
    await addJob(sql, 'tidy_notifications', {})
    await work()
  })
  return (await sql`select from notifications where user_id = ${who.id}`).length
}
const statusOf = async (path: string, body: object) => (await as(ann, 'POST', path, body)).status
const bounds =
  (name: SettingName, refused: unknown, taken: unknown, path: string, body: object) => async () => {
    await under({ [name]: refused } as Partial<Settings>, async () =>
      assert.equal(await statusOf(path, body), 422),
    )
    await under({ [name]: taken } as Partial<Settings>, async () =>
      assert.equal(await statusOf(path, body), 201),
    )
  }
const cash = { value: 200, type: 'alipay', account: 'ann@pay.example' }
const recharge = { type: 'manual', amount: 300 }

const isChinese = (name: SettingName, field: string) => async () =>
  under({ [name]: '海港' } as Partial<Settings>, async () => {
    const inLanguage = async (language: string) =>
      (await guest('GET', '/bootstrappers', undefined, { 'accept-language': language })).body.identity[field]
    assert.deepEqual([await inLanguage('zh'), (await inLanguage('en')) === '海港'], ['海港', false])
  })

const PROOFS: Partial<Record<SettingName, () => Promise<void>>> = {
  'site:name-zh': isChinese('site:name-zh', 'name'),
  'site:description-zh': isChinese('site:description-zh', 'description'),
  'site:welcome-zh': isChinese('site:welcome-zh', 'welcome'),
  // The console stores and reads the marks of its first steps.
  'site:setup': async () => {
    const founder = await person({ roles: ['founder'] })
    await under({ 'site:setup': ['look'] }, async () =>
      assert.deepEqual((await as(founder, 'GET', '/admin/settings')).body['site:setup'], ['look']),
    )
  },
  'mail:weekly': async () => {
    const member = await person()
    const offered = async () => (await as(member, 'GET', '/user/digest')).body.offered
    // The mail leads to pages of the site.
    assert.equal(await offered(), false)
    Object.assign(ctx.config, { web: true })
    assert.equal(await offered(), true)
    await under({ 'mail:weekly': false }, async () => assert.equal(await offered(), false))
    Object.assign(ctx.config, { web: false })
  },
  'site:imprint': () =>
    under({ 'site:imprint': 'River Society' }, async () =>
      assert.match(JSON.stringify((await guest('GET', '/aboutus')).body), /River Society/),
    ),
  'currency:recharge-min': bounds('currency:recharge-min', 301, 300, '/currency/recharge', recharge),
  'currency:recharge-max': bounds('currency:recharge-max', 299, 300, '/currency/recharge', recharge),
  'currency:cash-min': bounds('currency:cash-min', 301, 300, '/currency/cash', { amount: 300 }),
  'currency:cash-max': bounds('currency:cash-max', 299, 300, '/currency/cash', { amount: 300 }),
  'wallet:cash-min-amount': bounds('wallet:cash-min-amount', 201, 200, '/plus-pay/cashes', cash),
  'wallet:cash-types': bounds('wallet:cash-types', ['wechat'], ['alipay'], '/plus-pay/cashes', cash),
  'wallet:recharge-daily': bounds('wallet:recharge-daily', 299, 0, '/plus-pay/recharge', recharge),
  'wallet:recharge-types': bounds('wallet:recharge-types', [], ['manual'], '/plus-pay/recharge', recharge),
  'site:reserved-nickname': async () => {
    const rename = async () => refusalOf(await as(ann, 'PATCH', '/user', { name: 'zebra_7' }))
    await under({ 'site:reserved-nickname': 'zebra_7' }, async () =>
      assert.deepEqual(await rename(), [422, 'name_reserved']),
    )
    assert.deepEqual((await rename())[0], 204)
  },
  'question:apply-amount': async () => {
    const owner = await richInPoints(1000)
    const question = await ask(owner)
    await under({ 'question:apply-amount': 37 }, async () => {
      assert.equal((await as(owner, 'POST', `/user/question-application/${question}`)).status, 201)
    })
    assert.equal(await points(owner), 963)
  },
  'question:onlookers-amount': async () => {
    const [owner, expert, reader] = [await richInPoints(1000), await person(), await richInPoints(1000)]
    const looked = await answer(expert, await askForLooks(owner, expert))
    await under({ 'question:onlookers-amount': 41 }, async () => {
      assert.equal((await as(reader, 'POST', `/question-answers/${looked}/onlookers`)).status, 201)
    })
    assert.equal(await points(reader), 959)
  },
  'feed:pay-word-limit': async () => {
    const id = await publish(ann, { feed_content: 'abcdefghij', amount: 10 })
    const read = async () => {
      const { body } = await guest('GET', '/feeds')
      return body.feeds.find((feed: { id: number }) => feed.id === id)?.feed_content
    }
    await under({ 'feed:pay-word-limit': 4 }, async () => assert.equal(await read(), 'abcd'))
    await under({ 'feed:pay-word-limit': 6 }, async () => assert.equal(await read(), 'abcdef'))
  },
  'jobs:keep-failed-days': async () => {
    const kept = async (days: number) => {
      await addJob(sql, 'never', {})
      await sql`update graphile_worker._private_jobs set attempts = max_attempts, updated_at = now() - interval '6 days'
        where task_id in (select id from graphile_worker._private_tasks where identifier = 'never')`
      await under({ 'jobs:keep-failed-days': days }, async () => {
        await addJob(sql, 'tidy_jobs', {})
        await work()
      })
      return (await sql`select from graphile_worker.jobs where task_identifier = 'never'`).length
    }
    assert.deepEqual([await kept(5), await kept(7)], [0, 1])
  },
  'notifications:keep-read-days': async () => {
    const bob = await person()
    await as(ann, 'PUT', `/user/followings/${bob.id}`)
    assert.equal((await as(bob, 'PUT', '/user/notifications/all')).status, 204)
    await sql`update notification_reads set read_at = now() - interval '6 days' where user_id = ${bob.id}`
    const kept = (days: number) => tidied(bob, { 'notifications:keep-read-days': days })
    assert.deepEqual([await kept(7), await kept(5)], [1, 0])
  },
  'notifications:keep-unread-days': async () => {
    const bob = await person()
    await as(ann, 'PUT', `/user/followings/${bob.id}`)
    await sql`update notifications set created_at = now() - interval '6 days' where user_id = ${bob.id}`
    const kept = (days: number) => tidied(bob, { 'notifications:keep-unread-days': days })
    assert.deepEqual([await kept(7), await kept(5)], [1, 0])
  },
  'notifications:keep-most': async () => {
    const bob = await person()
    const notices = Array.from({ length: 102 }, (_, id) => ({
      ...{ type: 'like' as const, recipients: [bob.id], senderId: ann.id, data: {} },
      cause: { type: 'most', id: id + 1 },
    }))
    await notify(sql, notices)
    const kept = (most: number) => tidied(bob, { 'notifications:keep-most': most })
    assert.deepEqual([await kept(102), await kept(100)], [102, 100])
  },
  'group:keep-request-days': async () => {
    const id = await group(ann, { mode: 'private' })
    const [bob, eve] = [await person(), await person()]
    for (const each of [bob, eve]) await as(each, 'PUT', `/groups/${id}`)
    await as(bob, 'DELETE', `/groups/${id}/exit`)
    await sql`
      update group_member_logs set created_at = created_at - interval '6 days', audit_at = audit_at - interval '6 days'`
    const kept = async (days: number) => {
      await under({ 'group:keep-request-days': days }, async () => {
        await addJob(sql, 'tidy_group_requests', {})
        await work()
      })
      return (await sql`select status from group_member_logs order by id`).map(({ status }) => status)
    }
    assert.deepEqual([await kept(7), await kept(5)], [[3, 0], [0]])
  },
}

for (const [name, prove] of Object.entries(PROOFS))
  test(`applies the setting ${name} (administration-8)`, prove as () => Promise<void>)

test('declares every setting in one module', () => {
  const names = MODULES.flatMap(({ settings = {} }) => Object.keys(settings))
  assert.deepEqual(names.toSorted(), [...new Set(names)].sort())
})

test('types the settings of every module for tests', () => {
  assert.deepEqual(Object.keys(SITE.settings).sort(), Object.keys(SETTINGS).sort())
})

test('names every setting in a test (administration-8)', () => {
  const tests = globSync('{src,importers,test}/**/*.test.ts')
    .filter((file) => file !== 'test/settings.test.ts')
    .map((file) => readFileSync(file, 'utf8'))
  const told = new Set(Object.values(CLIENT_SETTINGS).flat())
  const names = Object.keys(SETTINGS) as SettingName[]
  assert.ok(names.length > 60, `saw only ${names.length} settings`)
  const idle = names.filter(
    (name) => !told.has(name) && !(name in PROOFS) && !tests.some((text) => text.includes(`'${name}'`)),
  )
  assert.deepEqual(idle, [])
})
