import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { acquireLock, isLocked } from './lock.ts'

const root = await mkdtemp(join(tmpdir(), 'kith-lock-'))
after(() => rm(root, { recursive: true, force: true }))

test('a lock is taken once, until it is given back', async () => {
  const path = join(root, 'once')
  assert.equal(await isLocked(path), false)
  const release = await acquireLock(path)
  assert.equal(await isLocked(path), true)
  await assert.rejects(acquireLock(path), new RegExp(`process ${process.pid}\\) uses the database`))
  await release()
  assert.equal(await isLocked(path), false)
  await (await acquireLock(path))()
})

test('of many that find a stale lock one gets it', async () => {
  const path = join(root, 'lock')
  for (let round = 0; round < 5; round++) {
    await writeFile(path, '{"pid": 1, "birth": "before the machine was born"}')
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(path)))
    const taken = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    assert.equal(taken.length, 1)
    // The others find the holder, or the stale one already gone.
    for (const result of results)
      if (result.status === 'rejected')
        assert.match(String(result.reason), /uses the database|keep taking it/)
    await taken[0]?.()
    await assert.rejects(stat(path), /ENOENT/)
  }
})
