import { requireRuntime } from '#platform/runtime.ts'
import { fillForMix, mixOf } from './mix.ts'
import { type Drawn, driveMix, type Timed } from './mix-driver.ts'
import { readOptions } from './options.ts'
import { rangesOf } from './requests.ts'
import { openSides, type Serving, type Side, settingsOf } from './sides.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    size: { type: 'string', default: 'small' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '16' },
    rate: { type: 'string', default: '0' },
    writes: { type: 'string', default: '0.05' },
    guests: { type: 'string', default: '0.4' },
    processes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    against: { type: 'string' },
    keep: { type: 'string' },
    env: { type: 'string', multiple: true, default: [] },
    'against-env': { type: 'string', multiple: true, default: [] },
  },
})
const size = SIZES[options.size as keyof typeof SIZES]
if (!size) throw new Error(`--size must be one of ${Object.keys(SIZES).join(', ')}`)
const ROUNDS = 4
const WARM_UP_SECONDS = 10

const checkouts = await openSides({ size: options.size, keep: options.keep, against: options.against })
try {
  await main()
} finally {
  await checkouts.close()
}

type Running = Serving & { draw: () => Drawn }
type Sums = {
  requests: number
  seconds: number
  server: number
  database: number
  wal: number
  timed: Timed[]
}

async function serve(side: Side): Promise<Running> {
  const given = side === 'this' ? options.env : options['against-env']
  const serving = await checkouts.serve(side, {
    PROCESSES: options.processes,
    ...settingsOf(given),
  })
  const site = await serving.withDatabase(async (sql) => {
    const ranges = await rangesOf(sql, size!)
    return { ranges, ...(await fillForMix(sql, ranges)) }
  })
  const draw = mixOf({
    ...site,
    writes: Number(options.writes),
    guests: Number(options.guests),
    seed: Number(options.seed),
    only: options.only,
  })
  return { ...serving, draw }
}

async function main() {
  await checkouts.prepare()
  const running = new Map<Side, Running>()
  for (const side of checkouts.sides) running.set(side, await serve(side))
  const drive = (side: Side, seconds: number) => {
    const { url, draw } = running.get(side)!
    return driveMix({
      url,
      draw,
      seconds,
      connections: Number(options.connections),
      rate: Number(options.rate),
    })
  }
  for (const side of checkouts.sides) await drive(side, WARM_UP_SECONDS)

  const sums = new Map<Side, Sums>(
    checkouts.sides.map((side) => [
      side,
      { requests: 0, seconds: 0, server: 0, database: 0, wal: 0, timed: [] },
    ]),
  )
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of round % 2 === 0 ? checkouts.sides : checkouts.sides.toReversed()) {
      const [at, sum] = [running.get(side)!, sums.get(side)!]
      const walBefore = await walOf(at)
      const before = [at.server(), at.database(), performance.now()] as const
      const timed = await drive(side, Number(options.seconds) / ROUNDS)
      sum.server += at.server() - before[0]
      sum.database += at.database() - before[1]
      sum.seconds += (performance.now() - before[2]) / 1000
      sum.wal += (await walOf(at)) - walBefore
      sum.requests += timed.length
      for (const each of timed) sum.timed.push(each)
    }
  print(sums)
}

/** Bytes of write-ahead log since the database was created. */
const walOf = ({ withDatabase }: Serving): Promise<number> =>
  withDatabase(async (sql) => {
    const [row] = await sql<
      [{ bytes: number }]
    >`select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`
    return row.bytes
  })

function percentile(sorted: number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0
}

function failuresOf(timed: Timed[]): string {
  const counts = new Map<number, number>()
  for (const { status } of timed)
    if (status < 200 || status >= 300) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${status} × ${count}`).join(', ') || '0'
}

function print(sums: Map<Side, Sums>) {
  const pace = options.rate === '0' ? `${options.connections} connections` : `${options.rate} requests/s`
  console.log(
    `\n${options.size}, ${pace}, ${Number(options.writes) * 100} % writes, ${Number(options.guests) * 100} % guests, ${options.processes} process(es)\n`,
  )
  console.log(
    '| | server µs | database µs | both | WAL bytes | req/s | p50 ms | p99 ms | failures |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|',
  )
  for (const [side, { requests, seconds, server, database, wal, timed }] of sums) {
    const times = timed.map(({ ms }) => ms).sort((a, b) => a - b)
    const micros = (used: number) => (used / requests).toFixed(0)
    console.log(
      `| ${side} | ${micros(server)} | ${micros(database)} | ${micros(server + database)} | ${(wal / requests).toFixed(0)} | ${(requests / seconds).toFixed(0)} | ${percentile(times, 0.5).toFixed(1)} | ${percentile(times, 0.99).toFixed(1)} | ${failuresOf(timed)} |`,
    )
  }
  const [other, own] = [sums.get('other'), sums.get('this')]
  if (other && own) {
    const cost = ({ server, database, requests }: Sums) => (server + database) / requests
    console.log(`\nthis / other: ${(cost(own) / cost(other)).toFixed(2)} of the processor time a request`)
  }
  console.log('\n| kind | | requests | p50 ms | p99 ms | failures |\n|---|---|--:|--:|--:|--:|')
  const kinds = new Set([...sums.values()].flatMap(({ timed }) => timed.map(({ kind }) => kind)))
  for (const kind of [...kinds].sort())
    for (const [side, { timed }] of sums) {
      const of = timed.filter((each) => each.kind === kind)
      const times = of.map(({ ms }) => ms).sort((a, b) => a - b)
      console.log(
        `| ${kind} | ${side} | ${of.length} | ${percentile(times, 0.5).toFixed(1)} | ${percentile(times, 0.99).toFixed(1)} | ${failuresOf(of)} |`,
      )
    }
}
