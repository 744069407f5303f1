import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commitTree, PLATFORM, release } from '#test/fixtures/release.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-twice-'))
after(() => rm(folder, { recursive: true, force: true }))

test('makes equal files from one commit when run twice', async () => {
  const clone = join(folder, 'clone')
  await commitTree(clone)
  const made = []
  for (const out of ['first', 'second'].map((each) => join(folder, each))) {
    await release(clone, `--platforms=${PLATFORM}`, `--out=${out}`)
    made.push(readFileSync(join(out, 'SHA256SUMS'), 'utf8'))
  }
  const [first = '', second] = made
  assert.equal(second, first)
  assert.ok(first.trim().split('\n').length >= 7, first)
})
