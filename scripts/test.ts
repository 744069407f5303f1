/**
 * Runs the tests: all of them, or the given files, folders and patterns. `--name=` selects tests by name, and
 * `--bundle` groups given files into processes like a whole run does. The last line is `N passed, N failed`.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { requireRuntime } from '#platform/runtime.ts'
import { importing } from '#test/bundle.ts'
import { BUNDLE, globalSetup, globalTeardown, watchProcesses } from '#test/setup.ts'

requireRuntime()
// Child processes inherit it. Without it each of them compiles hundreds of files again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
// Test servers build no console and no site, unless a test turns them on.
process.env.CONSOLE ??= 'off'
process.env.WEB ??= 'off'
const given = process.argv.slice(2)
const names = given.filter((argument) => argument.startsWith('--name=')).map((argument) => argument.slice(7))
const patterns = given.filter((argument) => !argument.startsWith('--'))
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Duration of each file's last run, in milliseconds. */
const DURATIONS = fileURLToPath(new URL('../node_modules/.cache/test-durations.json', import.meta.url))
/** Durations of the long files, for a checkout that has not run the tests, such as in CI. */
const LONG_FILES = fileURLToPath(new URL('../test/durations.json', import.meta.url))
const durations = readDurations()
/** A longer file has its own process. */
const ALONE_MS = 20_000
/** A longer file of test/ has its own process. Most of these start servers and compare what the process holds. */
const ALONE_IN_TEST_MS = 4_000
/** Files of a bundle, unless its folder has more. Each keeps a pool of connections until its process ends. */
const BUNDLED_MOST = 24
const measured = new Map<string, number>()

const found = globSync(patterns.length > 0 ? patterns.map(widen) : ['{src,importers,demo,test}/**/*.test.ts'])
  .map(normalize)
  .sort()
if (found.length === 0) {
  console.error('No test file matches.')
  process.exit(1)
}

let passed = 0
let failed = 0
const folder = await globalSetup()
const files = patterns.length > 0 && !given.includes('--bundle') ? found : await bundle(found)
const stop = async (code: number) => {
  await globalTeardown()
  process.exit(code)
}
process.on('SIGINT', () => void stop(130))
process.on('SIGTERM', () => void stop(143))

watchProcesses()
const events = run({
  files,
  concurrency: 4,
  timeout: 240_000,
  execArgv: ['--import', new URL('../test/watchdog.ts', import.meta.url).href],
  ...(names.length > 0 ? { testNamePatterns: names } : {}),
})
for (const kind of ['test:pass', 'test:fail'] as const)
  events.on(kind, ({ file, nesting, details }) => {
    if (file === undefined || nesting > 0) return
    const name = relative(ROOT, file)
    measured.set(name, (measured.get(name) ?? 0) + details.duration_ms)
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
// A run with `--name` did not run whole files.
if (names.length === 0) await keepDurations()
console.log(`${passed} passed, ${failed} failed`)
await stop(failed > 0 || passed === 0 ? 1 : 0)

/** A folder selects the tests below it. */
function widen(pattern: string): string {
  return statSync(pattern, { throwIfNoEntry: false })?.isDirectory() ? join(pattern, '**/*.test.ts') : pattern
}

/** Durations of former runs here, or of the long files where nothing has run yet. */
function readDurations(): Record<string, number> {
  const long = JSON.parse(readFileSync(LONG_FILES, 'utf8')) as Record<string, number>
  try {
    return { ...long, ...JSON.parse(readFileSync(DURATIONS, 'utf8')) }
  } catch {
    return long
  }
}

/** Estimates the duration of a file. One that has never run, and is not among the long ones, is short. */
function expected(file: string): number {
  return durations[file] ?? 1_000
}

async function keepDurations(): Promise<void> {
  const kept = Object.entries({ ...durations, ...Object.fromEntries(measured) })
    .filter(([file]) => statSync(file, { throwIfNoEntry: false }))
    .map(([file, ms]) => [file, Math.round(ms)])
  await mkdir(dirname(DURATIONS), { recursive: true })
  await writeFile(DURATIONS, JSON.stringify(Object.fromEntries(kept), null, 1)).catch(() => {})
}

/** Group of a file. Files of a small folder share a process, which compiles the sources once. */
function placeOf(file: string, at: number): string {
  const [top, area = '', module_ = ''] = file.split('/')
  if (expected(file) > (top === 'test' ? ALONE_IN_TEST_MS : ALONE_MS)) return file
  if (top === 'test') return `${top} ${at % 3}`
  return area === 'modules' ? `${top}/${area}/${module_}` : `${top}/${area}`
}

/** Groups files that may share a process: those of one place, or of several small ones. */
async function bundle(all: string[]): Promise<string[]> {
  const separate = all.filter((file, at) => placeOf(file, at) === file)
  const places = Object.entries(Object.groupBy(all, placeOf)).filter(([place]) => !separate.includes(place))
  const bundles: string[][] = []
  for (const [, files = []] of places) {
    const last = bundles.at(-1)
    if (last && last.length + files.length <= BUNDLED_MOST) last.push(...files)
    else bundles.push(files)
  }
  const written = await Promise.all(
    bundles.map(async (files, n) => {
      const path = join(folder, `${BUNDLE}${n}.mjs`)
      await writeFile(path, importing(files))
      return { path, ms: files.reduce((sum, file) => sum + expected(file), 0) }
    }),
  )
  // Starts the longest first, so that the run does not end with a wait for it.
  return [...separate.map((path) => ({ path, ms: expected(path) })), ...written]
    .sort((a, b) => b.ms - a.ms)
    .map(({ path }) => path)
}
