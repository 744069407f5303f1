import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { findRunningPostgres, openDatabase, type Sql } from '#platform/database'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { drive, type Measured } from './measure.ts'
import { readOptions } from './options.ts'
import { startProgram } from './servers.ts'

requireRuntime()
const { values: options } = readOptions({
  options: { seconds: { type: 'string', default: '5' }, connections: { type: 'string', default: '32' } },
})
const seconds = Number(options.seconds)
const connections = Number(options.connections)
const BUYERS = 64
const AUTHORS = 64
// Each pin needs a new feed. No current machine exceeds 1,500 pins per second.
const FEEDS = Math.ceil((seconds + 2) * 1500)

const dataDir = await mkdtemp(join(tmpdir(), 'kith-bench-money-'))
const port = await findFreePort()
const url = `http://127.0.0.1:${port}`
const server = startProgram('src/main.ts', [], {
  env: {
    DATA_DIR: dataDir,
    PORT: String(port),
    WEB: 'off',
    RATE_LIMIT_ANONYMOUS: '0',
    RATE_LIMIT_USER: '0',
    RATE_LIMIT_SENSITIVE: '0',
  },
})
process.on('exit', () => server.kill('SIGTERM'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

type Person = { id: number; token: string }
type Shop = { authors: Person[]; buyers: Person[]; feeds: { id: number; node: number; author: Person }[] }

try {
  await main()
} finally {
  await end(server)
  await rm(dataDir, { recursive: true, force: true })
}

async function main() {
  await waitForAnswer(`${url}/health/ready`, server)
  const connection = await findRunningPostgres(join(dataDir, 'postgres'))
  if (!connection) throw new Error('The server does not use its embedded database.')
  const sql = openDatabase({ connection, poolSize: 4, statementTimeoutMs: 0 })
  const { authors, buyers, feeds } = await settle(sql)

  let bought = 0
  const purchases = await driveAs((n) => {
    const buyer = buyers[n % BUYERS] as Person
    const feed = feeds[(Math.floor(n / BUYERS) + (n % BUYERS) * 97) % FEEDS] as Shop['feeds'][number]
    bought += 1
    return { path: `/api/v2/currency/purchases/${feed.node}`, body: '{}', token: buyer.token }
  })
  const pins = await driveAs((n) => {
    const feed = feeds[n % FEEDS] as Shop['feeds'][number]
    const body = JSON.stringify({ amount: 5, day: 1 })
    return { path: `/api/v2/feeds/${feed.id}/currency-pinneds`, body, token: feed.author.token }
  })
  if (bought > BUYERS * FEEDS || pins.count > FEEDS)
    throw new Error('Ran out of feeds. Set a lower --seconds.')
  await checkLedger(sql)
  const peer = await runPgbench(connection)
  await sql.end()

  console.log(
    `\n${authors.length} authors, ${buyers.length} buyers, ${connections} connections, ${seconds} s each\n`,
  )
  console.log(
    '| operation | req/s | p50 ms | p99 ms | pgbench transactions/s | ratio |\n|---|--:|--:|--:|--:|--:|',
  )
  for (const [name, { measured }] of [
    ['POST /currency/purchases/{node}', purchases],
    ['POST /feeds/{feed}/currency-pinneds', pins],
  ] as const) {
    const { perSecond, p50, p99, failures } = measured
    const ratio = peer === undefined ? 'no pgbench here' : (perSecond / peer).toFixed(2)
    const faults = failures > 0 ? ` ${failures} failures!` : ''
    console.log(
      `| ${name} | ${perSecond.toFixed(0)} | ${p50} | ${p99} | ${peer?.toFixed(0) ?? ''} | ${ratio} |${faults}`,
    )
  }
}

async function settle(sql: Sql): Promise<Shop> {
  const sign = async (id: number) => ({ id, token: (await issueToken(sql, id)).access_token })
  const make = async (name: string) => sign(await createUser(sql, { name, password: null, roles: ['owner'] }))
  const [founder] = await sql<[{ id: number }]>`select id from users where name = 'root'`
  const { token } = await sign(founder.id)
  const authors: Person[] = []
  const buyers: Person[] = []
  for (let n = 0; n < AUTHORS; n += 1) authors.push(await make(`author${n}`))
  for (let n = 0; n < BUYERS; n += 1) buyers.push(await make(`buyer${n}`))
  for (const { id } of [...authors, ...buyers])
    await post(`/admin/users/${id}/points`, token, { amount: 1_000_000, reason: 'bench' })
  console.log(`Publishing ${FEEDS} feeds`)
  let next = 0
  const publish = async () => {
    for (let n = next++; n < FEEDS; n = next++) {
      const author = authors[n % AUTHORS] as Person
      await post('/feeds', author.token, {
        feed_content: `Note ${n}`,
        feed_from: 1,
        feed_mark: n + 1,
        amount: 10,
      })
    }
  }
  await Promise.all(Array.from({ length: connections }, publish))
  const rows = await sql<{ id: number; node: number; author: number }[]>`
    select f.id, n.id as node, f.user_id as author from feeds f
    join paid_nodes n on n.channel = 'feed' and n.raw = f.id order by f.id`
  const byId = new Map(authors.map((author) => [author.id, author]))
  const feeds = rows.map(({ id, node, author }) => ({ id, node, author: byId.get(author) as Person }))
  await sql`vacuum analyze`
  return { authors, buyers, feeds }
}

async function post(path: string, token: string, body: object): Promise<void> {
  const reply = await fetch(`${url}/api/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (reply.status !== 201) throw new Error(`${path} returned ${reply.status} ${text}`)
}

async function driveAs(request: (n: number) => { path: string; body: string; token: string }) {
  let count = 0
  const next = () => {
    count += 1
    return request(count - 1)
  }
  const measured: Measured = await drive({
    url,
    method: 'POST',
    token: '',
    seconds,
    connections,
    request: next,
  })
  return { measured, count }
}

async function checkLedger(sql: Sql): Promise<void> {
  const [row] = await sql<[{ sum: string; count: number }]>`
    select coalesce(sum(amount), 0)::text as sum, count(distinct transaction_id)::int as count from ledger_postings`
  if (Number(row.sum) !== 0) throw new Error(`The ledger is off by ${row.sum}.`)
  console.log(`${row.count} movements, and the ledger balances`)
}

async function runPgbench(connection: {
  host: string
  port: number
  user: string
}): Promise<number | undefined> {
  const admin = openDatabase({
    connection: { ...connection, database: 'postgres' },
    poolSize: 1,
    statementTimeoutMs: 0,
  })
  await admin`create database pgbench`
  await admin.end()
  const env = {
    ...process.env,
    PGHOST: connection.host,
    PGPORT: String(connection.port),
    PGUSER: connection.user,
  }
  const run = async (...parameters: string[]) =>
    (await promisify(execFile)('pgbench', [...parameters, 'pgbench'], { env })).stdout
  try {
    // Creates one row in `pgbench_branches` per connection, so that pgbench transactions contend as little as
    // purchases of different buyers.
    await run('-i', '-q', '-s', String(connections))
    const output = await run(
      '-n',
      '-M',
      'prepared',
      '-c',
      String(connections),
      '-j',
      '2',
      '-T',
      String(seconds),
    )
    return Number(/tps = ([\d.]+)/.exec(output)?.[1])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
