import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { planBundles } from '#test/runner.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-runner-'))
after(() => rm(folder, { recursive: true, force: true }))

async function runFiles(texts: Record<string, string>, ...options: string[]) {
  const place = await mkdtemp(join(folder, 'files-'))
  for (const [name, text] of Object.entries(texts)) await writeFile(join(place, `${name}.test.mjs`), text)
  const files = Object.keys(texts).map((name) => join(place, `${name}.test.mjs`))
  // Removes a variable that would make the child process a test of this runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['scripts/test.ts', '--no-database', ...options, ...files]
  return new Promise<{ code: number; lines: string[]; place: string }>((resolve) =>
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), lines: `${stderr}${stdout}`.trim().split('\n'), place }),
    ),
  )
}

const IMPORTS = `import { after, test } from 'node:test'
import { existsSync, writeFileSync } from 'node:fs'
`
const GREEN = `${IMPORTS}test('passes', () => {})`
const FLAKY = `${IMPORTS}const mark = new URL('mark', import.meta.url)
test('passes in both runs', () => {})
test('fails in the first run', () => {
  if (existsSync(mark)) return
  writeFileSync(mark, '')
  throw new Error('not yet')
})`

test('reports a test that fails once as flaky', async () => {
  const { code, lines, place } = await runFiles({ green: GREEN, flaky: FLAKY })
  const at = lines.indexOf(`flaky: ${join(place, 'flaky.test.mjs')}: fails in the first run`)
  assert.ok(at > 0, lines.join('\n'))
  assert.match(lines[at + 1] ?? '', /not yet/)
  assert.equal(lines.at(-1), '3 passed, 0 failed')
  assert.equal(code, 0)
})

test('runs only the tests that match --name', async () => {
  const waiting = `${IMPORTS}const timer = setInterval(() => {}, 1000)
after(() => clearInterval(timer))
test('passes when selected by name', () => {})
test('fails unless skipped by name', () => { throw new Error('not chosen') })`
  const { code, lines } = await runFiles(
    { one: waiting, two: waiting, three: waiting },
    '--name=passes when selected by name',
  )
  assert.equal(lines.at(-1), '3 passed, 0 failed')
  assert.equal(code, 0)
})

test('rejects an unknown option', async () => {
  const { code, lines } = await runFiles({ green: GREEN }, '--bundle')
  assert.deepEqual([code, lines.length], [2, 1])
})

test('retries no test with --once', async () => {
  const { code, lines } = await runFiles({ flaky: FLAKY }, '--once')
  assert.equal(lines.at(-1), '1 passed, 1 failed')
  assert.equal(code, 1)
})

test('exits with code 1 when a test fails twice', async () => {
  const red = `${IMPORTS}test('fails in both runs', () => { throw new Error('always') })`
  const { code, lines, place } = await runFiles({ green: GREEN, red })
  assert.equal(lines.at(-2), `failed: ${join(place, 'red.test.mjs')}: fails in both runs`)
  assert.equal(lines.at(-1), '1 passed, 1 failed')
  assert.equal(code, 1)
})

test('kills a test file that hangs in a loop', async () => {
  const hangs = `${IMPORTS}test('passes before the loop', () => {})
test('loops forever', () => { for (;;) {} })`
  const { code, lines, place } = await runFiles({ hangs }, '--once', '--limit=2')
  assert.equal(
    lines.at(-2),
    `failed: ${join(place, 'hangs.test.mjs')}: killed after 2 s during "loops forever"`,
  )
  assert.equal(lines.at(-1), '0 passed, 1 failed')
  assert.equal(code, 1)
})

test('runs the other files of a process when one file throws', async () => {
  const throws = `${IMPORTS}throw new Error('cannot load')`
  const { code, lines } = await runFiles({ throws, green: GREEN, last: GREEN }, '--once')
  assert.equal(lines.at(-1), '2 passed, 1 failed')
  assert.equal(code, 1)
})

test('retries the files of a process that exits early', async () => {
  const exits = `${IMPORTS}const mark = new URL('mark', import.meta.url)
test('exits in the first run', () => {
  if (existsSync(mark)) return
  writeFileSync(mark, '')
  process.exit(3)
})`
  const { code, lines, place } = await runFiles({ exits, green: GREEN })
  assert.ok(
    lines.includes(`flaky: ${join(place, 'exits.test.mjs')}: its process ended before its tests`),
    lines.join('\n'),
  )
  assert.equal(lines.at(-1), '2 passed, 0 failed')
  assert.equal(code, 0)
})

test('runs the after hooks of a file before the next file', async () => {
  const first = `${IMPORTS}globalThis.isOpen = true
after(() => { globalThis.isOpen = false })
test('sets a global flag', () => {})`
  const second = `${IMPORTS}const isOpen = globalThis.isOpen
test('requires a flag that the after hook reset', () => { if (isOpen !== false) throw new Error('still open') })`
  const { lines } = await runFiles({ first, second }, '--once')
  assert.equal(lines.at(-1), '2 passed, 0 failed')
})

test('distributes files by expected duration', () => {
  const ms: Record<string, number> = { a: 40_000, b: 20_000, c: 15_000, d: 10_000, e: 5_000 }
  const plan = planBundles(Object.keys(ms), (file) => ms[file] ?? 0, 1)
  assert.deepEqual(plan, [['a'], ['b', 'e'], ['c', 'd']])
})
