/**
 * Sends requests with ids of earlier replies and invalid variants to every operation: `npm run dev -- fuzz --seed N
 * --requests N`, or input of increasing length: `npm run dev -- fuzz --lengths` (docs/testing.md).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { requireRuntime } from '#platform/runtime.ts'
import { globalSetup, globalTeardown } from '#test/setup.ts'

requireRuntime()
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    requests: { type: 'string', default: '20000' },
    lengths: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
})
const { lengths, all, only } = values
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000) % 1_000_000)
const requests = Number(values.requests)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(requests) || requests < 1) {
  console.error('--seed and --requests are whole numbers.')
  process.exit(1)
}
const CALL_MS = 20_000

function run(file: URL, options: object) {
  const child = spawn(process.execPath, [fileURLToPath(file)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, KITH_FUZZ: JSON.stringify({ seed, ...options }) },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return child
}

/** Measures inputs in one process, until a call exceeds its time. A new process continues after the killed one. */
async function measureLengths(): Promise<number> {
  const faulty: string[] = []
  for (let from = 0; ; ) {
    const child = run(new URL('../test/fuzz/lengths.ts', import.meta.url), { all, only, from })
    let limit: NodeJS.Timeout | undefined
    let isLate = false
    child.on('message', ({ index, call, fault }: { index?: number; call?: string; fault?: string }) => {
      clearTimeout(limit)
      if (fault) faulty.push(fault)
      if (call === undefined) return
      limit = setTimeout(() => {
        isLate = true
        faulty.push(`${call}: more than ${CALL_MS / 1000} s`)
        from = (index ?? from) + 1
        child.kill('SIGKILL')
      }, CALL_MS)
    })
    const [code] = await once(child, 'exit')
    clearTimeout(limit)
    if (isLate) continue
    for (const fault of faulty) console.log(fault)
    return faulty.length > 0 ? 1 : (code ?? 1)
  }
}

console.log(lengths ? `Lengths with --seed ${seed}` : `${requests} requests with --seed ${seed}`)
await globalSetup()
if (lengths) process.exitCode = await measureLengths()
else {
  const [code] = await once(run(new URL('../test/fuzz/run.ts', import.meta.url), { requests }), 'exit')
  process.exitCode = code ?? 1
}
await globalTeardown()
