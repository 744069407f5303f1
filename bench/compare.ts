import { requireRuntime } from '#platform/runtime.ts'
import { drive, type Measured, sumUp } from './measure.ts'
import { OPERATIONS } from './operations.ts'
import { readOptions } from './options.ts'
import { peopleOf, rangesOf, requestOf } from './requests.ts'
import { openSides, type Side, settingsOf } from './sides.ts'
import { SIZES } from './sizes.ts'

requireRuntime()
const { values: options, positionals } = readOptions(
  {
    allowPositionals: true,
    options: {
      size: { type: 'string', default: 'small' },
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '32' },
      keep: { type: 'string' },
      guest: { type: 'boolean', default: false },
      processes: { type: 'string', default: '1' },
      env: { type: 'string', multiple: true, default: [] },
      'against-env': { type: 'string', multiple: true, default: [] },
    },
  },
  'FOLDER',
)
const size = SIZES[options.size as keyof typeof SIZES]
if (!size) throw new Error(`--size must be one of ${Object.keys(SIZES).join(', ')}`)
const [against] = positionals
if (against === undefined) throw new Error('give the folder of the other checkout as an argument')
const ROUNDS = 4
const operations = OPERATIONS.filter(({ name }) =>
  options.only.split(',').some((part) => name.includes(part)),
)
const checkouts = await openSides({ size: options.size, keep: options.keep, against })

async function serve(side: Side) {
  const given = side === 'this' ? options.env : options['against-env']
  const serving = await checkouts.serve(side, {
    PROCESSES: options.processes,
    ...settingsOf(given),
  })
  const [people, ranges] = await serving.withDatabase(
    async (sql) => [await peopleOf(sql), await rangesOf(sql, size)] as const,
  )
  return { ...serving, people, ranges }
}

async function main() {
  await checkouts.prepare()
  const running = { other: await serve('other'), this: await serve('this') }
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
    for (const side of checkouts.sides) await driveOnce(side, operation, 2)
  console.log(
    `\n${options.size}, ${connections} connections, ${options.guest ? 'a guest' : 'signed in'}, ${options.processes} process${options.processes === '1' ? '' : 'es'}\n\n| operation | | req/s | p50 ms | p99 ms | server µs | database µs |\n|---|---|--:|--:|--:|--:|--:|`,
  )
  for (const operation of operations) {
    const rounds: Record<Side, Measured[]> = { other: [], this: [] }
    const used = { other: { server: 0, database: 0 }, this: { server: 0, database: 0 } }
    for (const side of checkouts.sides) await driveOnce(side, operation, 1)
    for (let round = 0; round < ROUNDS * 2; round += 1) {
      const side = round % 4 === 0 || round % 4 === 3 ? 'other' : 'this'
      const at = running[side]
      const before = [at.server(), at.database()] as const
      rounds[side].push(await driveOnce(side, operation, Number(options.seconds) / ROUNDS))
      used[side].server += at.server() - before[0]
      used[side].database += at.database() - before[1]
    }
    for (const side of checkouts.sides) {
      const { requests, perSecond, p50, p99, failures } = sumUp(rounds[side])
      const micros = (part: 'server' | 'database') => (used[side][part] / requests).toFixed(0)
      console.log(
        `| ${operation.name} | ${side} | ${perSecond.toFixed(0)} | ${p50} | ${p99} | ${micros('server')} | ${micros('database')} |${failures > 0 ? ` ${failures} failures!` : ''}`,
      )
    }
  }
}

try {
  await main()
} finally {
  await checkouts.close()
}
