/**
 * Runs the tests: all of them, or the files, folders and patterns given; of these `--name=` picks tests by their name.
 * The last line is `N passed, N failed`.
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
// The test processes and what they start inherit it: without it each of them compiles hundreds of files anew.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
// Servers that tests start build no console; those that show one say so.
process.env.CONSOLE ??= 'off'
const given = process.argv.slice(2)
const names = given.filter((argument) => argument.startsWith('--name=')).map((argument) => argument.slice(7))
const patterns = given.filter((argument) => !argument.startsWith('--'))
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** How long each file took when it was last run, in milliseconds. */
const DURATIONS = fileURLToPath(new URL('../node_modules/.cache/test-durations.json', import.meta.url))
const durations = readDurations()
/** A file that takes longer has a process of its own. */
const ALONE_MS = 20_000
const measured = new Map<string, number>()

const found = globSync(patterns.length > 0 ? patterns.map(widen) : ['src/**/*.test.ts', 'test/**/*.test.ts'])
  .map(normalize)
  .sort()
if (found.length === 0) {
  console.error('No test file matches.')
  process.exit(1)
}

let passed = 0
let failed = 0
const folder = await globalSetup()
const files = patterns.length > 0 ? found : await bundle(found)
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
// A run that names tests has not run the whole of any file.
if (names.length === 0) await keepDurations()
console.log(`${passed} passed, ${failed} failed`)
await stop(failed > 0 || passed === 0 ? 1 : 0)

/** A folder stands for the tests below it. */
function widen(pattern: string): string {
  return statSync(pattern, { throwIfNoEntry: false })?.isDirectory() ? join(pattern, '**/*.test.ts') : pattern
}

function readDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(DURATIONS, 'utf8'))
  } catch {
    return {}
  }
}

/** What a file that was never run takes is guessed: those of test/ start servers of their own. */
function expected(file: string): number {
  return durations[file] ?? (file.startsWith('test') ? ALONE_MS : 1_000)
}

async function keepDurations(): Promise<void> {
  const kept = Object.entries({ ...durations, ...Object.fromEntries(measured) })
    .filter(([file]) => statSync(file, { throwIfNoEntry: false }))
    .map(([file, ms]) => [file, Math.round(ms)])
  await mkdir(dirname(DURATIONS), { recursive: true })
  await writeFile(DURATIONS, JSON.stringify(Object.fromEntries(kept), null, 1)).catch(() => {})
}

/** Where a file's tests belong: the files of a small folder share a process, which reads all the sources but once. */
function placeOf(file: string): string {
  const [top, area = '', module_ = ''] = file.split('/')
  if (top === 'test' || expected(file) > ALONE_MS) return file
  return area === 'modules' ? `${top}/${area}/${module_}` : `${top}/${area}`
}

/** Gathers files that may share a process: those of one place, and of several places while they are few. */
async function bundle(all: string[]): Promise<string[]> {
  const separate = all.filter((file) => placeOf(file) === file)
  const places = Object.entries(Object.groupBy(all, placeOf)).filter(([place]) => !separate.includes(place))
  const bundles: string[][] = []
  for (const [, files = []] of places) {
    const last = bundles.at(-1)
    if (last && last.length + files.length <= 8) last.push(...files)
    else bundles.push(files)
  }
  const written = await Promise.all(
    bundles.map(async (files, n) => {
      const path = join(folder, `${BUNDLE}${n}.mjs`)
      await writeFile(path, importing(files))
      return { path, ms: files.reduce((sum, file) => sum + expected(file), 0) }
    }),
  )
  // What takes longest begins first: then it is not what everything waits for at the end.
  return [...separate.map((path) => ({ path, ms: expected(path) })), ...written]
    .sort((a, b) => b.ms - a.ms)
    .map(({ path }) => path)
}
