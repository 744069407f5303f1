/** Parts of `npm run torture` that take something away from a server while people pay, and give it back. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findDatabaseProcesses } from '#platform/embedded-postgres/processes.ts'
import {
  assertSound,
  nextPayment,
  openSite,
  type Payment,
  randomOf,
  retry,
  type Site,
} from '#test/fixtures/payments.ts'
import { send, startServer } from '#test/fixtures/sites.ts'
import { findFreePort } from '#test/servers.ts'

const PAYERS = 4

type Running = {
  address: string
  site: Site
  dataDir: string
  /** Answers by status since the last look, 0 for none at all. */
  look(): Record<number, number>
}

/** Runs `work` on a server on which people pay all the time; then all that was answered has to be there, once. */
async function whilePaying(
  dataDir: string,
  seed: number,
  env: Record<string, string>,
  work: (running: Running) => Promise<string>,
): Promise<string> {
  const random = randomOf(seed)
  const { site } = await openSite(dataDir)
  const server = startServer(dataDir, { LOG_LEVEL: 'info', ...env })
  const address = await server.address
  const payments: Payment[] = []
  let counts: Record<number, number> = {}
  let isOver = false
  const pay = async () => {
    while (!isOver) {
      const payment = nextPayment(site, payments.length, random)
      payments.push(payment)
      const { token, path, body, key } = payment
      const answer = await send(address, token, 'POST', path, body, key).catch(() => undefined)
      if (answer) payment.answer = answer
      else payment.wasCut = true
      counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1
      if (!answer || answer.status >= 500) await wait(20)
    }
  }
  const paying = Promise.all(Array.from({ length: PAYERS }, pay))
  const look = () => {
    const seen = counts
    counts = {}
    return seen
  }
  let told: string
  try {
    await wait(1000)
    told = await work({ address, site, dataDir, look })
  } finally {
    isOver = true
    await paying
  }
  await untilReady(address)
  await retry(address, payments)
  await assertSound(address, dataDir, site, payments)
  server.child.kill('SIGTERM')
  await server.ended
  return `${told}; ${payments.length} payments all there, once, and the ledger balances`
}

/** Whether the server says it is ready, and how long that took. */
async function probe(address: string): Promise<{ isReady: boolean; ms: number }> {
  const started = performance.now()
  const answer = await fetch(`${address}/health/ready`).catch(() => undefined)
  return { isReady: answer?.status === 200, ms: performance.now() - started }
}

async function untilReady(address: string): Promise<number> {
  const started = performance.now()
  for (let tries = 0; tries < 2400; tries += 1) {
    if ((await probe(address)).isReady) return Math.round(performance.now() - started)
    await wait(50)
  }
  throw new Error('the server did not become ready again within two minutes')
}

/** Nothing but answers and refusals that say when to come back. */
function assertNoFault(counts: Record<number, number>) {
  assert.equal(counts[500] ?? 0, 0, `answered ${JSON.stringify(counts)}`)
}

const signal = (pids: number[], name: NodeJS.Signals) => {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // It has ended by itself.
    }
}

/** The database is killed, and then stands still for a quarter of a minute. */
export const breakDatabase = (dataDir: string, seed: number) =>
  whilePaying(dataDir, seed, {}, async ({ address, look }) => {
    const cluster = join(dataDir, 'postgres', 'cluster')
    const away: number[] = []
    for (let times = 0; times < 3; times += 1) {
      signal(findDatabaseProcesses(cluster), 'SIGKILL')
      await wait(100)
      away.push(await untilReady(address))
      await wait(500)
    }
    assertNoFault(look())
    const still = findDatabaseProcesses(cluster)
    signal(still, 'SIGSTOP')
    let slowest = 0
    for (const until = performance.now() + 15_000; performance.now() < until; await wait(250)) {
      const { isReady, ms } = await probe(address)
      assert.equal(isReady, false)
      slowest = Math.max(slowest, ms)
    }
    assert.ok(slowest < 2000, `readiness took ${slowest} ms`)
    const counts = look()
    assert.ok((counts[503] ?? 0) > 0, `answered ${JSON.stringify(counts)}`)
    assertNoFault(counts)
    signal(still, 'SIGCONT')
    const back = await untilReady(address)
    return `killed, and ready again after ${away.join(', ')} ms; silent for 15 s: readiness 503 within ${slowest.toFixed(0)} ms, ready again after ${back} ms`
  })

/** Redis is killed and comes back. */
export async function breakRedis(dataDir: string, seed: number): Promise<string> {
  const port = await findFreePort()
  const start = async () => {
    const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
      stdio: 'ignore',
    })
    await Promise.race([once(redis, 'spawn'), once(redis, 'error').then(([error]) => Promise.reject(error))])
    return redis
  }
  let redis = await start()
  try {
    return await whilePaying(
      dataDir,
      seed,
      { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_USER: '1000000' },
      async ({ look }) => {
        look()
        redis.kill('SIGKILL')
        await wait(5000)
        const without = look()
        redis = await start()
        await wait(3000)
        const again = look()
        for (const counts of [without, again]) {
          assertNoFault(counts)
          assert.ok((counts[201] ?? 0) > 0, `answered ${JSON.stringify(counts)}`)
        }
        return `${without[201]} payments in 5 s without Redis, ${again[201]} in 3 s after it came back`
      },
    )
  } finally {
    redis.kill('SIGKILL')
  }
}

/** The mail server takes connections and says nothing. */
export async function breakMail(dataDir: string, seed: number): Promise<string> {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    return await whilePaying(
      dataDir,
      seed,
      { SMTP_URL: `smtp://127.0.0.1:${port}`, WORKER: 'inside' },
      async ({ address, site, look }) => {
        for (let n = 0; n < 6; n += 1) {
          const answer = await send(address, '', 'POST', '/verifycodes/register', {
            email: `nobody${n}@example.org`,
          })
          assert.equal(answer.status, 202)
        }
        const notice = await send(address, site.founder.token, 'POST', '/admin/notices', {
          contents: 'x',
          all: true,
        })
        assert.equal(notice.status, 201)
        const { id } = notice.body as { id: number }
        for (let status = ''; status !== 'sent'; await wait(50)) {
          const { body } = await send(address, site.founder.token, 'GET', `/admin/notices/${id}`)
          status = (body as { status: string }).status
        }
        const counts = look()
        assertNoFault(counts)
        return `6 codes were taken, ${sockets.size} connections hung, and a notice to everybody was sent meanwhile`
      },
    )
  } finally {
    for (const socket of sockets) socket.destroy()
    silent.close()
  }
}

/** An endpoint takes requests and never answers. */
export async function breakWebhooks(dataDir: string, seed: number): Promise<string> {
  let hanging = 0
  let most = 0
  const quick = Promise.withResolvers<void>()
  const receiver = createHttpServer((incoming, response) => {
    incoming.resume()
    if (incoming.url === '/quick') {
      response.writeHead(204).end()
      quick.resolve()
      return
    }
    hanging += 1
    most = Math.max(most, hanging)
    response.once('close', () => {
      hanging -= 1
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  try {
    return await whilePaying(
      dataDir,
      seed,
      { WEBHOOKS_ALLOW_PRIVATE: 'true', WORKER: 'inside' },
      async ({ address, site, look }) => {
        const { token } = site.founder
        const endpoint = async (path: string) => {
          const made = await send(address, token, 'POST', '/admin/webhooks', {
            url: base + path,
            types: ['webhook.none'],
          })
          assert.equal(made.status, 201)
          return (made.body as { id: number }).id
        }
        const [slow, other] = [await endpoint('/slow'), await endpoint('/quick')]
        for (let n = 0; n < 20; n += 1) await send(address, token, 'POST', `/admin/webhooks/${slow}/ping`)
        while (most === 0) await wait(20)
        const started = performance.now()
        await send(address, token, 'POST', `/admin/webhooks/${other}/ping`)
        await quick.promise
        const took = performance.now() - started
        assertNoFault(look())
        assert.ok(most <= 2, `${most} requests at once to one endpoint`)
        return `one endpoint held ${most} requests at once, another was reached in ${took.toFixed(0)} ms`
      },
    )
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}

const DISK_MEGABYTES = 400

/** A disk of its own becomes full and gets room again; then a start on the full disk. */
export async function fillDisk(dataDir: string, seed: number): Promise<string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'needs root on Linux for a small disk: not run'
  await mkdir(dataDir)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', dataDir])
  const filler = join(dataDir, 'filler')
  const fill = () => {
    const file = openSync(filler, 'w')
    const block = Buffer.alloc(1024 * 1024)
    try {
      for (;;) writeSync(file, block)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    } finally {
      closeSync(file)
    }
  }
  try {
    await chmod(dataDir, 0o755)
    const told = await whilePaying(dataDir, seed, {}, async ({ address, look }) => {
      look()
      fill()
      for (let seen = 0; seen === 0; await wait(250)) seen = look()[503] ?? 0
      await wait(5000)
      const full = look()
      assertNoFault(full)
      await rm(filler)
      const back = await untilReady(address)
      await wait(2000)
      const after = look()
      assert.ok((after[201] ?? 0) > 0, `answered ${JSON.stringify(after)}`)
      return `full: ${full[503] ?? 0} refused with 503, none with 500; ready ${back} ms after there was room`
    })
    fill()
    const server = startServer(dataDir)
    const output = await server.address.catch((error: Error) => error.message)
    await server.ended
    assert.ok(!/^ {4}at /m.test(output), output)
    await rm(filler)
    return `${told}; a start on the full disk ends with a sentence`
  } finally {
    for (let tries = 0; tries < 20; tries += 1)
      try {
        execFileSync('umount', [dataDir], { stdio: 'ignore' })
        break
      } catch {
        await wait(500)
      }
  }
}
