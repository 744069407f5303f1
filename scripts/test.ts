/**
 * Runs the tests: all of them, or the files and patterns given. Options that begin with `--` go to node. The last line
 * is `N passed, N failed`.
 */
import { globSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { requireRuntime } from '#platform/runtime.ts'
import { globalSetup, globalTeardown, watchProcesses } from '#test/setup.ts'

requireRuntime()
// The test processes and what they start inherit it: without it each of them compiles hundreds of files anew.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
const given = process.argv.slice(2)
const names = given.filter((argument) => argument.startsWith('--name=')).map((argument) => argument.slice(7))
const patterns = given.filter((argument) => !argument.startsWith('--'))
/** These take longest: begun first, none of them is what everything waits for at the end. */
const LONGEST = [
  'test/explain.test.ts',
  'test/cli.test.ts',
  'test/start.test.ts',
  'test/docs-page.test.ts',
  'test/first-hour.test.ts',
  'src/modules/im/faults.test.ts',
]
const rank = (file: string) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length)
const files = globSync(patterns.length > 0 ? patterns : ['src/**/*.test.ts', 'test/**/*.test.ts']).sort(
  (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
)
if (files.length === 0) {
  console.error('No test file matches.')
  process.exit(1)
}

let passed = 0
let failed = 0
await globalSetup()
const stop = async (code: number) => {
  await globalTeardown()
  process.exit(code)
}
process.on('SIGINT', () => void stop(130))
process.on('SIGTERM', () => void stop(143))

watchProcesses()
const events = run({
  files,
  concurrency: 3,
  timeout: 240_000,
  execArgv: ['--import', new URL('../test/watchdog.ts', import.meta.url).href],
  ...(names.length > 0 ? { testNamePatterns: names } : {}),
})
events.on('test:pass', (event) => {
  if (event.details.type !== 'suite' && !event.skip) passed += 1
})
events.on('test:fail', (event) => {
  if (event.details.type !== 'suite') failed += 1
})
const report = events.compose(spec)
report.pipe(process.stdout)
await new Promise((resolve) => report.on('end', resolve))
console.log(`${passed} passed, ${failed} failed`)
await stop(failed > 0 || passed === 0 ? 1 : 0)
