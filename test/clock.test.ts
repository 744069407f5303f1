import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Context } from '#platform/context.ts'
import { cacheCostly } from '#platform/memory'
import { signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const HOUR_MS = 3_600_000
const world = await createWorld({ TRUST_PROXY: '127.0.0.1' })
const { as, guest, person } = world
const { codeFor } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })

for (const hours of [1.5, -1.5])
  suite(`process with a clock jump of ${hours} hours`, () => {
    const jump = (t: { mock: typeof test.mock }) =>
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * HOUR_MS })

    test('keeps a one-hour silence of a user in force when the clock jumps', async (t) => {
      const ann = await person()
      const silence = { kind: 'silence', reason: 'Noise', hours: 1 }
      const imposed = await as(founder, 'POST', `/admin/users/${ann.id}/sanctions`, silence)
      assert.equal(imposed.status, 201, JSON.stringify(imposed.body))
      const follow = () => as(ann, 'PUT', `/user/followings/${founder.id}`)
      assert.equal((await follow()).status, 403)
      jump(t)
      assert.equal((await follow()).status, 403)
    })

    test('keeps a one-hour block of a client address in force when the clock jumps', async (t) => {
      const network = `192.0.2.${hours > 0 ? 1 : 2}`
      const block = { network, reason: 'Spam', hours: 1 }
      const made = await as(founder, 'POST', '/admin/address-blocks', block)
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const signIn = () =>
        guest('POST', '/auth/login', { login: 'x', password: 'y' }, { 'x-forwarded-for': network })
      assert.equal((await signIn()).status, 403)
      jump(t)
      assert.equal((await signIn()).status, 403)
    })

    test('sends a verification code that a server node with a wrong clock created', async (t) => {
      const mail = `clock${hours}@example.com`
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() - hours * HOUR_MS })
      const asked = await guest('POST', '/verifycodes/register', { email: mail })
      assert.equal(asked.status, 202)
      t.mock.timers.reset()
      await world.work()
      assert.ok(world.outbox.some(({ to }) => to === mail))
    })

    test('recomputes an expired cache entry when the clock jumps', async (t) => {
      let found = 0
      const ask = cacheCostly(0, async () => ++found)
      const ctx = { state: new Map() } as Context
      assert.equal(await ask(ctx, 'one'), 1)
      jump(t)
      assert.equal(await ask(ctx, 'one'), 2)
    })

    test('accepts tokens and verification codes issued before a clock jump', async (t) => {
      const ann = await person()
      const code = await codeFor(`valid${hours}@example.com`, '/verifycodes/register')
      jump(t)
      assert.equal((await as(ann, 'GET', '/user')).status, 200)
      const body = { name: `clock_${hours > 0 ? 1 : 2}`, verifiable_type: 'mail', verifiable_code: code }
      const made = await guest('POST', '/users', { ...body, email: `valid${hours}@example.com` })
      assert.equal(made.status, 201, JSON.stringify(made.body))
    })
  })
