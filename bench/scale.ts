import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedAbilities } from '#modules/abilities/index.ts'
import {
  findDatabaseProcesses,
  migrate,
  openDatabase,
  type Sql,
  startEmbeddedPostgres,
} from '#platform/database'
import { migrateJobs } from '#platform/jobs'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { fill } from './fill.ts'
import { processorTime } from './measure.ts'
import { readOptions } from './options.ts'
import { peopleOf, rangesOf } from './requests.ts'
import { startProgram } from './servers.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    size: { type: 'string', default: 'large' },
    keep: { type: 'string' },
    times: { type: 'string', default: '100' },
    fill: { type: 'boolean', default: false },
  },
})
const size = SIZES[options.size as keyof typeof SIZES]
if (!size) throw new Error(`--size must be one of ${Object.keys(SIZES).join(', ')}`)
const times = Number(options.times)
const dataDir = options.keep ?? (await mkdtemp(join(tmpdir(), 'kith-scale-')))
const FILLING = {
  ...{
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
  },
  ...{ max_wal_size: '4GB', maintenance_work_mem: '1GB', work_mem: '256MB', shared_buffers: '2GB' },
}

const folder = join(dataDir, 'postgres')
const started = performance.now()
const database = await startEmbeddedPostgres({ dataDir: folder, settings: FILLING, log: () => {} })
const sql = openDatabase({ connection: database.connection, poolSize: 2, statementTimeoutMs: 0 })
if ((await migrate(sql)).length > 0) {
  await migrateJobs(database.connection)
  await seedAbilities(sql)
}
console.log(`migrated in ${((performance.now() - started) / 1000).toFixed(1)} s`)
await sql`create table if not exists bench_people (people jsonb not null)`
const [known] = await sql`select from bench_people`
if (!known) await sql`insert into bench_people (people) values (${sql.json(await fill(sql, size))})`
const { viewer } = await peopleOf(sql)
const ranges = await rangesOf(sql, size)
await printSizes(sql)
await sql.end()
await database.stop()
if (!options.fill) await measure()
if (options.keep === undefined) await rm(dataDir, { recursive: true, force: true })

async function printSizes(db: Sql): Promise<void> {
  const tables = await db<{ name: string; rows: number; heap: number; indexes: number }[]>`
    select relname as name, reltuples::bigint as rows, (pg_table_size(oid) / 1048576)::bigint as heap,
      (pg_indexes_size(oid) / 1048576)::bigint as indexes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    order by pg_total_relation_size(oid) desc limit 12`
  const [{ total }] = await db<[{ total: number }]>`
    select (pg_database_size(current_database()) / 1048576)::bigint as total`
  console.log(`\n${options.size}: ${total} MB\n\n| table | rows | MB | MB of indexes |\n|---|--:|--:|--:|`)
  for (const { name, rows, heap, indexes } of tables)
    console.log(`| ${name} | ${rows} | ${heap} | ${indexes} |`)
}

async function measure(): Promise<void> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  const server = startProgram('src/main.ts', [], {
    env: {
      ...{
        DATA_DIR: dataDir,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        PROCESSES: '1',
        WEB: 'off',
      },
      ...{ LOG_LEVEL: 'error', RATE_LIMIT_USER: '1000000' },
    },
  })
  process.on('exit', () => server.kill('SIGTERM'))
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, server)
  const any = ({ from, count }: { from: number; count: number }) => from + Math.floor(Math.random() * count)
  const deep = () => any({ from: ranges.feeds.from + ranges.feeds.count / 10, count: ranges.feeds.count / 2 })
  const reads: Record<string, () => string> = {
    'GET /feeds?type=new': () => '/feeds?type=new',
    'GET /feeds?type=new, far back': () => `/feeds?type=new&after=${deep()}`,
    'GET /feeds?type=hot': () => '/feeds?type=hot',
    'GET /feeds?type=follow': () => '/feeds?type=follow',
    'GET /feeds?type=follow, far back': () => `/feeds?type=follow&after=${deep()}`,
    'GET /feeds?type=users&user={id}': () => `/feeds?type=users&user=${any(ranges.people)}`,
    'GET /feeds/{id}': () => `/feeds/${any(ranges.feeds)}`,
    'GET /feeds/{id}/comments': () => `/feeds/${any(ranges.feeds)}/comments`,
    'GET /feeds/{id}/likes': () => `/feeds/${any(ranges.feeds)}/likes`,
    'GET /feed/topics': () => '/feed/topics',
    'GET /feed/topics/{id}/feeds': () => `/feed/topics/${any(ranges.topics)}/feeds`,
    'GET /users/{id}': () => `/users/${any(ranges.people)}`,
    'GET /users/{id}/followers': () => `/users/${any(ranges.people)}/followers`,
    'GET /user/populars': () => '/user/populars',
    'GET /user/search?keyword=': () => `/user/search?keyword=person${any({ from: 1, count: size!.people })}`,
    'GET /questions/{id}/answers': () => `/questions/${any(ranges.questions)}/answers`,
    'GET /news': () => '/news',
    'GET /music/songs': () => '/music/songs',
    'GET /ranks/followers': () => '/ranks/followers',
    'GET /ranks/balance, uncached': () => '/ranks/balance',
    'GET /ranks/income, uncached': () => '/ranks/income',
    'GET /feeds/ranks?type=day, uncached': () => '/feeds/ranks?type=day',
    'GET /feeds/ranks?type=week, uncached': () => '/feeds/ranks?type=week',
    'GET /feeds/ranks?type=month, uncached': () => '/feeds/ranks?type=month',
    'GET /news/ranks?type=month, uncached': () => '/news/ranks?type=month',
    'GET /question-ranks/answers?type=month, uncached': () => '/question-ranks/answers?type=month',
    'POST /feeds/{id}/like': () => `/feeds/${any(ranges.feeds)}/like`,
    'POST /feeds': () => '/feeds',
  }
  const databasePids = () => findDatabaseProcesses(join(folder, 'cluster'))
  console.log(`\n| request | first ms | p50 ms | p95 ms | database µs |\n|---|--:|--:|--:|--:|`)
  let serial = Date.now() % 1_000_000_000
  for (const [name, path] of Object.entries(reads)) {
    const took: number[] = []
    // Measures only the first request of a ranking, because all further requests read the cache.
    const count = name.endsWith('uncached') ? 1 : times
    const failed = new Set<number>()
    const before = processorTime(databasePids())
    for (let n = 0; n < count; n += 1) {
      const begun = performance.now()
      serial += 1
      const isPost = name.startsWith('POST')
      const body =
        isPost && path() === '/feeds'
          ? { feed_content: 'A short note.', feed_from: 1, feed_mark: serial }
          : {}
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2${path()}`, {
        method: isPost ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${viewer.token}`,
          ...(isPost ? { 'content-type': 'application/json' } : {}),
        },
        ...(isPost ? { body: JSON.stringify(body) } : {}),
      })
      await answer.arrayBuffer()
      took.push(performance.now() - begun)
      if (!answer.ok) failed.add(answer.status)
    }
    const used = (processorTime(databasePids()) - before) / count
    const first = took[0] ?? 0
    took.sort((a, b) => a - b)
    const at = (share: number) => (took[Math.floor((took.length - 1) * share)] ?? 0).toFixed(1)
    console.log(
      `| ${name} | ${first.toFixed(0)} | ${at(0.5)} | ${at(0.95)} | ${used.toFixed(0)} |${failed.size > 0 ? ` failed: ${[...failed]}` : ''}`,
    )
  }
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await ended
}
