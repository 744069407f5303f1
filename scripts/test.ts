/**
 * Runs the quick tests in the given files, folders and patterns, or all of them. Repeats failed files at the end, one
 * at a time.
 *
 *   --name=PATTERN  only tests with a matching title
 *   --once          does not repeat failed files
 *   --reverse       runs the files in reverse order
 *   --measure       writes the duration of each file to test/durations.json
 *   --slow          runs slow tests, all or of the given groups (folders of test/slow)
 *   --limit=S       kills a file that takes longer, 900 s by default
 *   --no-database   starts no database
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireRuntime } from '#platform/runtime.ts'
import { countSlots, planBundles, type Result, runBundles } from '#test/runner.ts'
import { globalSetup, globalTeardown } from '#test/setup.ts'

requireRuntime()
// Child processes share this compile cache. Otherwise each of them would compile hundreds of files.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
process.env.CONSOLE ??= 'off'
process.env.WEB ??= 'off'
const given = process.argv.slice(2)
const valuesOf = (option: string) =>
  given
    .filter((argument) => argument.startsWith(`--${option}=`))
    .map((argument) => argument.slice(option.length + 3))
const patterns = given.filter((argument) => !argument.startsWith('--'))
const OPTIONS = /^--(?:once|reverse|measure|slow|no-database|name=.+|limit=\d+(?:\.\d+)?)$/
const unknown = given.filter((argument) => argument.startsWith('--') && !OPTIONS.test(argument))
if (unknown.length > 0) {
  console.error(`Unknown option: ${unknown.join(' ')}. scripts/test.ts lists the options.`)
  process.exit(2)
}
const isSlow = given.includes('--slow')
const DURATIONS = fileURLToPath(new URL('../test/durations.json', import.meta.url))
const durations = JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<string, number>
const UNKNOWN_MS = 3_000
/**
 * Maximum number of failed files to repeat. With more failed files, the runner repeats none, because flaky
 * tests are not the cause.
 */
const REPEATED_MOST = 30

const files = findFiles()
if (files.length === 0) {
  console.error('No test file matches.')
  process.exit(1)
}
if (isSlow) {
  const args = [fileURLToPath(new URL('install-packages.mjs', import.meta.url)), ...patterns]
  execFileSync(process.execPath, args, { stdio: 'inherit' })
  const builder = fileURLToPath(new URL('build-packages.mjs', import.meta.url))
  execFileSync(process.execPath, [builder, 'console', 'web'], { stdio: 'inherit' })
}
const folder = await globalSetup({ database: !given.includes('--no-database') })
const stop = async (code: number) => {
  await globalTeardown()
  process.exit(code)
}
process.on('SIGINT', () => void stop(130))
process.on('SIGTERM', () => void stop(143))

const slots = countSlots()
const options = {
  folder,
  concurrency: slots,
  limitMs: 1000 * Number(valuesOf('limit')[0] ?? 900),
  namePatterns: valuesOf('name'),
}
// Slow tests share no process, because they compare the state of their servers. Tests that freeze
// machines or build images run alone.
const [alone, others] = isSlow ? [files.filter(isAlone), files.filter((file) => !isAlone(file))] : [[], files]
// With a title pattern, node:test never finishes the second file of a process.
const bundles =
  isSlow || options.namePatterns.length > 0
    ? others.toSorted((a, b) => expected(b) - expected(a)).map((file) => [file])
    : planBundles(others, expected, slots)
const ordered = given.includes('--reverse') ? bundles.toReversed().map((each) => each.toReversed()) : bundles
const results = await runBundles(ordered, options)
for (const file of alone)
  for (const [name, result] of await runBundles([[file]], { ...options, concurrency: 1 }))
    results.set(name, result)
const red = [...results].filter(([, { failures }]) => failures.length > 0)
const flaky: string[] = []
if (red.length > 0 && red.length <= REPEATED_MOST && !given.includes('--once')) {
  console.log(`\nRunning ${red.map(([file]) => file).join(', ')} once more, alone.`)
  for (const [file, first] of red) {
    const [again] = (await runBundles([[file]], { ...options, concurrency: 1 })).values()
    if (!again) continue
    results.set(file, again)
    if (again.failures.length > 0) continue
    for (const { title, error } of first.failures) flaky.push(`flaky: ${file}: ${title}\n${indent(error)}`)
  }
}
if (given.includes('--measure')) keepDurations(results)
if (isSlow) printGroups()
for (const each of flaky) console.log(each)
const passed = sum([...results.values()].map((result) => result.passed))
const failed = sum([...results.values()].map((result) => result.failures.length))
for (const [file, { failures }] of results)
  for (const { title } of failures) console.log(`failed: ${file}: ${title}`)
console.log(`${passed} passed, ${failed} failed`)
await stop(failed > 0 || passed === 0 ? 1 : 0)

function findFiles(): string[] {
  const chosen = isSlow
    ? (patterns.length > 0 ? patterns : ['*']).map((group) => `test/slow/${group}/*.slow.ts`)
    : patterns.length > 0
      ? patterns.map(widen)
      : ['{src,importers,demo,test}/**/*.test.ts']
  return [...new Set(globSync(chosen).map(normalize))].sort()
}

function isAlone(file: string): boolean {
  return /\/(patroni|container)\.slow\.ts$/.test(file)
}

function widen(pattern: string): string {
  return statSync(pattern, { throwIfNoEntry: false })?.isDirectory() ? join(pattern, '**/*.test.ts') : pattern
}

function expected(file: string): number {
  return durations[file] ?? UNKNOWN_MS
}

function keepDurations(measured: Map<string, Result>): void {
  const kept = { ...durations, ...Object.fromEntries([...measured].map(([file, { ms }]) => [file, ms])) }
  const lines = Object.entries(kept)
    .filter(([file]) => statSync(file, { throwIfNoEntry: false }))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, ms]) => [file, Math.ceil(ms / 100) * 100])
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`)
}

function printGroups(): void {
  const groups = Object.groupBy([...results], ([file]) => basename(dirname(file)))
  for (const [group, all = []] of Object.entries(groups)) {
    const [tests, ms] = [sum(all.map(([, { passed }]) => passed)), sum(all.map(([, { ms }]) => ms))]
    console.log(`${group}: ${tests} passed, ${Math.round(ms / 1000)} s`)
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
