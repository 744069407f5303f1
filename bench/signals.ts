/** `node bench/signals.ts` prints the processor time per signal for two, four and eight processes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  createSignals,
  openDatabase,
  sendSignal,
  startEmbeddedPostgres,
  transaction,
} from '#platform/database'
import { requireRuntime } from '#platform/runtime.ts'
import { processorTime } from './measure.ts'
import { readOptions } from './options.ts'

requireRuntime()
const SIGNALS = 3_000
const TICK_MS = 10
const PER_TICK = 5

type Task = {
  connection: Parameters<typeof openDatabase>[0]['connection']
  slot: number
}

async function send({ connection, slot }: Task): Promise<void> {
  const sql = openDatabase({ connection, poolSize: 4, statementTimeoutMs: 10_000 })
  let heard = 0
  const signals = createSignals(sql)
  signals.on('bench', () => {
    heard += 1
  })
  await signals.listen()
  await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.2)`))
  process.send?.('ready')
  await once(process, 'message')
  for (let sent = 0; sent < SIGNALS; sent += PER_TICK) {
    await Promise.all(
      Array.from({ length: PER_TICK }, (_, n) =>
        transaction(sql, async (tx) => {
          await tx`update rows set n = n + 1 where id = ${slot * PER_TICK + n}`
          sendSignal(tx, 'bench', `${slot}-${sent + n}`)
        }),
      ),
    )
    await pause(TICK_MS)
  }
  await pause(500)
  process.send?.({ heard, cpu: process.cpuUsage() })
  await once(process, 'message')
  await signals.close()
  await sql.end()
  process.disconnect?.()
}

async function measure(processes: number) {
  const folder = await mkdtemp(join(tmpdir(), 'kith-signals-'))
  const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: () => {} })
  const sql = openDatabase({ connection: database.connection, poolSize: 1, statementTimeoutMs: 10_000 })
  await sql`create table rows (id int primary key, n int not null)`
  await sql`insert into rows select id, 0 from generate_series(0, 100) as id`
  const backends = async () =>
    (
      await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    ).map(({ pid }) => pid)
  const children = Array.from({ length: processes }, (_, slot) => {
    const child = fork(fileURLToPath(import.meta.url))
    child.send({ connection: database.connection, slot } satisfies Task)
    return child
  })
  await Promise.all(children.map((child) => once(child, 'message')))
  await pause(500)
  const pids = await backends()
  const before = processorTime(pids)
  const started = performance.now()
  const results = Promise.all(children.map((child) => once(child, 'message')))
  for (const child of children) child.send('go')
  const told = (await results).map(([result]) => result as { heard: number; cpu: NodeJS.CpuUsage })
  const elapsed = performance.now() - started - 500
  const inDatabase = processorTime(pids) - before
  for (const child of children) child.send('end')
  await Promise.all(children.map((child) => once(child, 'exit')))
  await sql.end()
  await database.stop()
  await rm(folder, { recursive: true, force: true })
  const all = SIGNALS * processes
  const inServers = told.reduce((sum, { cpu }) => sum + cpu.user + cpu.system, 0)
  return {
    processes,
    'signals/s': Math.round((all * 1000) / elapsed),
    delivered: `${((100 * told.reduce((sum, { heard }) => sum + heard, 0)) / (all * processes)).toFixed(1)} %`,
    'database µs': Math.round(inDatabase / all),
    'servers µs': Math.round(inServers / all),
  }
}

if (!process.send) readOptions({ options: {} })
if (process.send) {
  const [task] = await once(process, 'message')
  await send(task as Task)
} else {
  const rows = []
  for (const processes of [2, 2, 4, 4, 8, 8]) rows.push(await measure(processes))
  console.table(rows)
}
