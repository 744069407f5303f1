/**
 * Injects faults during the payments of `npm run torture`. Each function injects the faults of one component
 * and then removes the faults.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findDatabaseProcesses } from '#platform/database'
import { send } from '#test/fixtures/sites.ts'
import { findFreePort } from '#test/servers.ts'
import { assertNoFault, probe, untilReady, whilePaying } from './paying.ts'

const signal = (pids: number[], name: NodeJS.Signals) => {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {}
}

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
    const frozenPids = findDatabaseProcesses(cluster)
    signal(frozenPids, 'SIGSTOP')
    let slowest = 0
    try {
      for (const until = performance.now() + 15_000; performance.now() < until; await wait(250)) {
        const { isReady, ms } = await probe(address)
        assert.equal(isReady, false)
        slowest = Math.max(slowest, ms)
      }
      assert.ok(slowest < 2000, `readiness took ${slowest} ms`)
      const counts = look()
      assert.ok((counts[503] ?? 0) > 0, `answered ${JSON.stringify(counts)}`)
      assertNoFault(counts)
    } finally {
      // Resumes the database even after a failed check, because a stopped process cannot shut down.
      signal(frozenPids, 'SIGCONT')
    }
    const back = await untilReady(address)
    return `killed, and ready again after ${away.join(', ')} ms; silent for 15 s: readiness 503 within ${slowest.toFixed(0)} ms, ready again after ${back} ms`
  })

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

/** Runs payments while the mail server accepts connections and never responds. */
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
