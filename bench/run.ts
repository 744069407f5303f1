import { type ChildProcess, execFileSync, fork } from 'node:child_process'
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
import { captureStatements } from './capture.ts'
import { type Filled, fill } from './fill.ts'
import type { FloorTask } from './floor.ts'
import { drive, type Measured, processorTime, sumUp } from './measure.ts'
import { idAt, OPERATIONS, type Operation } from './operations.ts'
import { readOptions } from './options.ts'
import { peopleOf, type Ranges, rangesOf, readersOf, requestOf, takeBackFeeds } from './requests.ts'
import { startProgram } from './servers.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    size: { type: 'string', default: 'small' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    keep: { type: 'string' },
    processes: { type: 'string', default: '1' },
  },
})
const size = SIZES[options.size as keyof typeof SIZES]
if (!size) throw new Error(`--size must be one of ${Object.keys(SIZES).join(', ')}`)
const seconds = Number(options.seconds)
const connections = Number(options.connections)
const ROUNDS = 4
const operations = OPERATIONS.filter(({ name }) =>
  options.only.split(',').some((part) => name.includes(part)),
)

const dataDir = options.keep ?? (await mkdtemp(join(tmpdir(), 'kith-bench-')))
const children = new Set<ChildProcess>()
const endChildren = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.on('exit', endChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

try {
  await main()
} finally {
  for (const child of children) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  if (options.keep === undefined) await rm(dataDir, { recursive: true, force: true })
}

async function main() {
  const folder = join(dataDir, 'postgres')
  const database = await startEmbeddedPostgres({ dataDir: folder, log: () => {} })
  const { connection } = database
  const sql = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 0 })
  if ((await migrate(sql)).length > 0) {
    await migrateJobs(connection)
    await seedAbilities(sql)
  }
  const filled = await fillOnce(sql)
  const ranges = await rangesOf(sql, size)
  const readers = await readersOf(sql, ranges)
  await sql.end()
  await database.stop()
  for (const processes of options.processes.split(','))
    await measure(processes, { filled, ranges, readers, connection })
}

type Database = { filled: Filled; ranges: Ranges; readers: string[]; connection: FloorTask['connection'] }

async function measure(processes: string, { filled, ranges, readers, connection }: Database) {
  const folder = join(dataDir, 'postgres')
  const port = await findFreePort()
  const server = startProgram('src/main.ts', [], {
    env: {
      DATA_DIR: dataDir,
      PORT: String(port),
      PROCESSES: processes,
      WEB: 'off',
      LOG_LEVEL: 'info',
      RATE_LIMIT_USER: '1000000',
      RATE_LIMIT_ANONYMOUS: '1000000',
      RATE_LIMIT_PAGES: '1000000',
      RATE_LIMIT_FILES: '1000000',
      RATE_LIMIT_VARIANTS: '1000000',
    },
  })
  children.add(server)
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, server)
  const url = `http://127.0.0.1:${port}`
  const who = (operation: Operation) => {
    const request = requestOf(operation, ranges)
    const token = operation.isGuest ? '' : filled[operation.as ?? 'viewer'].token
    const isManys = operation.method === 'GET' && !operation.isGuest && !operation.as
    if (!isManys) return { token, request }
    return { token, request: (n: number) => ({ ...request(n), token: readers[n % readers.length] ?? token }) }
  }
  // Warms up the server, so that V8 has optimized the code before the measurement.
  for (const operation of operations.filter(({ method }) => method === 'GET'))
    await drive({ ...who(operation), url, method: operation.method, seconds: 2, connections })
  const databasePids = () => findDatabaseProcesses(join(folder, 'cluster'))

  console.log(
    `\n${options.size}: ${JSON.stringify(size)}, ${connections} connections, ${seconds} s each, ${processes} process${processes === '1' ? '' : 'es'}\n`,
  )
  console.log(
    '| operation | req/s | p50 ms | p99 ms | server µs | database µs | floor req/s | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|',
  )
  const micros = new Map<string, number>()
  for (const operation of operations) {
    const { measured, floor } = await compare(operation, {
      ...who(operation),
      url,
      ranges,
      connection,
      serverPids: [server.pid ?? 0, ...childrenOf(server.pid ?? 0)],
      databasePids,
    })
    micros.set(operation.name, measured.serverMicros + measured.databaseMicros)
    if (operation.method === 'POST' && operation.path === '/feeds') await takeBack(connection, ranges)
    const failures = measured.failures + floor.failures
    console.log(
      `| ${operation.name} | ${measured.perSecond.toFixed(0)} | ${measured.p50} | ${measured.p99} | ${measured.serverMicros.toFixed(0)} | ${measured.databaseMicros.toFixed(0)} | ${floor.perSecond.toFixed(0)} | ${(measured.perSecond / floor.perSecond).toFixed(2)} |${failures > 0 ? ` ${failures} failures!` : ''}`,
    )
  }
  for (const { name, against } of operations) {
    const [cost, other] = [micros.get(name), micros.get(against ?? '')]
    if (cost !== undefined && other !== undefined)
      console.log(`\n${name} costs ${(cost / other).toFixed(2)} times as much processor time as ${against}`)
  }
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await ended
  children.delete(server)
}

function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(parent)], { encoding: 'utf8' })
  return lines
    .split('\n')
    .filter((line) => line.includes('main.ts'))
    .map((line) => Number.parseInt(line, 10))
}

async function takeBack(connection: FloorTask['connection'], { feeds }: Ranges): Promise<void> {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 0 })
  await takeBackFeeds(sql, feeds.from + feeds.count - 1)
  await sql.end()
}

async function fillOnce(sql: Sql): Promise<Filled> {
  await sql`create table if not exists bench_people (people jsonb not null)`
  const [known] = await sql`select from bench_people`
  if (known) return peopleOf(sql)
  console.log('Filling the database')
  const filled = await fill(sql, size)
  await sql`insert into bench_people (people) values (${sql.json(filled)})`
  return filled
}

type Compared = Measured & { serverMicros: number; databaseMicros: number }

/**
 * Alternates requests to the server and to the bare server of floor.ts, so that other load affects both
 * equally.
 */
async function compare(
  operation: Operation,
  of: {
    url: string
    token: string
    request: (n: number) => { path: string; body?: string; token?: string }
    ranges: Ranges
    connection: FloorTask['connection']
    serverPids: number[]
    databasePids: () => number[]
  },
): Promise<{ measured: Compared; floor: Measured }> {
  const bare = await startFloor(operation, of)
  const load = { method: operation.method, token: of.token, connections }
  const driveServer = (time: number) => drive({ ...load, url: of.url, request: of.request, seconds: time })
  const driveBare = (time: number) =>
    drive({ ...load, url: bare.url, request: () => ({ path: '/' }), seconds: time })
  await driveServer(1)
  await driveBare(1)
  const rounds: Measured[] = []
  const floors: Measured[] = []
  const used = { server: 0, database: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = [processorTime(of.serverPids), processorTime(of.databasePids())] as const
    rounds.push(await driveServer(seconds / ROUNDS))
    used.server += processorTime(of.serverPids) - before[0]
    used.database += processorTime(of.databasePids()) - before[1]
    floors.push(await driveBare(seconds / ROUNDS))
  }
  await bare.stop()
  const measured = sumUp(rounds)
  const micros = {
    serverMicros: used.server / measured.requests,
    databaseMicros: used.database / measured.requests,
  }
  return { measured: { ...measured, ...micros }, floor: sumUp(floors) }
}

async function startFloor(
  operation: Operation,
  { connection, token, ranges }: { connection: FloorTask['connection']; token: string; ranges: Ranges },
) {
  const number = 987_654_321
  const range = operation.range ? ranges[operation.range] : { from: 0, count: Number.MAX_SAFE_INTEGER }
  const isRead = operation.method === 'GET'
  const varied = String(idAt(range, number, isRead))
  const sample = requestOf(operation, ranges)(number)
  const statements = await captureStatements(connection, dataDir, token, {
    method: operation.method,
    ...sample,
  })
  const floor = fork(new URL('./floor.ts', import.meta.url))
  children.add(floor)
  const { port } = await new Promise<{ port: number }>((resolve) => {
    floor.once('message', (message) => resolve(message as { port: number }))
    floor.send({ connection, statements, poolSize: 10, varied, range, isRead } satisfies FloorTask)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = new Promise((resolve) => floor.once('exit', resolve))
      floor.kill('SIGTERM')
      await ended
      children.delete(floor)
    },
  }
}
