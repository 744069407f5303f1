import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireRuntime } from '#platform/runtime.ts'
import { crashAgainAndAgain, openSite, randomOf } from '#test/fixtures/payments.ts'
import { killAll } from '#test/fixtures/sites.ts'
import { killWhileChatting } from './chat-fault.ts'
import { shiftClocks } from './clock-fault.ts'
import { fillDisk } from './disk-fault.ts'
import { runFaultTests } from './fault-tests.ts'
import { breakDatabase, breakMail, breakRedis, breakWebhooks } from './faults.ts'
import { killJobs } from './jobs-fault.ts'
import { shuffleNotices } from './notices-fault.ts'
import { readOptions } from './options.ts'
import { overload } from './overload.ts'
import { killWhilePaying } from './providers-fault.ts'
import { restoreDuringTraffic } from './restore-fault.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    kills: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const seed = Number(options.seed)
const minutes = Number(options.minutes)
if (!Number.isInteger(seed) || !(minutes > 0))
  throw new Error('--seed must be a whole number, and --minutes more than 0')
const kills = options.kills === undefined ? Math.max(1, Math.round(minutes * 5)) : Number(options.kills)
const MOST_JOB_KILLS = 8

const folder = await mkdtemp(join(tmpdir(), 'kith-torture-'))
await chmod(folder, 0o755)
process.on('exit', killAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

async function kill() {
  const site = await openSite(join(folder, 'kills'))
  let last = Date.now()
  const { crashes, payments } = await crashAgainAndAgain(site, {
    times: kills,
    random: randomOf(seed),
    onCrash() {
      if (Date.now() - last < 60_000) return
      last = Date.now()
      console.log('  kills are still running')
    },
  })
  const cut = payments.filter(({ wasCut }) => wasCut).length
  return `${crashes} kills, ${payments.length} payments, ${cut} cut off; each answered one was there, once, and the ledger balanced after each`
}

const PARTS: [string, () => Promise<string>][] = [
  ['kills', kill],
  ['chat', () => killWhileChatting(join(folder, 'chat'), seed, kills)],
  ['providers', () => killWhilePaying(join(folder, 'providers'), seed, kills)],
  ['notices', () => shuffleNotices(join(folder, 'notices'), seed)],
  ['restore', () => restoreDuringTraffic(join(folder, 'restore'), seed)],
  ['clock', () => shiftClocks(join(folder, 'clock'), seed)],
  ['overload', () => overload(join(folder, 'overload'), { seconds: minutes * 60, seed })],
  ['database', () => breakDatabase(join(folder, 'database'), seed)],
  ['redis', () => breakRedis(join(folder, 'redis'), seed)],
  ['mail', () => breakMail(join(folder, 'mail'), seed)],
  ['webhooks', () => breakWebhooks(join(folder, 'webhooks'), seed)],
  ['failover', () => runFaultTests('test/slow/databases/failover.slow.ts')],
  [
    'silence',
    () => runFaultTests('src/platform/database/listener.test.ts', 'src/platform/jobs/workers.test.ts'),
  ],
  ['standby', () => runFaultTests('test/slow/databases/standby.slow.ts')],
  [
    'signals',
    () =>
      runFaultTests(
        'src/platform/database/signals.test.ts',
        'test/slow/servers/stopped-after-commit.slow.ts',
      ),
  ],
  ['jobs', () => killJobs(join(folder, 'jobs'), seed, Math.min(kills, MOST_JOB_KILLS))],
  ['disk', () => fillDisk(join(folder, 'disk'), seed)],
]

console.log(`seed ${seed}, ${kills} kills, ${minutes} minutes of overload`)
let failed = 0
for (const [name, part] of PARTS.filter(([name]) => name.includes(options.only))) {
  try {
    console.log(`${name}: ${await part()}`)
  } catch (error) {
    failed += 1
    console.log(`${name}: FAILED`)
    console.error(error instanceof assert.AssertionError ? error.message : error)
    killAll()
  }
}
await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 }).catch(() => {})
console.log(failed === 0 ? 'all parts passed, no data was lost' : `${failed} parts failed`)
process.exit(failed === 0 ? 0 : 1)
