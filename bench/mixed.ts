/** `npm run bench:mixed`: a random load of reads and writes while every kept page is compared. See bench/README.md. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seedAbilities } from '#modules/abilities/index.ts'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { openDatabase } from '#platform/database.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts'
import { migrateJobs } from '#platform/jobs.ts'
import { migrate } from '#platform/migrate.ts'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { fill } from './fill.ts'

requireRuntime()
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    connections: { type: 'string', default: '8' },
    writes: { type: 'string', default: '0.2' },
  },
})
const PEOPLE = 12
const SIZE = {
  ...{ people: 200, topics: 5, feeds: 60, comments: 300, songs: 10, news: 10, questions: 10, remarks: 50 },
}

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Write = (of: {
  n: number
  pick: (most: number) => number
  people: number[]
}) => [string, string, object?]
const WRITES: Write[] = [
  ({ n }) => ['POST', '/feeds', { feed_content: `number ${n}`, feed_from: 1, feed_mark: `mixed-${n}` }],
  ({ n, pick }) => ['POST', `/feeds/${1 + pick(SIZE.feeds)}/comments`, { body: `comment ${n}` }],
  ({ pick }) => ['POST', `/feeds/${1 + pick(SIZE.feeds)}/like`],
  ({ pick }) => ['DELETE', `/feeds/${1 + pick(SIZE.feeds)}/unlike`],
  ({ pick }) => ['POST', `/feeds/${1 + pick(SIZE.feeds)}/collections`],
  ({ pick }) => ['DELETE', `/feeds/${1 + pick(SIZE.feeds)}/uncollect`],
  ({ pick, people }) => ['PUT', `/user/followings/${people[pick(PEOPLE)]}`],
  ({ pick, people }) => ['DELETE', `/user/followings/${people[pick(PEOPLE)]}`],
  ({ pick, people }) => ['POST', `/user/black/${people[pick(PEOPLE)]}`],
  ({ pick, people }) => ['DELETE', `/user/black/${people[pick(PEOPLE)]}`],
  ({ n }) => ['PATCH', '/user', { bio: `number ${n}` }],
  ({ pick }) => ['PUT', `/user/feed-topics/${1 + pick(SIZE.topics)}`],
  ({ pick }) => ['DELETE', `/user/feed-topics/${1 + pick(SIZE.topics)}`],
  ({ pick }) => ['POST', `/music/${1 + pick(SIZE.songs)}/like`],
  ({ n, pick }) => ['POST', `/music/${1 + pick(SIZE.songs)}/comments`, { body: `comment ${n}` }],
  ({ pick }) => ['POST', `/news/${1 + pick(SIZE.news)}/likes`],
  ({ n, pick }) => ['POST', `/questions/${1 + pick(SIZE.questions)}/answers`, { body: `answer ${n}` }],
  ({ n, pick }) => [
    'POST',
    `/questions/${1 + pick(SIZE.questions)}/answers`,
    { body: `answer ${n}`, anonymity: 1 },
  ],
  ({ pick }) => ['POST', `/user/question-answer/collections/${1 + pick(SIZE.questions)}`],
  ({ pick }) => ['DELETE', `/user/question-answer/collections/${1 + pick(SIZE.questions)}`],
  () => ['PATCH', '/user/notifications', { type: 'comment' }],
  ({ pick }) => ['DELETE', `/feeds/${SIZE.feeds + pick(200)}`],
]
const READS: ((pick: (most: number) => number, people: number[]) => string)[] = [
  () => '/feeds',
  () => '/feeds?type=hot',
  (pick) => `/feeds?limit=${1 + pick(20)}`,
  (pick, people) => `/feeds?type=users&user=${people[pick(PEOPLE)]}`,
  (pick) => `/feeds/${1 + pick(SIZE.feeds)}`,
  (pick) => `/feeds/${1 + pick(SIZE.feeds)}/comments`,
  (pick) => `/feeds/${1 + pick(SIZE.feeds)}/likes`,
  () => '/feed/topics',
  (pick) => `/feed/topics/${1 + pick(SIZE.topics)}`,
  (pick) => `/feed/topics/${1 + pick(SIZE.topics)}/feeds`,
  (pick, people) => `/users/${people[pick(PEOPLE)]}`,
  (pick, people) => `/users/${people[pick(PEOPLE)]}/followers`,
  () => '/user/latests',
  () => '/music/songs',
  (pick) => `/music/${1 + pick(SIZE.songs)}/comments`,
  () => '/news',
  (pick) => `/news/${1 + pick(SIZE.news)}`,
  () => '/questions?type=all',
  (pick) => `/questions/${1 + pick(SIZE.questions)}/answers`,
  () => '/user/question-answer/collections',
  () => '/user/notifications?type=comment',
  () => '/user/notifications?type=like',
  () => '/user/notification-statistics',
  () => '/groups',
  () => '/tags',
]

const dataDir = await mkdtemp(join(tmpdir(), 'kith-mixed-'))
const database = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: () => {} })
const sql = openDatabase({ connection: database.connection, poolSize: 2, statementTimeoutMs: 0 })
await migrate(sql)
await migrateJobs(database.connection)
await seedAbilities(sql)
await fill(sql, SIZE)
const people: number[] = []
const tokens: string[] = []
for (let n = 0; n < PEOPLE; n += 1) {
  const id = await createUser(sql, { name: `mixed ${n}`, password: null, roles: ['owner'] })
  people.push(id)
  tokens.push((await issueToken(sql, id)).access_token)
}
await sql.end()
await database.stop()

const [port, metricsPort] = [await findFreePort(), await findFreePort()]
const server = spawn(process.execPath, ['src/main.ts'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    ...{ DATA_DIR: dataDir, PORT: String(port), METRICS_PORT: String(metricsPort), PROCESSES: '1' },
    ...{ KEPT_PAGES_VERIFY: 'true', LOG_LEVEL: 'error' },
    ...{ RATE_LIMIT_ANONYMOUS: '0', RATE_LIMIT_USER: '0', RATE_LIMIT_SENSITIVE: '0' },
  },
})
process.on('exit', () => server.kill('SIGTERM'))
await waitForAnswer(`http://127.0.0.1:${port}/health/ready`)

const random = randomOf(Number(options.seed))
const pick = (most: number) => Math.floor(random() * most)
const statuses = new Map<number, number>()
const until = Date.now() + Number(options.seconds) * 1000
let n = 0
async function drive(): Promise<void> {
  while (Date.now() < until) {
    n += 1
    const isWrite = random() < Number(options.writes)
    const who = isWrite || random() < 0.5 ? tokens[pick(PEOPLE)] : undefined
    const [method, path, body] = isWrite
      ? (WRITES[pick(WRITES.length)] as Write)({ n, pick, people })
      : ['GET', (READS[pick(READS.length)] as (typeof READS)[number])(pick, people)]
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
      method,
      headers: {
        ...(who ? { authorization: `Bearer ${who}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    await answer.arrayBuffer()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 500) console.error(`500: ${method} ${path}`)
  }
}
/** What the server has in memory, in megabytes: all of it, what is in use of the heap, and what lies beside it. */
async function printMemory(): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  const text = await answer.text()
  const read = (name: string) =>
    (Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0) / 1_048_576).toFixed(0)
  const passed = Number(options.seconds) - (until - Date.now()) / 1000
  console.log(
    `${passed.toFixed(0)} s, ${n} requests: ${read('process_resident_memory_bytes')} MB, heap ${read('nodejs_heap_size_used_bytes')} MB, beside it ${read('nodejs_external_memory_bytes')} MB`,
  )
}
const looks = setInterval(() => void printMemory(), Number(options.seconds) * 100)
await Promise.all(Array.from({ length: Number(options.connections) }, drive))
clearInterval(looks)
await printMemory()
const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
const events = [...metrics.matchAll(/http_kept_pages_total\{event="(\w+)"\} (\d+)/g)]
console.log(
  `seed ${options.seed}, ${n} requests: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
)
console.log(events.map(([, event, count]) => `${event} ${count}`).join(', '))
const ended = new Promise((resolve) => server.once('exit', resolve))
server.kill('SIGTERM')
await ended
await rm(dataDir, { recursive: true, force: true })
if (events.some(([, event]) => event === 'different') || statuses.has(500)) process.exitCode = 1
