/**
 * Removes or changes one guard, such as a check or a lock, at a time and runs the tests that cover the guard:
 * `npm run dev -- mutate` (docs/testing.md).
 */
import {
  chmodSync,
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDatabase } from '#platform/database'
import { requireRuntime } from '#platform/runtime.ts'
import { createDice, type Dice } from '#test/fixtures/dice.ts'
import { testsFor } from '#test/mutation/area.ts'
import { type Guard, guardsOf, without } from '#test/mutation/guards.ts'
import { type Ending, runTests } from '#test/mutation/trial.ts'
import { globalSetup, globalTeardown } from '#test/setup.ts'

requireRuntime()
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COPIED = [
  'src',
  'importers',
  'demo',
  'test',
  'migrations',
  'docs',
  'scripts',
  'bin',
  'console',
  'package.json',
  'openapi.json',
]
const PATIENCE_MS = 900_000
const TOGETHER = 6

type Survivor = Pick<Guard, 'file' | 'kind' | 'text'> & { piece?: string; reason: string }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    skip: { type: 'string', default: '0' },
    each: { type: 'string' },
    turns: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
  },
})
const patterns = positionals.length > 0 ? positionals : ['src/modules']
const sources = patterns
  .flatMap((pattern) =>
    globSync(
      statSync(join(ROOT, pattern), { throwIfNoEntry: false })?.isDirectory()
        ? `${pattern}/**/*.ts`
        : pattern,
      { cwd: ROOT },
    ),
  )
  .filter((file) => !file.endsWith('.test.ts'))
  .sort()
const all = sources
  .flatMap((file) => guardsOf(file, readFileSync(join(ROOT, file), 'utf8')))
  .filter(({ kind }) => values.kind.length === 0 || values.kind.includes(kind))
const guards = chosen()
const accepted = JSON.parse(readFileSync(join(ROOT, 'test/mutation-survivors.json'), 'utf8')) as Survivor[]
const isKnown = (guard: Guard, piece: string) =>
  accepted.some(
    (each) =>
      each.file === guard.file &&
      each.kind === guard.kind &&
      each.text === guard.text &&
      (each.piece ?? piece) === piece,
  )

console.log(`${all.length} guards in ${sources.length} files, ${guards.length} of them tried`)
if (values.list) {
  for (const { file, line, kind, text } of guards) console.log(`${file}:${line} ${kind}: ${text}`)
  process.exit(0)
}
if (guards.length === 0) process.exit(1)

const tally = new Map<string, { tried: number; noticed: number; accepted: number; untested: number }>()
let survivors = 0
const folder = mkdtempSync(join(tmpdir(), 'kith-mutate-'))
// When root runs the tests, their databases run as another OS user, who needs access to the copy.
chmodSync(folder, 0o755)
const usual = new Map<string, boolean>()
const tidyUp = async (code: number) => {
  await globalTeardown()
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    report()
    void tidyUp(130)
  })
for (const name of COPIED)
  cpSync(join(ROOT, name), join(folder, name), {
    recursive: true,
    filter: (path) => !/\bconsole[\\/](node_modules|dist)$/.test(path),
  })
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
await globalSetup()
const admin = openDatabase({
  connection: JSON.parse(process.env.KITH_TEST_DATABASE ?? '{}'),
  poolSize: 1,
  statementTimeoutMs: 60_000,
})
for (const [index, guard] of guards.entries()) {
  const since = performance.now()
  const outcome = await tryWithout(guard)
  const kept = tally.get(moduleOf(guard)) ?? { tried: 0, noticed: 0, accepted: 0, untested: 0 }
  kept.tried += 1
  const piece = readFileSync(join(folder, guard.file), 'utf8').slice(guard.start, guard.end)
  const isAccepted = outcome !== 'noticed' && isKnown(guard, piece)
  const seconds = Math.round((performance.now() - since) / 1000)
  // Prints each result at once, so that an interrupted run loses none.
  console.log(
    `${index + 1} of ${guards.length}, ${seconds} s: ${isAccepted ? 'accepted' : outcome} ` +
      `${guard.file}:${guard.line} ${guard.kind}: ${guard.text}`,
  )
  if (outcome === 'noticed') kept.noticed += 1
  else if (isAccepted) kept.accepted += 1
  else {
    survivors += 1
    if (outcome === 'untested') kept.untested += 1
    if (piece !== guard.text) console.log(`    ${piece}`)
  }
  tally.set(moduleOf(guard), kept)
}
report()
await tidyUp(survivors > 0 ? 1 : 0)

async function tryWithout(guard: Guard): Promise<'noticed' | 'survived' | 'untested'> {
  let isTested = false
  for (const files of batchFiles(testsFor(ROOT, guard.file, guard.kind))) {
    let ending = await runWithout(guard, files)
    if (ending !== 'green' && (await areGreen(files))) return 'noticed'
    if (ending !== 'green' && files.length > 1)
      for (const file of files) {
        if (!(await areGreen([file]))) continue
        ending = await runWithout(guard, [file])
        if (ending !== 'green') return 'noticed'
      }
    isTested ||= ending === 'green'
  }
  return isTested ? 'survived' : 'untested'
}

/** Splits the test files into batches. The nearest file runs first, because it detects most mutations. */
function batchFiles(files: string[]): string[][] {
  const [first, ...others] = files.filter((file) => usual.get(file) !== false)
  if (first === undefined) return []
  const turns = [[first]]
  for (let at = 0; at < others.length; at += TOGETHER) turns.push(others.slice(at, at + TOGETHER))
  return turns.slice(0, Number(values.turns))
}

async function runWithout(guard: Guard, files: string[]): Promise<Ending> {
  const path = join(folder, guard.file)
  const source = readFileSync(join(folder, guard.file), 'utf8')
  writeFileSync(path, without(source, guard))
  const ending = await runTests(folder, files, PATIENCE_MS)
  writeFileSync(path, source)
  await dropLeft()
  return ending
}

/** Returns whether the tests pass without mutations. Only then does their failure detect a mutation. */
async function areGreen(files: string[]): Promise<boolean> {
  const name = files.join(' ')
  const before = usual.get(name)
  if (before !== undefined) return before
  const ending = await runTests(folder, files, PATIENCE_MS)
  await dropLeft()
  usual.set(name, ending === 'green')
  if (ending !== 'green') console.log(`left out, being ${ending} with every guard in place: ${name}`)
  return ending === 'green'
}

async function dropLeft(): Promise<void> {
  const left = await admin<{ name: string }[]>`
    select datname as name from pg_database where datname ~ '^kith_[0-9a-f]{12}$'`
  for (const { name } of left)
    await admin.unsafe(`drop database if exists ${name} with (force)`).catch(() => {})
}

function moduleOf({ file }: Guard): string {
  return file.split('/').slice(0, 3).join('/')
}

function chosen(): Guard[] {
  const dice = createDice(Number(values.seed))
  if (values.sample !== undefined) return sampleOf(all, Number(values.sample), dice)
  if (values.each === undefined) return all
  const modules = Object.values(Object.groupBy(all, moduleOf))
  return modules.flatMap((guards = []) => sampleOf(guards, Number(values.each), dice))
}

function sampleOf(from: Guard[], number: number, dice: Dice): Guard[] {
  return from
    .map((guard) => ({ guard, at: dice.roll() }))
    .sort((one, other) => one.at - other.at)
    .slice(Number(values.skip), number)
    .map(({ guard }) => guard)
    .sort((one, other) => (moduleOf(one) < moduleOf(other) ? -1 : 1))
}

function report(): void {
  for (const [name, { tried, noticed, accepted: known, untested }] of tally)
    console.log(
      `${name}: ${tried} tried, ${noticed} noticed, ${tried - noticed - known} not, ${known} accepted` +
        (untested > 0 ? `, ${untested} of them without a test that runs` : ''),
    )
}
