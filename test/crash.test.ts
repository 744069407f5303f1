import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findDatabaseProcesses } from '#platform/embedded-postgres/processes.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-crash-'))
await chmod(folder, 0o755)
const started = new Set<ChildProcess>()

after(async () => {
  for (const child of started) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Sites that crash side by side, and how often each of them does, or as often as there is time for on a busy machine. */
const SITES = 2
const CRASHES = 16
const PATIENCE_MS = 150_000
const BUYERS = 4
const FEEDS = 60

type Answer = { status: number; body: unknown; replayed: boolean }
/** A payment, and what is known of it: answered, or cut off by a crash. */
type Payment = { token: string; path: string; body: object; key: string; answer?: Answer }

function startServer(dataDir: string) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      // Most of a restart is the reading of the sources.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      WORKER: 'separate',
      PORT: '0',
      DATA_DIR: dataDir,
      FOUNDER_PASSWORD: 'founder password',
      RATE_LIMIT_ANONYMOUS: '0',
      RATE_LIMIT_USER: '0',
      RATE_LIMIT_SENSITIVE: '0',
    },
  })
  started.add(child)
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      started.delete(child)
      resolve()
    }),
  )
  const address = new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      if (output === 'listening') return
      output += chunk
      const found = /"address":"(http[^"]+)".*"msg":"listening"/.exec(output)?.[1]
      if (found === undefined) return
      output = 'listening'
      resolve(found)
    })
    ended.then(() => reject(new Error(`the server ended:\n${output}`)))
  })
  address.catch(() => {})
  return { child, ended, address }
}

async function send(
  address: string,
  token: string,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<Answer> {
  const reply = await fetch(`${address}/api/v2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    body: text === '' ? null : JSON.parse(text),
    replayed: reply.headers.get('idempotency-replayed') === 'true',
  }
}

const idOf = ({ status, body }: Answer) => {
  assert.equal(status, 201, JSON.stringify(body))
  return (body as { id: number }).id
}

async function signIn(address: string, login: string, password: string): Promise<string> {
  const { body } = await send(address, '', 'POST', '/auth/login', { login, password })
  return (body as { access_token: string }).access_token
}

/** People with money, an author, and feeds to buy and to pin. */
async function settle(address: string) {
  const founder = await signIn(address, 'root', 'founder password')
  const join = async (name: string) => {
    const password = `password of ${name}`
    const id = idOf(await send(address, founder, 'POST', '/admin/users', { name, password }))
    for (const area of ['points', 'wallet'])
      await send(address, founder, 'POST', `/admin/users/${id}/${area}`, {
        amount: 1_000_000,
        reason: 'start',
      })
    return { id, token: await signIn(address, name, password) }
  }
  const author = await join('author')
  const buyers = await Promise.all(Array.from({ length: BUYERS }, (_, n) => join(`buyer${n}`)))
  const feeds = await Promise.all(
    Array.from({ length: FEEDS }, async (_, n) => {
      const feed = { feed_content: `${n}`, feed_from: 1, feed_mark: n, amount: 10 }
      return idOf(await send(address, author.token, 'POST', '/feeds', feed))
    }),
  )
  const nodes = await Promise.all(
    feeds.map(async (feed) => {
      const { body } = await send(address, founder, 'GET', `/feeds/${feed}`)
      return (body as { paid_node: number }).paid_node
    }),
  )
  return { founder, author, buyers, feeds, nodes }
}

type Site = Awaited<ReturnType<typeof settle>>

const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T

function nextPayment(site: Site, n: number): Payment {
  const buyer = pick(site.buyers)
  const key = `payment ${n}`
  const kind = Math.random()
  if (kind < 0.5) {
    const user = pick(site.buyers.filter((each) => each !== buyer)).id
    return { token: buyer.token, path: '/plus-pay/transfer', body: { user, amount: 1 + (n % 7) }, key }
  }
  if (kind < 0.8) {
    const way = kind < 0.65 ? '/purchases' : '/currency/purchases'
    return { token: buyer.token, path: `${way}/${pick(site.nodes)}`, body: {}, key }
  }
  if (kind < 0.9) {
    const path = `/user/${site.author.id}/new-rewards`
    return { token: buyer.token, path, body: { amount: 3 }, key }
  }
  const path = `/feeds/${pick(site.feeds)}/currency-pinneds`
  return { token: site.author.token, path, body: { amount: 5, day: 1 }, key }
}

/** Pays from all sides until the server is gone. */
async function payUntilGone(address: string, site: Site, payments: Payment[]): Promise<void> {
  const pay = async () => {
    for (;;) {
      const payment = nextPayment(site, payments.length)
      payments.push(payment)
      const answer = await send(
        address,
        payment.token,
        'POST',
        payment.path,
        payment.body,
        payment.key,
      ).catch(() => undefined)
      if (!answer) return
      payment.answer = answer
    }
  }
  await Promise.all(Array.from({ length: 8 }, pay))
}

/** What was answered is kept; what was cut off takes effect now unless it did then. */
async function retry(address: string, payments: Payment[]): Promise<void> {
  const left = [...payments]
  const retryNext = async (payment: Payment) => {
    const { token, path, body, key, answer: first } = payment
    const again = await send(address, token, 'POST', path, body, key)
    assert.ok(again.status < 500, JSON.stringify(again))
    if (first?.status === 201) {
      assert.deepEqual([again.status, again.replayed, again.body], [201, true, first.body], `${path} ${key}`)
    }
    payment.answer = again
  }
  const retryAll = async () => {
    for (let payment = left.pop(); payment; payment = left.pop()) await retryNext(payment)
  }
  await Promise.all(Array.from({ length: 8 }, retryAll))
}

async function assertSound(address: string, site: Site, payments: Payment[]): Promise<void> {
  const { body } = await send(address, site.founder, 'GET', '/admin/ledger/audit')
  const { balanced, drift } = body as { balanced: boolean; drift: unknown[] }
  assert.deepEqual([balanced, drift], [true, []])
  // Every payment that was answered took effect, and each once.
  const effects = async (kind: string) => {
    const totals = await Promise.all(
      [site.author, ...site.buyers].flatMap(({ id }) =>
        ['points', 'wallet'].map(async (area) => {
          const page = await send(
            address,
            site.founder,
            'GET',
            `/admin/users/${id}/${area}?kind=${kind}&limit=1`,
          )
          return (page.body as { total: number }).total
        }),
      ),
    )
    return totals.reduce((sum, total) => sum + total, 0)
  }
  const paid = (part: string) =>
    payments.filter(({ path, answer }) => path.includes(part) && answer?.status === 201).length
  assert.equal(await effects('transfer'), 2 * paid('/transfer'))
  assert.equal(await effects('purchase'), 2 * paid('/purchases/'))
  assert.equal(await effects('reward'), 2 * paid('/new-rewards'))
  assert.equal(await effects('pin'), paid('/currency-pinneds'))
}

async function crashAgainAndAgain(name: string): Promise<{ crashes: number; payments: number }> {
  const dataDir = join(folder, name)
  const payments: Payment[] = []
  let server = startServer(dataDir)
  const site = await settle(await server.address)
  let crashes = 0
  let checked = 0
  for (; crashes < CRASHES && performance.now() < PATIENCE_MS; crashes += 1) {
    const address = await server.address
    const paying = payUntilGone(address, site, payments)
    await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 250))
    server.child.kill('SIGKILL')
    // Every second time the database goes down with it, in the middle of what it was writing.
    if (crashes % 2 === 0)
      for (const database of findDatabaseProcesses(join(dataDir, 'postgres', 'cluster')))
        try {
          process.kill(database, 'SIGKILL')
        } catch {
          // It has ended by itself.
        }
    await server.ended
    await paying
    server = startServer(dataDir)
    const restarted = await server.address
    await retry(restarted, payments.slice(checked))
    checked = payments.length
    await assertSound(restarted, site, payments)
  }
  server.child.kill('SIGTERM')
  await server.ended
  return { crashes, payments: payments.filter(({ answer }) => answer?.status === 201).length }
}

test('a server killed in the middle of payments loses none, makes none twice, and its ledger balances', {
  timeout: 235_000,
}, async (t) => {
  const sites = await Promise.all(Array.from({ length: SITES }, (_, n) => crashAgainAndAgain(`site${n}`)))
  const total = (of: 'crashes' | 'payments') => sites.reduce((sum, site) => sum + site[of], 0)
  t.diagnostic(`${total('crashes')} crashes, ${total('payments')} payments`)
  assert.ok(total('crashes') >= 30 || performance.now() >= PATIENCE_MS)
  assert.ok(total('crashes') >= SITES && total('payments') > total('crashes'))
})
