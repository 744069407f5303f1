import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { advanceTime } from '#test/fixtures/clocks.ts'
import { removeAbandoned } from './abandoned.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-abandoned-'))
after(() => rm(folder, { recursive: true, force: true }))

const HOUR_MS = 3_600_000

async function folderWith(ages: Record<string, number>): Promise<string> {
  const path = await mkdtemp(join(folder, 'files-'))
  for (const [name, hours] of Object.entries(ages)) {
    await writeFile(join(path, name), 'half')
    const at = new Date(Date.now() - hours * HOUR_MS)
    await utimes(join(path, name), at, at)
  }
  return path
}

test('removes a file that has looked old for six hours', async (t) => {
  const path = await folderWith({ old: 25, future: -25, young: 23 })
  await removeAbandoned(path)
  await removeAbandoned(path)
  assert.deepEqual((await readdir(path)).sort(), ['future', 'old', 'young'])
  advanceTime(t, 6)
  await removeAbandoned(path)
  assert.deepEqual(await readdir(path), ['young'])
  await removeAbandoned(join(path, 'missing'))
})

test('keeps a fresh file when the clock is two days ahead for a minute', async (t) => {
  const path = await folderWith({ fresh: 0 })
  const real = Date.now
  for (const hours of [6, 12]) {
    t.mock.method(Date, 'now', () => real() + 48 * HOUR_MS)
    await removeAbandoned(path)
    t.mock.restoreAll()
    advanceTime(t, hours)
    await removeAbandoned(path)
  }
  assert.deepEqual(await readdir(path), ['fresh'])
})

test('keeps an old file that was written again', async (t) => {
  const path = await folderWith({ old: 25 })
  await removeAbandoned(path)
  const again = new Date(Date.now() - 24.5 * HOUR_MS)
  await utimes(join(path, 'old'), again, again)
  advanceTime(t, 6)
  await removeAbandoned(path)
  assert.deepEqual(await readdir(path), ['old'])
})
