import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findDatabaseProcesses, openDatabase, readPidFile, type Sql } from '#platform/database'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { childrenOf, processorTime } from './measure.ts'
import { startProgram } from './servers.ts'

export type Side = 'this' | 'other'

export type Serving = {
  url: string
  server: () => number
  database: () => number
  serverProcesses: () => number[]
  databaseProcesses: () => number[]
  withDatabase: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>
}

/** Returns the settings that `--env=NAME=VALUE` options name. */
export const settingsOf = (pairs: string[]): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))

/**
 * Serves this checkout and optionally the checkout in the folder `against`, each on a copy of one database.
 * `keep` names a folder that retains the databases for later runs.
 */
export async function openSides(options: {
  size: string
  keep?: string | undefined
  against?: string | undefined
}) {
  const folders = {
    this: fileURLToPath(new URL('..', import.meta.url)),
    other: resolve(options.against ?? '.'),
  }
  const dataDir = options.keep ?? (await mkdtemp(join(tmpdir(), 'kith-sides-')))
  const data = { other: join(dataDir, 'other'), this: join(dataDir, 'this') }
  const children = new Set<ChildProcess>()
  process.on('exit', () => {
    for (const child of children) child.kill('SIGTERM')
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

  const start = (side: Side, script: string, args: string[], env: Record<string, string>) => {
    const child = startProgram(script, args, {
      cwd: folders[side],
      env,
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const endOf = (child: ChildProcess) => new Promise((done) => child.once('exit', done))

  return {
    sides: options.against === undefined ? (['this'] as const) : (['other', 'this'] as const),

    /**
     * Fills the database with the checkout `against` if given, which must not be newer than this checkout. This
     * checkout can migrate its copy, but no migration can be reverted.
     */
    async prepare() {
      if (existsSync(data.this)) return
      const filling: Side = options.against === undefined ? 'this' : 'other'
      const args = [`--size=${options.size}`, `--keep=${data[filling]}`, '--only=nothing at all']
      const child = start(filling, 'bench/run.ts', args, {})
      await endOf(child)
      if (child.exitCode !== 0) throw new Error(`the database of ${folders[filling]} was not filled`)
      if (filling === 'this') return
      await cp(data.other, data.this, { recursive: true, preserveTimestamps: true })
    },

    async serve(side: Side, env: Record<string, string>): Promise<Serving> {
      const port = await findFreePort()
      const server = start(side, 'src/main.ts', [], {
        DATA_DIR: data[side],
        PORT: String(port),
        WEB: 'off',
        LOG_LEVEL: 'info',
        RATE_LIMIT_ANONYMOUS: '1000000',
        RATE_LIMIT_PAGES: '1000000',
        RATE_LIMIT_USER: '1000000',
        RATE_LIMIT_FILES: '1000000',
        RATE_LIMIT_VARIANTS: '1000000',
        ...env,
      })
      const url = `http://127.0.0.1:${port}`
      await waitForAnswer(`${url}/health/ready`, server)
      const postgres = join(data[side], 'postgres')
      // Reads PostgreSQL's own pid file, because Kith's lock file may differ in an older checkout.
      const running = await readPidFile(join(postgres, 'cluster'))
      if (!running) throw new Error(`no database in ${postgres}`)
      const connection = { host: running.socketFolder, port: running.port, user: 'kith', database: 'kith' }
      const serverProcesses = () => [server.pid ?? 0, ...childrenOf(server.pid ?? 0)]
      const databaseProcesses = () => findDatabaseProcesses(join(postgres, 'cluster'))
      return {
        url,
        server: () => processorTime(serverProcesses()),
        database: () => processorTime(databaseProcesses()),
        serverProcesses,
        databaseProcesses,
        async withDatabase(work) {
          const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 0 })
          try {
            return await work(sql)
          } finally {
            await sql.end()
          }
        },
      }
    },

    async close() {
      const running = [...children]
      const ended = running.filter(({ exitCode }) => exitCode === null).map(endOf)
      for (const child of running) child.kill('SIGTERM')
      await Promise.all(ended)
      if (options.keep === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
