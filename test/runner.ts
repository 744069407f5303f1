import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, freemem } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { END, importing } from '#test/bundle.ts'
import { findBirth, isAlive } from '#test/processes.ts'
import type { Running } from '#test/watchdog.ts'

export type Result = { passed: number; failures: { title: string; error: string }[]; ms: number }

export type RunOptions = {
  folder: string
  concurrency: number
  limitMs: number
  namePatterns: string[]
}

/** Two processes per processor, because one often waits, but at most eight. Each takes up to 600 MB. */
export const countSlots = () =>
  Math.max(1, Math.min(8, 2 * availableParallelism(), Math.floor(freemem() / 600e6)))

/** Expected time to load the sources before the first test of a process. */
const START_MS = 3_000

/**
 * Assigns each file, longest first, to the process with the least expected time. More processes than slots
 * compensate for wrong estimates.
 */
export function planBundles(
  files: readonly string[],
  expectedMs: (file: string) => number,
  slots: number,
): string[][] {
  const total = files.reduce((sum, file) => sum + expectedMs(file), 0)
  const count = Math.min(files.length, 3 * slots, Math.ceil(total / (5 * START_MS)))
  const bundles = Array.from({ length: count }, () => ({ files: [] as string[], ms: 0 }))
  for (const file of files.toSorted((a, b) => expectedMs(b) - expectedMs(a))) {
    const least = bundles.reduce((a, b) => (b.ms < a.ms ? b : a))
    least.files.push(file)
    least.ms += expectedMs(file)
  }
  return bundles.toSorted((a, b) => b.ms - a.ms).map((bundle) => bundle.files)
}

let bundlesWritten = 0

export async function runBundles(
  bundles: readonly string[][],
  { folder, concurrency, limitMs, namePatterns }: RunOptions,
): Promise<Map<string, Result>> {
  const paths: string[] = []
  for (const files of bundles) {
    const path = join(folder, `bundle-${bundlesWritten++}.mjs`)
    await writeFile(path, importing(files))
    paths.push(path)
  }
  const names = new Set(bundles.flat())
  const results = new Map<string, Result>()
  const killed = new Map<string, string>()
  const watch = setInterval(() => void killHanging(folder, limitMs, killed), Math.min(5_000, limitMs / 4))
  // Collects the results of one file, because the runner reports processes one after another.
  let open: Result = { passed: 0, failures: [], ms: 0 }
  const events = run({
    files: paths,
    concurrency,
    // Forces the exit, because a suite without a matching test runs no hooks that close its database.
    forceExit: namePatterns.length > 0,
    execArgv: ['--import', new URL('./watchdog.ts', import.meta.url).href],
    ...(namePatterns.length > 0 ? { testNamePatterns: namePatterns } : {}),
  })
  events.on('test:pass', ({ name, nesting, details, skip }) => {
    if (details.type === 'suite') {
      if (nesting === 0 && names.has(name)) close(name)
    } else if (!skip && !isEnd(name, nesting)) open.passed += 1
  })
  events.on('test:fail', ({ name, nesting, details }) => {
    // Ignores a parent test that fails only because of its subtests.
    const { cause, failureType } = details.error as { cause?: unknown; failureType?: string }
    if (failureType !== 'subtestsFailed' && !paths.includes(name) && !isEnd(name, nesting))
      open.failures.push({ title: name, error: describeError(cause ?? details.error) })
    if (nesting === 0 && details.type === 'suite' && names.has(name)) close(name)
  })
  events.on('test:diagnostic', ({ message }) => {
    const [, file = '', ms] = /^file (.*) took (\d+) ms$/.exec(message) ?? []
    const result = results.get(file)
    if (result) result.ms = Number(ms)
  })
  const report = events.compose(withoutEnds(paths)).compose(spec)
  report.pipe(process.stdout, { end: false })
  await new Promise((resolve) => report.on('end', resolve))
  clearInterval(watch)
  for (const file of names)
    if (!results.has(file))
      results.set(file, {
        passed: 0,
        failures: [{ title: killed.get(file) ?? 'its process ended before its tests', error: '' }],
        ms: 0,
      })
  return results

  function close(file: string) {
    results.set(file, open)
    open = { passed: 0, failures: [], ms: 0 }
  }
}

const isEnd = (name: string, nesting: number) => nesting === 0 && name.startsWith(END)

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.stack?.includes(error.message) ? error.stack : `${error.message}\n${error.stack ?? ''}`
}

type Reported = { type: string; data: { name?: string; nesting?: number; message?: string } }

/**
 * Removes the marker tests of bundles from the output. Removes the totals of the runner too, because they
 * include the marker tests.
 */
function withoutEnds(paths: readonly string[]): Transform {
  return new Transform({
    objectMode: true,
    transform({ type, data }: Reported, _encoding, callback) {
      const { name = '', nesting = 0, message = '' } = data
      const isHidden =
        isEnd(name, nesting) ||
        paths.includes(name) ||
        (type === 'test:diagnostic' && (nesting === 0 || message.startsWith('file ')))
      callback(null, isHidden ? undefined : { type, data })
    },
  })
}

async function killHanging(folder: string, limitMs: number, killed: Map<string, string>): Promise<void> {
  const processes = process.env.KITH_TEST_RUNNING ?? folder
  for (const pid of await readdir(processes).catch(() => [])) {
    const entry = join(processes, pid)
    const text = await readFile(entry, 'utf8').catch(() => '')
    if (text === '') continue
    const { birth, file, since, test } = JSON.parse(text) as Running
    if (Date.now() - since < limitMs) continue
    await rm(entry, { force: true })
    if (!isAlive(Number(pid)) || findBirth(Number(pid)) !== birth) continue
    const during = test === '' ? 'while it was loading' : `during "${test}"`
    killed.set(file, `killed after ${Math.round(limitMs / 1000)} s ${during}`)
    console.error(`Killed for running too long: ${file} ${during}`)
    process.kill(Number(pid), 'SIGKILL')
  }
}
