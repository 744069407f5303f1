import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '#platform/database'
import { requireRuntime } from '#platform/runtime.ts'
import { newPicture } from '#test/fixtures/uploads.ts'
import { fillForMix, mixOf } from './mix.ts'
import { driveMix } from './mix-driver.ts'
import { readOptions } from './options.ts'
import { rangesOf } from './requests.ts'
import { openSides, type Serving } from './sides.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    minutes: { type: 'string', default: '30' },
    connections: { type: 'string', default: '8' },
    streams: { type: 'string', default: '50' },
    writes: { type: 'string', default: '0.1' },
    processes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
})
const SAMPLE_SECONDS = 30
/** Maximum memory growth factor from the middle third of the run to the last third. */
const MOST_GROWTH = 1.15
const EACH_MS = 1_000

type Sample = { [column: string]: number }
type Member = { token: string }

const sides = await openSides({ size: 'small' })
try {
  await main()
} finally {
  await sides.close()
}

async function main() {
  await sides.prepare()
  const serving = await sides.serve('this', { PROCESSES: options.processes })
  await serving.withDatabase(async (sql) => {
    const ranges = await rangesOf(sql, SIZES.small)
    const site = { ranges, ...(await fillForMix(sql, ranges)) }
    const draw = mixOf({ ...site, writes: Number(options.writes), guests: 0.4, seed: Number(options.seed) })
    const abort = new AbortController()
    const statuses = new Map<string, number>()
    const count = (what: string) => statuses.set(what, (statuses.get(what) ?? 0) + 1)
    const background = [
      keepStreams(serving.url, site.members, { signal: abort.signal, count }),
      keepUploading(serving.url, site.members, { signal: abort.signal, count }),
    ]
    const samples: Sample[] = []
    const end = performance.now() + Number(options.minutes) * 60_000
    while (performance.now() < end) {
      const seconds = Math.min(SAMPLE_SECONDS, (end - performance.now()) / 1000)
      const connections = Number(options.connections)
      const timed = await driveMix({ url: serving.url, draw, seconds, connections, rate: 0 })
      for (const { status } of timed) count(`request ${status}`)
      samples.push({ requests: timed.length, ...(await sample(serving, sql)) })
      console.log(JSON.stringify(samples.at(-1)))
    }
    abort.abort()
    await Promise.all(background)
    console.table(samples)
    console.table(Object.fromEntries([...statuses].sort()))
    const faults = [
      ...growthOf(samples),
      ...[...statuses.keys()]
        .filter((what) => /^request (0|50[0124])$/.test(what))
        .map((what) => `${what}: ${statuses.get(what)} requests failed`),
    ]
    for (const fault of faults) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  })
}

function megabytesOf(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/**
 * Samples each server process and the sum of all database processes. Counts only private memory of the database,
 * because VmRSS counts shared memory once per process.
 */
async function sample(serving: Serving, sql: Sql): Promise<Sample> {
  const [servers, database] = [serving.serverProcesses(), serving.databaseProcesses()]
  const sum = (pids: number[], of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0)
  const [{ connections }] = await sql<[{ connections: number }]>`
    select count(*) as connections from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`
  return {
    ...Object.fromEntries(
      servers.map((pid, n) => [`server ${n + 1} MB`, Math.round(megabytesOf(pid, 'VmRSS'))]),
    ),
    'database MB': Math.round(sum(database, (pid) => megabytesOf(pid, 'RssAnon'))),
    descriptors: sum(servers, descriptorsOf),
    'database descriptors': sum(database, descriptorsOf),
    connections: Number(connections),
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/**
 * Compares the last third of the samples with the middle third, because the server warms up during the first
 * third.
 */
function growthOf(samples: Sample[]): string[] {
  const third = Math.floor(samples.length / 3)
  if (third === 0) return ['the run was too short to compare']
  const columns = Object.keys(samples[0] ?? {})
  return columns.flatMap((column) => {
    const values = samples.map((each) => each[column] ?? 0)
    const [middle, last] = [values.slice(-2 * third, -third), values.slice(-third)]
    const grown = `${column} grew from ${median(middle)} to ${median(last)}`
    if (column.endsWith('MB')) return median(last) > median(middle) * MOST_GROWTH ? [grown] : []
    return column === 'connections' && median(last) > Math.max(...middle) ? [grown] : []
  })
}

type Background = { signal: AbortSignal; count: (what: string) => void }

async function repeat({ signal, count }: Background, name: string, once: (n: number) => Promise<unknown>) {
  for (let n = 0; !signal.aborted; n += 1) {
    await once(n).catch(() => {
      if (!signal.aborted) count(`${name} failed`)
    })
    await pause(EACH_MS, undefined, { signal }).catch(() => {})
  }
}

async function keepStreams(url: string, members: Member[], background: Background) {
  const open: AbortController[] = []
  const openOne = async (n: number) => {
    const stream = new AbortController()
    const { status, body } = await fetch(`${url}/api/v2/user/notifications/stream`, {
      headers: { authorization: `Bearer ${members[n % members.length]?.token}` },
      signal: AbortSignal.any([stream.signal, background.signal]),
    })
    background.count(`stream ${status}`)
    open.push(stream)
    void body?.pipeTo(new WritableStream()).catch(() => {})
  }
  for (let n = 0; n < Number(options.streams); n += 1) await openOne(n)
  await repeat(background, 'stream', async (n) => {
    open.shift()?.abort()
    await openOne(Number(options.streams) + n)
  })
}

function keepUploading(url: string, members: Member[], background: Background) {
  return repeat(background, 'upload', async (n) => {
    const { signal } = background
    const headers = { authorization: `Bearer ${members[n % members.length]?.token}` }
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(await newPicture(600, 400))]), 'picture.png')
    const sent = await fetch(`${url}/api/v2/files`, { method: 'POST', headers, body: form, signal })
    background.count(`upload ${sent.status}`)
    const { id } = (await sent.json()) as { id: number }
    const variant = await fetch(`${url}/api/v2/files/${id}?w=120&q=70`, { headers, signal })
    await variant.arrayBuffer()
    background.count(`variant ${variant.status}`)
  })
}
