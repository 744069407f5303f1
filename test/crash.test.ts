/**
 * Sites as a user starts them (`src/main.ts` with its own database below DATA_DIR) are killed with SIGKILL in the middle
 * of payments and started again on what they left, over and over. After each start every payment is sent once more with
 * its key: what was answered before has to be replayed, what was cut off takes effect now unless it did then. Then the
 * audit has to be clean, and the ledger has to hold each payment that was ever answered, once.
 *
 * Nearly all it costs is the reading of the sources at each start, which the compile cache of main.ts makes bearable: a
 * process writes it when it ends by itself, so each site ends by itself once, the first before the others begin. Two
 * sites side by side use the time in which one waits for its disk. What they hold is asked of their databases directly.
 */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { type Answer, ask, crash, killAll, send, startServer } from '#test/fixtures/sites.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-crash-'))
await chmod(folder, 0o755)
after(async () => {
  killAll()
  await rm(folder, { recursive: true, force: true })
})

const SITES = 2
const CRASHES = 15
const BUYERS = 4
const FEEDS = 60

/** A payment, and what is known of it: answered, or cut off by a crash. */
type Payment = {
  kind: 'transfer' | 'purchase' | 'reward' | 'pin'
  token: string
  path: string
  body: object
  key: string
  answer?: Answer
  wasCut?: boolean
}
type Person = { id: number; token: string }

/** An author with feeds to buy and to pin, buyers with money, and somebody who may audit it all. */
async function settle(address: string, dataDir: string) {
  const people = await ask(dataDir, async (sql) => {
    const sign = async (id: number) => ({ id, token: (await issueToken(sql, id)).access_token })
    const [founder] = await sql<[{ id: number }]>`select id from users where name = 'root'`
    const made = await Promise.all(
      Array.from({ length: BUYERS + 1 }, (_, n) =>
        createUser(sql, { name: `person${n}`, password: null, roles: ['owner'] }),
      ),
    )
    const [author, ...buyers] = await Promise.all(made.map(sign))
    return { founder: await sign(founder.id), author: author as Person, buyers }
  })
  const { founder, author, buyers } = people
  for (const { id } of [author, ...buyers])
    for (const area of ['points', 'wallet']) {
      const grant = { amount: 1_000_000, reason: 'start' }
      const { status } = await send(address, founder.token, 'POST', `/admin/users/${id}/${area}`, grant)
      assert.equal(status, 201)
    }
  await Promise.all(
    Array.from({ length: FEEDS }, async (_, n) => {
      const feed = { feed_content: `${n}`, feed_from: 1, feed_mark: n, amount: 10 }
      assert.equal((await send(address, author.token, 'POST', '/feeds', feed)).status, 201)
    }),
  )
  const nodes = await ask(
    dataDir,
    (sql) => sql<{ id: number; raw: number }[]>`select id, raw from paid_nodes where channel = 'feed'`,
  )
  assert.equal(nodes.length, FEEDS)
  return { ...people, feeds: nodes.map(({ raw }) => raw), nodes: nodes.map(({ id }) => id) }
}

type Site = Awaited<ReturnType<typeof settle>>

const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T

function nextPayment(site: Site, n: number): Payment {
  const buyer = pick(site.buyers)
  const key = `payment ${n}`
  const chance = Math.random()
  if (chance < 0.5) {
    const user = pick(site.buyers.filter((each) => each !== buyer)).id
    const body = { user, amount: 1 + (n % 7) }
    return { kind: 'transfer', token: buyer.token, path: '/plus-pay/transfer', body, key }
  }
  if (chance < 0.8) {
    const way = chance < 0.65 ? '/purchases' : '/currency/purchases'
    const path = `${way}/${pick(site.nodes)}`
    return { kind: 'purchase', token: buyer.token, path, body: {}, key }
  }
  if (chance < 0.9) {
    const path = `/user/${site.author.id}/new-rewards`
    return { kind: 'reward', token: buyer.token, path, body: { amount: 3 }, key }
  }
  const path = `/feeds/${pick(site.feeds)}/currency-pinneds`
  return { kind: 'pin', token: site.author.token, path, body: { amount: 5, day: 1 }, key }
}

/** Pays from all sides until the server is gone. */
async function payUntilGone(
  address: string,
  site: Site,
  payments: Payment[],
  onAnswer: () => void,
): Promise<void> {
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
      if (!answer) {
        payment.wasCut = true
        return
      }
      payment.answer = answer
      onAnswer()
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

async function assertSound(address: string, dataDir: string, site: Site, payments: Payment[]): Promise<void> {
  const { body } = await send(address, site.founder.token, 'GET', '/admin/ledger/audit')
  const { balanced, drift } = body as { balanced: boolean; drift: unknown[] }
  assert.deepEqual([balanced, drift], [true, []])
  const movements = await ask(
    dataDir,
    (sql) => sql<{ kind: string; count: number }[]>`
      select kind, count(distinct transaction_id)::int as count from ledger_postings
      where kind <> 'adjustment' group by kind`,
  )
  // Every payment that was answered took effect, and each once.
  const answered: Record<string, number> = {}
  for (const { kind, answer } of payments)
    if (answer?.status === 201) answered[kind] = (answered[kind] ?? 0) + 1
  assert.deepEqual(Object.fromEntries(movements.map(({ kind, count }) => [kind, count])), answered)
}

/** Makes a site, and ends it as it should be ended: its payments begin after another start. */
async function open(name: string) {
  const dataDir = join(folder, name)
  const server = startServer(dataDir)
  const site = await settle(await server.address, dataDir)
  server.child.kill('SIGTERM')
  await server.ended
  return { dataDir, site }
}

async function crashAgainAndAgain({ dataDir, site }: Awaited<ReturnType<typeof open>>) {
  const payments: Payment[] = []
  let server = startServer(dataDir)
  let crashes = 0
  let checked = 0
  while (crashes < CRASHES) {
    const address = await server.address
    const answered = Promise.withResolvers<void>()
    const paying = payUntilGone(address, site, payments, answered.resolve)
    // However slow the machine is, something was answered that has to be there later.
    await Promise.race([answered.promise, paying])
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
    await crash(server, crashes % 2 === 0 ? join(dataDir, 'postgres', 'cluster') : undefined)
    crashes += 1
    await paying
    server = startServer(dataDir)
    const restarted = await server.address
    await retry(restarted, payments.slice(checked))
    checked = payments.length
    await assertSound(restarted, dataDir, site, payments)
  }
  server.child.kill('SIGTERM')
  await server.ended
  return { crashes, payments }
}

test('a server killed in the middle of payments loses none, makes none twice, and its ledger balances', {
  timeout: 235_000,
}, async (t) => {
  const first = await open('site0')
  const others = Array.from({ length: SITES - 1 }, (_, n) => open(`site${n + 1}`))
  const sites = await Promise.all([first, ...others].map(async (site) => crashAgainAndAgain(await site)))
  const crashes = sites.reduce((sum, site) => sum + site.crashes, 0)
  const payments = sites.flatMap((site) => site.payments)
  const cut = payments.filter(({ wasCut }) => wasCut).length
  t.diagnostic(`${crashes} crashes, ${payments.length} payments, ${cut} of them cut off`)
  assert.ok(crashes >= 30)
  const kept = payments.filter(({ wasCut, answer }) => !wasCut && answer?.status === 201).length
  assert.ok(cut > 0 && kept >= crashes / 2, `${kept} payments answered before a crash`)
})
