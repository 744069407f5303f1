import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedAbilities } from '#modules/abilities/index.ts'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { migrate, openDatabase, startEmbeddedPostgres } from '#platform/database'
import { migrateJobs } from '#platform/jobs'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { fill } from './fill.ts'
import { drive, type Load, type Measured, sumUp } from './measure.ts'
import { readOptions } from './options.ts'
import { rangesOf } from './requests.ts'
import { startProgram } from './servers.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    processes: { type: 'string', default: '1' },
  },
})
const ROUNDS = 4
const PEOPLE = 400
const size = SIZES.small

const dataDir = await mkdtemp(join(tmpdir(), 'kith-hot-'))
const database = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: () => {} })
const sql = openDatabase({ connection: database.connection, poolSize: 2, statementTimeoutMs: 0 })
await migrate(sql)
await migrateJobs(database.connection)
await seedAbilities(sql)
await fill(sql, size)
const { feeds } = await rangesOf(sql, size)
const tokens: string[] = []
for (let n = 0; n < PEOPLE; n += 1) {
  const id = await createUser(sql, { name: `hot ${n}`, password: null, roles: ['owner'] })
  tokens.push((await issueToken(sql, id)).access_token)
}
await sql.end()
await database.stop()

const port = await findFreePort()
const server = startProgram('src/main.ts', [], {
  env: {
    ...{
      DATA_DIR: dataDir,
      PORT: String(port),
      PROCESSES: options.processes,
      WEB: 'off',
      LOG_LEVEL: 'error',
    },
    ...{ RATE_LIMIT_USER: '0', RATE_LIMIT_SENSITIVE: '0' },
  },
})
process.on('exit', () => server.kill('SIGTERM'))
await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, server)

type Request = Load['request']
let serial = 0
const next = () => {
  serial += 1
  return serial
}
const like = (feed: number, who: number): ReturnType<Request> => ({
  path: `/api/v2/feeds/${feeds.from + (feed % feeds.count)}/like`,
  token: tokens[who % PEOPLE] as string,
})
const post = (mark: number, author: number): ReturnType<Request> => ({
  path: '/api/v2/feeds',
  body: JSON.stringify({ feed_content: 'A short note.', feed_from: 1, feed_mark: mark }),
  token: tokens[author % PEOPLE] as string,
})
const pairs: [string, (n: number) => ReturnType<Request>, (n: number) => ReturnType<Request>][] = [
  ['POST /feeds/{id}/like', (n) => like(Math.floor(n / PEOPLE), n), (n) => like(n * 7919, n)],
  ['POST /feeds', (n) => post(n, 0), (n) => post(n, n)],
]
const load = {
  url: `http://127.0.0.1:${port}`,
  method: 'POST',
  token: '',
  connections: Number(options.connections),
} as const
const seconds = Number(options.seconds) / ROUNDS
console.log(
  `\n| operation | one row: req/s | p50 ms | p99 ms | many rows: req/s | p50 ms | p99 ms | times |\n|---|--:|--:|--:|--:|--:|--:|--:|`,
)
for (const [name, one, many] of pairs) {
  const [hot, spread]: [Measured[], Measured[]] = [[], []]
  for (const request of [one, many]) await drive({ ...load, request: () => request(next()), seconds: 1 })
  for (let round = 0; round < ROUNDS; round += 1) {
    hot.push(await drive({ ...load, request: () => one(next()), seconds }))
    spread.push(await drive({ ...load, request: () => many(next()), seconds }))
  }
  const [a, b] = [sumUp(hot), sumUp(spread)]
  const cells = ({ perSecond, p50, p99 }: Measured) => `${perSecond.toFixed(0)} | ${p50} | ${p99}`
  const failures = a.failures + b.failures
  console.log(
    `| ${name} | ${cells(a)} | ${cells(b)} | ${(b.perSecond / a.perSecond).toFixed(2)} |${failures > 0 ? ` ${failures} failures!` : ''}`,
  )
}
const ended = new Promise((resolve) => server.once('exit', resolve))
server.kill('SIGTERM')
await ended
await rm(dataDir, { recursive: true, force: true })
