/**
 * Runs the tests: all of them, or the files and patterns given. Options that begin with `--` go to node. The last line
 * is `N passed, N failed`.
 */
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'
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
  'test/crash.test.ts',
  'test/explain.test.ts',
  'test/cli.test.ts',
  'test/start.test.ts',
  'src/modules/im/faults.test.ts',
  'test/docs-page.test.ts',
  'test/bad-input.test.ts',
]
const found = globSync(patterns.length > 0 ? patterns : ['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
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

/** Where a file's tests belong: the files of a small folder share a process, which reads all the sources but once. */
function placeOf(file: string): string {
  const [top, area = '', module_ = ''] = file.split('/')
  if (LONGEST.includes(file) || top === 'test') return file
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
  const paths = await Promise.all(
    bundles.map(async (files, n) => {
      const path = join(folder, `bundle-${n}.mjs`)
      const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})\n`)
      // Without the hook the tests of the first file might be over, and taken for all, before the second is read.
      await writeFile(
        path,
        `import { before } from 'node:test'
const { promise, resolve } = Promise.withResolvers()
before(() => promise)
try {
${imports.join('')}} finally {
  resolve()
}
`,
      )
      return path
    }),
  )
  const rank = (file: string) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length)
  return [...separate, ...paths].sort((a, b) => rank(a) - rank(b))
}
