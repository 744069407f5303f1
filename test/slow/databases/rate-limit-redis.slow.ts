import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createLog } from '#platform/observability'
import { createRateLimiter, type RateLimiter } from '#platform/processes/rate-limit.ts'

const isInstalled = spawnSync('redis-server', ['--version']).status === 0
const isRequired = process.env.CI === 'true'
const skip = !isInstalled && !isRequired && 'redis-server is not installed (apt-get install redis-server)'

suite('rate limiter with Redis', { skip }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'kith-redis-'))
  const limiters: RateLimiter[] = []
  let port = 0
  let url = ''
  let server: ChildProcess

  before(async () => {
    assert.ok(isInstalled, 'CI needs redis-server on its PATH')
    port = await freePort()
    url = `redis://127.0.0.1:${port}`
    server = await startRedis()
  })
  after(async () => {
    await Promise.all(limiters.map((limiter) => limiter.close()))
    await stopRedis()
    rmSync(dir, { recursive: true, force: true })
  })

  async function startRedis() {
    const options = [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
    return child
  }

  async function stopRedis() {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }

  function limiter(lines: string[] = []) {
    const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
    const created = createRateLimiter({ redisUrl: url, log, startTimeoutMs: 10_000 })
    limiters.push(created)
    return created
  }

  async function eventually(holds: () => Promise<boolean>) {
    while (!(await holds())) await sleep(50)
  }

  test('shares request counts between two limiters', async () => {
    await awayFromMinuteEnd()
    const [one, two] = [limiter(), limiter()]
    assert.equal((await one.hit('shared', 3)).remaining, 2)
    assert.equal((await two.hit('shared', 3)).remaining, 1)
    assert.deepEqual(
      { ...(await one.hit('shared', 3)), resetAt: 0 },
      { limit: 3, remaining: 0, resetAt: 0, exceeded: false },
    )
    assert.equal((await two.hit('shared', 3)).exceeded, true)
    assert.equal((await two.hit('other', 3)).remaining, 2)
  })

  test('counts each of several concurrent requests once', async () => {
    await awayFromMinuteEnd()
    const [one, two] = [limiter(), limiter()]
    const states = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => (i % 2 ? one : two).hit('race', 100)),
    )
    assert.equal(states.filter((state) => state.exceeded).length, 100)
    const remaining = states.map((state) => state.remaining).sort((a, b) => b - a)
    assert.deepEqual(
      remaining.slice(0, 100),
      Array.from({ length: 100 }, (_, i) => 99 - i),
    )
  })

  test('lets the key of a rate window expire', async () => {
    await limiter().hit('expiring', 5)
    const redis = new Redis(url)
    const keys = await redis.keys('*')
    assert.ok(keys.every((key) => key.startsWith('kith:rate:')))
    const key = keys.find((name) => name.includes('expiring'))
    const left = await redis.pttl(key ?? '')
    assert.ok(left > 0 && left <= 70_000, `${left} ms`)
    redis.disconnect()
  })

  test('counts requests in memory when Redis freezes', async () => {
    const lines: string[] = []
    const frozen = limiter(lines)
    await frozen.hit('frozen', 600)
    server.kill('SIGSTOP')
    assert.equal((await frozen.hit('frozen', 600)).exceeded, false)
    assert.ok(!(frozen.hit('frozen', 600) instanceof Promise))
    server.kill('SIGCONT')
    await eventually(async () => {
      const hit = frozen.hit('frozen', 600)
      return hit instanceof Promise && lines.some((line) => line.includes('answers again'))
    })
    assert.equal(lines.filter((line) => line.includes('does not answer')).length, 1)
  })

  test('counts requests in Redis again after a restart of Redis', async () => {
    const lines: string[] = []
    const survivor = limiter(lines)
    await survivor.hit('dying', 600)
    await stopRedis()
    assert.equal((await survivor.hit('dying', 600)).exceeded, false)
    assert.equal((await survivor.hit('dying', 600)).exceeded, false)
    server = await startRedis()
    await eventually(async () => {
      await survivor.hit('dying', 600)
      return lines.some((line) => line.includes('answers again'))
    })
    assert.equal(lines.length, 2)
  })
})

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Waits for a new minute when the current rate window is about to end. */
async function awayFromMinuteEnd() {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 20_000) await sleep(left)
}
