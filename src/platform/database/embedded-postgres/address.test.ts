import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findRunningPostgres } from '../embedded-postgres.ts'
import { prepareAddress, removeAddress } from './address.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-address-'))
after(() => rm(folder, { recursive: true, force: true }))
const self = { name: 'self', prefix: [], spawn: {}, owner: null }

test('reuses a temporary socket folder only while it is private', async () => {
  const deep = join(folder, 'deep'.repeat(30))
  await mkdir(deep)
  const first = await prepareAddress(deep, self)
  assert.equal(first.isTemporary, true)
  assert.equal((await prepareAddress(deep, self)).host, first.host)
  await chmod(first.host, 0o755)
  const other = await prepareAddress(deep, self)
  assert.notEqual(other.host, first.host)
  assert.equal((await stat(other.host)).mode & 0o777, 0o700)
  await removeAddress(deep, other)
  await assert.rejects(stat(other.host), { code: 'ENOENT' })
  await rm(first.host, { recursive: true })
})

test('finds no running database in a missing data directory', async () => {
  assert.equal(await findRunningPostgres(join(folder, 'nowhere')), null)
})

test('creates the socket folder in the data directory when its path is short enough', async () => {
  const near = await prepareAddress(folder, self)
  assert.equal(near.isTemporary, false)
  await removeAddress(folder, near)
  assert.ok((await stat(near.host)).isDirectory())
})
