import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { acquireLock, isLocked } from './lock.ts'

const root = await mkdtemp(join(tmpdir(), 'kith-lock-'))
after(() => rm(root, { recursive: true, force: true }))

async function holdElsewhere(path: string) {
  const program = `
    import { acquireLock } from ${JSON.stringify(import.meta.resolve('./lock.ts'))}
    globalThis.release = acquireLock(${JSON.stringify(path)})
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('rejects a second lock until the first is released', () => {
  const path = join(root, 'once')
  assert.equal(isLocked(path), false)
  const release = acquireLock(path)
  assert.equal(isLocked(path), true)
  assert.throws(() => acquireLock(path), new RegExp(`process ${process.pid}\\) already uses the database`))
  assert.equal(isLocked(path), true)
  release()
  assert.equal(isLocked(path), false)
  acquireLock(path)()
})

test('grants the lock at once when its holder was killed', async () => {
  const path = join(root, 'lock')
  const child = await holdElsewhere(path)
  try {
    assert.equal(isLocked(path), true)
    assert.throws(() => acquireLock(path), new RegExp(`process ${child.pid}\\) already uses the database`))
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  assert.equal(isLocked(path), false)
  acquireLock(path)()
})

test('fails when the folder of the lock is missing', () => {
  assert.throws(() => acquireLock(join(root, 'nowhere', 'lock')), { code: 'ENOENT', syscall: 'access' })
})
