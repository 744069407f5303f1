import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openMachine } from '#test/fixtures/machines.ts'
import { ROOT, surroundingsIn } from '#test/fixtures/programs.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-drain-'))
after(() => rm(folder, { recursive: true, force: true }))
const { connection } = await createWorld()
const machine = await openMachine(connection)

async function start(args: string[], settings: Record<string, string>, ready: string) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...surroundingsIn(folder),
      DATABASE_URL: `postgres://${connection.user}@${machine.address}/${connection.database}`,
      DATA_DIR: join(folder, 'data'),
      APP_SECRET: 'a secret of this test',
      CONSOLE: 'off',
      WEB: 'off',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  await waitForAnswer(ready)
  return { child, ended }
}

for (const processes of ['1', '2'])
  test(`accepts new connections for DRAIN_NOTICE_MS after SIGTERM with PROCESSES=${processes}`, async () => {
    const port = await findFreePort()
    const ready = `http://127.0.0.1:${port}/health/ready`
    const server = await start(
      ['src/main.ts'],
      { PORT: String(port), PROCESSES: processes, DRAIN_NOTICE_MS: '2500' },
      ready,
    )
    server.child.kill('SIGTERM')
    const since = performance.now()
    const statuses = new Set<number>()
    for (;;) {
      const answer = await fetch(ready, { headers: { connection: 'close' } }).catch(() => undefined)
      if (!answer) break
      statuses.add(answer.status)
      await answer.arrayBuffer()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.ok(statuses.has(503), `saw only ${[...statuses]}`)
    assert.ok(performance.now() - since >= 2000, 'it stopped listening before the notice was over')
    assert.equal(await server.ended, 0)
  })

const externalAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

test('serves metrics only on METRICS_HOST', async () => {
  const [port, metrics] = [await findFreePort(), await findFreePort()]
  const host = '127.0.0.2'
  const server = await start(
    ['src/main.ts'],
    { PORT: String(port), PROCESSES: '1', METRICS_HOST: host, METRICS_PORT: String(metrics) },
    `http://127.0.0.1:${port}/health/ready`,
  )
  const told = await fetch(`http://${host}:${metrics}/metrics`)
  assert.match(await told.text(), /^database_pool_pressure 0$/m)
  assert.equal((await fetch(`http://${host}:${metrics}/health/live`)).status, 200)
  assert.equal((await fetch(`http://${host}:${metrics}/api/v2/feeds`)).status, 404)
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 404)
  await assert.rejects(fetch(`http://127.0.0.1:${metrics}/metrics`))
  if (externalAddress) await assert.rejects(fetch(`http://${externalAddress}:${metrics}/metrics`))
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
})

test('serves metrics and liveness of a worker', async () => {
  const metrics = await findFreePort()
  const at = `http://127.0.0.1:${metrics}`
  const worker = await start(['src/cli.ts', 'worker'], { METRICS_PORT: String(metrics) }, `${at}/health/live`)
  assert.match(await (await fetch(`${at}/metrics`)).text(), /^kith_database_up 1$/m)
  worker.child.kill('SIGTERM')
  assert.equal(await worker.ended, 0)
})
