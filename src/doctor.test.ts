import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pushSender } from '#modules/notifications/push/push-services.ts'
import { HealthFault } from '#platform/health'
import { createDetachedContext } from '#startup/detached-context.ts'
import { createWorld } from '#test/world.ts'
import { reportChannels, reportSettings } from './doctor.ts'
import { SITE } from './site.ts'

const { ctx } = await createWorld()
const report = async () => {
  const lines: string[] = []
  const isWell = await reportChannels(ctx, {
    probes: SITE.probes.filter(({ isWeekly }) => !isWeekly),
    print: (line) => lines.push(line),
  })
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
    '✓ database answers',
    '✓ browsers',
    '✓ proxy',
    '· redis is not configured',
    '· replicas is not configured',
    '✓ uploads answers',
    '✓ nodes',
    '· backup_place is not configured',
    '✓ disk',
    '· address is not configured',
    '· certificate is not configured',
    '· upload_limit is not configured',
  ])
})

test('reports every other service when one of them gives no reply or throws', async () => {
  const probe = { part: 'one', settings: 'ONE', isUsed: () => true }
  const lines: string[] = []
  const probes = [
    { ...probe, check: () => Promise.reject(new HealthFault('disk_low', { path: '/srv', free: '9 MB' })) },
    { ...probe, part: 'two', check: () => assert.fail('no reason') },
    { ...probe, part: 'three', isSilent: true as const, check: async () => {} },
  ]
  assert.equal(await reportChannels(ctx, { probes, print: (line) => lines.push(line) }), false)
  assert.deepEqual(lines, [
    '! one: Only 9 MB are left on the disk of /srv.',
    '    Free some space, or enlarge the disk.',
    '✗ two: no reason.',
    '    Correct ONE.',
    '✓ three',
  ])
})

test('checks mail, storage and address without a database', async () => {
  const detached = createDetachedContext(ctx.config, ctx.log)
  const probes = SITE.probes.filter(({ worksAlone }) => worksAlone)
  const lines: string[] = []
  assert.ok(await reportChannels(detached, { probes, print: (line) => lines.push(line) }), lines.join(' '))
  assert.deepEqual(
    lines.filter((line) => line.startsWith('✓')),
    ['✓ uploads answers', '✓ disk'],
  )
})

test('names the push service that fails', async () => {
  const good = { send: silent, check: async () => {} }
  pushSender(ctx).services = { fcm: good, jpush: good }
  assert.deepEqual([(await report()).push, (await report()).isWell], ['✓ push (fcm, jpush) answers', true])
  const bad = { send: silent, check: () => Promise.reject(new Error('JPush answered 401')) }
  pushSender(ctx).services = { fcm: good, jpush: bad }
  const { push, isWell } = await report()
  assert.deepEqual([push, isWell], ['✗ push (fcm, jpush): jpush: JPush answered 401.', false])
})

test('names the settings of a running server that the shell of the doctor lacks', async () => {
  const { sql, config } = ctx
  const settings = async () => {
    const lines: string[] = []
    assert.equal(await reportSettings(ctx, (line) => lines.push(line)), true)
    return lines
  }
  const run = (names: string[], ago: string) => sql`
    insert into server_nodes (id, host, connections, settings, seen_at)
    values (gen_random_uuid(), 'alpha', 9, ${names}, now() - ${ago}::interval)`
  await run([...config.given, 'PORT', 'LOG_LEVEL'], '0')
  await run(['REDIS_URL'], '1 hour')
  assert.deepEqual(await settings(), [])
  await run(['SMTP_URL', 'BACKUP_TO', 'PORT'], '1 minute')
  assert.deepEqual(await settings(), [
    '! settings: a running server has BACKUP_TO, SMTP_URL, but this command does not.',
    '    Run the doctor with the environment of the server, so that it checks the same services.',
  ])
  await sql`delete from server_nodes`
})
