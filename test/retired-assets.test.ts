import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

/** The script is plain JavaScript, so it has no types. */
const script = '../scripts/build-packages.mjs'
const { keepRetired } = (await import(script)) as {
  keepRetired(old: string, fresh: string, now: number): void
}
const DAY_MS = 86_400_000

function folders() {
  const root = mkdtempSync(join(tmpdir(), 'kith-retired-'))
  after(() => rmSync(root, { recursive: true, force: true }))
  const [built, fresh] = [join(root, 'dist'), join(root, 'fresh')]
  const has = (name: string) => existsSync(join(built, 'assets', name))
  /** Builds the files of `names` on a day, as `npm run dev -- web` does. */
  const build = (day: number, ...names: string[]) => {
    mkdirSync(join(fresh, 'assets'), { recursive: true })
    for (const name of names) writeFileSync(join(fresh, 'assets', name), name)
    keepRetired(built, fresh, day * DAY_MS)
    rmSync(built, { recursive: true, force: true })
    renameSync(fresh, built)
  }
  return { built, has, build }
}

test('keeps files of earlier builds for a week after they left the build', () => {
  const { built, has, build } = folders()
  build(0, 'shared.js', 'one.js')
  // The week begins when the file leaves the build, not when it was built.
  build(100, 'shared.js', 'two.js')
  assert.equal(readFileSync(join(built, 'assets', 'one.js'), 'utf8'), 'one.js')
  build(106, 'shared.js', 'three.js')
  assert.deepEqual([has('one.js'), has('two.js'), has('three.js')], [true, true, true])
  build(108, 'shared.js', 'four.js')
  assert.deepEqual([has('one.js'), has('two.js'), has('three.js')], [false, true, true])
  assert.ok(has('shared.js'))
})

test('forgets that a file left the build when a later build has it again', () => {
  const { has, build } = folders()
  build(0, 'one.js')
  build(1, 'two.js')
  build(5, 'one.js')
  build(9, 'two.js')
  assert.ok(has('one.js'))
  build(15, 'two.js', 'three.js')
  assert.ok(has('one.js'))
})
