import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pushSender } from '#modules/notifications/push/push-services.ts'
import { createWorld } from '#test/world.ts'
import { reportChannels } from './doctor.ts'
import { SITE } from './site.ts'

const { ctx } = await createWorld()
const report = async () => {
  const lines: string[] = []
  const isWell = await reportChannels(ctx, { probes: SITE.probes, print: (line) => lines.push(line) })
  return { isWell, push: lines.find((line) => line.includes('push')), lines }
}
const silent = async () => ({ gone: [] })

test('lists configured and unconfigured external services', async () => {
  const { isWell, lines } = await report()
  assert.ok(isWell)
  assert.deepEqual(lines, [
    '· payments is not configured',
    '· push is not configured',
    '· sms is not configured',
    '· mail is not configured',
    '✓ im answers',
    '✓ uploads answers',
  ])
})

test('names the push service that fails', async () => {
  const good = { send: silent, check: async () => {} }
  pushSender(ctx).services = { fcm: good, jpush: good }
  assert.deepEqual([(await report()).push, (await report()).isWell], ['✓ push (fcm, jpush) answers', true])
  const bad = { send: silent, check: () => Promise.reject(new Error('JPush answered 401')) }
  pushSender(ctx).services = { fcm: good, jpush: bad }
  const { push, isWell } = await report()
  assert.deepEqual([push, isWell], ['✗ push (fcm, jpush): jpush: JPush answered 401', false])
})
