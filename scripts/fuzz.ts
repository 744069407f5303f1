/**
 * Sends random input that fits the schemas to every operation: `npm run fuzz -- --seed N --requests N`
 * (docs/testing.md).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { requireRuntime } from '#platform/runtime.ts'
import { globalSetup, globalTeardown } from '#test/setup.ts'

requireRuntime()
const { values } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string', default: '20000' } },
})
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000) % 1_000_000)
const requests = Number(values.requests)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(requests) || requests < 1) {
  console.error('--seed and --requests are whole numbers.')
  process.exit(1)
}
console.log(`${requests} requests with --seed ${seed}`)
await globalSetup()
const run = spawn(process.execPath, [fileURLToPath(new URL('../test/fuzz/run.ts', import.meta.url))], {
  stdio: 'inherit',
  env: { ...process.env, KITH_FUZZ: JSON.stringify({ seed, requests }) },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal))
const [code] = await once(run, 'exit')
await globalTeardown()
process.exitCode = code ?? 1
