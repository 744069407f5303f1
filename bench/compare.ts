/** `npm run bench:compare -- OTHER`: this checkout beside another, driven in turns. See bench/README.md. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDatabase } from '#platform/database.ts'
import { findDatabaseProcesses } from '#platform/embedded-postgres/processes.ts'
import { findRunningPostgres } from '#platform/embedded-postgres/running.ts'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { childrenOf, drive, type Measured, processorTime, sumUp } from './measure.ts'
import { OPERATIONS } from './operations.ts'
import { peopleOf, rangesOf, requestOf } from './requests.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: 'small' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    keep: { type: 'string' },
    guest: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
  },
})
const size = SIZES[options.size as keyof typeof SIZES]
if (!size) throw new Error(`--size is one of ${Object.keys(SIZES).join(', ')}`)
const [other] = positionals
if (other === undefined) throw new Error('name the folder of the other checkout')
const SIDES = { other: resolve(other), this: fileURLToPath(new URL('..', import.meta.url)) }
type Side = keyof typeof SIDES
const ROUNDS = 4
const operations = OPERATIONS.filter(({ name }) =>
  options.only.split(',').some((part) => name.includes(part)),
)
const dataDir = options.keep ?? (await mkdtemp(join(tmpdir(), 'kith-compare-')))
const children = new Set<ChildProcess>()

const start = (folder: string, script: string, args: string[], env: Record<string, string>) => {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  children.add(child)
  return child
}
const endOf = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve))

/** The older checkout fills the database, and the other's copy is migrated by its own start. */
async function prepare() {
  const folders = { other: join(dataDir, 'other'), this: join(dataDir, 'this') }
  if (existsSync(folders.this)) return folders
  const args = [`--size=${options.size}`, `--keep=${folders.other}`, '--only=nothing at all']
  await endOf(start(SIDES.other, 'bench/run.ts', args, {}))
  await rm(folders.this, { recursive: true, force: true })
  await cp(folders.other, folders.this, { recursive: true, preserveTimestamps: true })
  return folders
}

async function serve(side: Side, folder: string) {
  const port = await findFreePort()
  const server = start(SIDES[side], 'src/main.ts', [], {
    DATA_DIR: folder,
    PORT: String(port),
    LOG_LEVEL: 'info',
    PROCESSES: options.processes,
    RATE_LIMIT_ANONYMOUS: '1000000',
    RATE_LIMIT_USER: '1000000',
    RATE_LIMIT_FILES: '1000000',
    RATE_LIMIT_VARIANTS: '1000000',
  })
  const url = `http://127.0.0.1:${port}`
  await waitForAnswer(`${url}/health/ready`)
  const postgres = join(folder, 'postgres')
  const connection = await findRunningPostgres(postgres)
  if (!connection) throw new Error(`no database in ${postgres}`)
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 0 })
  const [people, ranges] = [await peopleOf(sql), await rangesOf(sql, size)]
  await sql.end()
  return {
    url,
    people,
    ranges,
    // Those that serve are its children; the database is a child of another.
    server: () => processorTime([server.pid ?? 0, ...childrenOf(server.pid ?? 0)]),
    database: () => processorTime(findDatabaseProcesses(join(postgres, 'cluster'))),
  }
}

async function main() {
  const folders = await prepare()
  const running = { other: await serve('other', folders.other), this: await serve('this', folders.this) }
  const connections = Number(options.connections)
  const driveOnce = (side: Side, operation: (typeof OPERATIONS)[number], seconds: number) => {
    const { url, people, ranges } = running[side]
    return drive({
      url,
      method: operation.method,
      token: options.guest || operation.isGuest ? '' : people[operation.as ?? 'viewer'].token,
      seconds,
      connections,
      request: requestOf(operation, ranges),
    })
  }
  for (const operation of operations.filter(({ method }) => method === 'GET'))
    for (const side of ['other', 'this'] as const) await driveOnce(side, operation, 2)
  console.log(
    `\n${options.size}, ${connections} connections, ${options.guest ? 'a guest' : 'signed in'}, ${options.processes} process${options.processes === '1' ? '' : 'es'}\n\n| operation | | req/s | p50 ms | p99 ms | server µs | database µs |\n|---|---|--:|--:|--:|--:|--:|`,
  )
  for (const operation of operations) {
    const rounds: Record<Side, Measured[]> = { other: [], this: [] }
    const used = { other: { server: 0, database: 0 }, this: { server: 0, database: 0 } }
    for (const side of ['other', 'this'] as const) await driveOnce(side, operation, 1)
    for (let round = 0; round < ROUNDS * 2; round += 1) {
      const side = round % 4 === 0 || round % 4 === 3 ? 'other' : 'this'
      const at = running[side]
      const before = [at.server(), at.database()] as const
      rounds[side].push(await driveOnce(side, operation, Number(options.seconds) / ROUNDS))
      used[side].server += at.server() - before[0]
      used[side].database += at.database() - before[1]
    }
    for (const side of ['other', 'this'] as const) {
      const { requests, perSecond, p50, p99, failures } = sumUp(rounds[side])
      const micros = (part: 'server' | 'database') => (used[side][part] / requests).toFixed(0)
      console.log(
        `| ${operation.name} | ${side} | ${perSecond.toFixed(0)} | ${p50} | ${p99} | ${micros('server')} | ${micros('database')} |${failures > 0 ? ` ${failures} failures!` : ''}`,
      )
    }
  }
}

process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
try {
  await main()
} finally {
  for (const child of children) {
    if (child.exitCode !== null) continue
    const ended = endOf(child)
    child.kill('SIGTERM')
    await ended
  }
  if (options.keep === undefined) await rm(dataDir, { recursive: true, force: true })
}
