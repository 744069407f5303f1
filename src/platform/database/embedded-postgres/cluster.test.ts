import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLibraryLinks, prepareBinaries } from './binaries.ts'
import { createCluster } from './cluster.ts'

const root = await mkdtemp(join(tmpdir(), 'kith-cluster-'))
after(() => rm(root, { recursive: true, force: true }))

test('leaves no cluster after a failed attempt to create one', async () => {
  const cluster = join(root, 'cluster')
  const create = () =>
    createCluster(
      { native: root, initdb: process.execPath, postgres: '' },
      { name: 'self', prefix: [], spawn: {}, owner: null },
      { cluster, sync: false },
    )
  // Node.js runs in place of initdb here, and rejects the options of initdb.
  await assert.rejects(create(), /could not create its cluster:\n.*bad option/s)
  await assert.rejects(stat(cluster), { code: 'ENOENT' })
  await mkdir(cluster)
  await writeFile(join(cluster, 'PG_VERSION'), '17')
  assert.equal(await create(), false)
})

test('suggests WSL or DATABASE_URL on Windows', async () => {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'win32' })
  try {
    await assert.rejects(prepareBinaries(), /use WSL, or set DATABASE_URL/)
  } finally {
    Object.defineProperty(process, 'platform', { value: platform })
  }
})

test('creates missing links to libraries when two calls run at once', async () => {
  const native = join(root, 'native')
  await mkdir(join(native, 'lib'), { recursive: true })
  await writeFile(join(native, 'lib', 'liba.so.1.2'), 'a')
  const links = ['liba.so', 'liba.so.1'].map((name) => ({
    source: 'native/lib/liba.so.1.2',
    target: `native/lib/${name}`,
  }))
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  await symlink('liba.so.1.2', join(native, 'lib', 'liba.so'))
  await Promise.all([createLibraryLinks(native), createLibraryLinks(native)])
  assert.equal(await readFile(join(native, 'lib', 'liba.so.1'), 'utf8'), 'a')

  const blocked = [{ source: 'native/lib/liba.so.1.2', target: 'native/pg-symlinks.json/liba.so' }]
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(blocked))
  await assert.rejects(createLibraryLinks(native), /cannot be created.*DATABASE_URL/s)
})
