import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { acquireLock, isLocked } from './lock.ts'

const root = await mkdtemp(join(tmpdir(), 'kith-lock-'))
after(() => rm(root, { recursive: true, force: true }))

test('grants a lock once until it is released', async () => {
  const path = join(root, 'once')
  assert.equal(await isLocked(path), false)
  const release = await acquireLock(path)
  assert.equal(await isLocked(path), true)
  await assert.rejects(acquireLock(path), new RegExp(`process ${process.pid}\\) uses the database`))
  await release()
  assert.equal(await isLocked(path), false)
  await (await acquireLock(path))()
})

test('grants a stale lock to one of many', async () => {
  const path = join(root, 'lock')
  for (let round = 0; round < 5; round++) {
    await writeFile(path, '{"pid": 1, "birth": "before the machine was born"}')
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(path)))
    const taken = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    assert.equal(taken.length, 1)
    // The others find the new holder, or no stale lock.
    for (const result of results)
      if (result.status === 'rejected')
        assert.match(String(result.reason), /uses the database|keep taking it/)
    await taken[0]?.()
    await assert.rejects(stat(path), /ENOENT/)
  }
})
