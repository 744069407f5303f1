import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import S3rver from 's3rver'
import { explainFault } from '#platform/health'
import { advanceTime } from '#test/fixtures/clocks.ts'
import { findFreePort } from '#test/servers.ts'
import { findBackupFault, testBackupPlace } from './check.ts'
import { openBackupPlace, removeOldBackups } from './place.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-places-'))
after(() => rm(folder, { recursive: true, force: true }))
const nothing = await findFreePort()
const S3 = {
  bucket: 'backups',
  region: 'auto',
  endpoint: `http://127.0.0.1:${nothing}`,
  forcePathStyle: true,
  accessKeyId: 'a',
  secretAccessKey: 'b',
}
const file = join(folder, 'a-file')
await writeFile(file, '')

test('creates a backup file that only its owner can read', async () => {
  const path = join(folder, 'left', 'again.backup')
  await mkdir(dirname(path), { mode: 0o755 })
  await writeFile(`${path}.part`, 'half of one', { mode: 0o644 })
  const size = await openBackupPlace(path, S3).write(
    (async function* () {
      // Checks the mode of the file before the first byte is written.
      assert.equal((await stat(`${path}.part`)).mode & 0o777, 0o600)
      yield Buffer.from('whole')
    })(),
  )
  assert.equal(size, 5)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal(await readFile(path, 'utf8'), 'whole')
})

test('reports why the backup destination is unusable', async () => {
  const faultOf = (backupTo?: string) => findBackupFault({ backupTo, s3: S3 })
  assert.equal(await faultOf(), undefined)
  assert.equal(await faultOf(join(folder, 'backups/of/kith')), undefined)
  for (const place of [file, join(file, 'backups')])
    assert.match(
      String(await faultOf(place)),
      /^BACKUP_TO: \S+ is a file, or its path contains one\. No backups are made/,
    )
  assert.match(
    String(await faultOf('s3://backups/kith')),
    /^BACKUP_TO: Nothing listens at \S+\. No backups are made/,
  )
  for (const unreadable of ['s3://no bucket/kith', 's3://backups/%zz'])
    assert.match(String(await faultOf(unreadable)), /^BACKUP_TO: .+\. No backups are made/)
  assert.equal(existsSync(join(folder, 'backups')), false)
})

test('names the missing bucket, the closed endpoint and the wrong key of a backup destination', async () => {
  const directory = join(folder, 's3')
  await mkdir(directory)
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'backups', configs: [] }],
  })
  const endpoint = `http://127.0.0.1:${(await server.run()).port}`
  try {
    const s3 = { ...S3, region: 'us-east-1', endpoint, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
    const place = { backupTo: 's3://backups/kith', s3 }
    assert.equal(await testBackupPlace(place), undefined)
    assert.deepEqual(await readdir(join(directory, 'backups')), [])
    for (const [change, english, chinese] of [
      [{ backupTo: 's3://none/kith' }, /has no bucket none\. .+ correct BACKUP_TO\.$/, /没有存储桶 none/],
      [{ s3: { ...s3, endpoint: S3.endpoint } }, /^Nothing listens at .+ S3_ENDPOINT\.$/, /没有服务在监听/],
      [{ s3: { ...s3, accessKeyId: 'wrong' } }, /does not know the key\. .+S3_ACCESS_KEY_ID/, /不接受该密钥/],
    ] as const) {
      const fault = (await testBackupPlace({ ...place, ...change })) ?? assert.fail('accepted')
      const { en, zh } = explainFault(fault)
      assert.match(en, english)
      assert.match(zh, chinese)
      assert.doesNotMatch(en + zh, /wrong/)
    }
  } finally {
    await server.close()
  }
})

test('writes and deletes a file to test the folder of backups', async () => {
  const place = await mkdtemp(join(folder, 'tested-'))
  assert.equal(await testBackupPlace({ backupTo: place, s3: S3 }), undefined)
  assert.deepEqual(await readdir(place), [])
  assert.equal((await testBackupPlace({ backupTo: file, s3: S3 }))?.code, 'disk_no_folder')
  // Linux lets no user create a file here.
  if (process.platform === 'linux')
    assert.match((await testBackupPlace({ backupTo: '/proc', s3: S3 }))?.message ?? '', /\/proc\b/)
})

test('never removes the backup of this run, also beside names of the future', async () => {
  const place = await mkdtemp(join(folder, 'kept-'))
  const nameOf = (day: string) => `kith-202601${day}T030000Z.backup`
  for (const day of ['01', '02', '03', '28', '29', '30']) await writeFile(join(place, nameOf(day)), '')
  assert.equal(await removeOldBackups(place, { keep: 2, latest: nameOf('03') }, S3), 1)
  const left = ['02', '03', '28', '29', '30'].map(nameOf)
  assert.deepEqual((await readdir(place)).sort(), left)
  assert.equal(await removeOldBackups(place, { keep: 1, latest: nameOf('03') }, S3), 1)
  assert.deepEqual((await readdir(place)).sort(), left.slice(1))
})

test('removes old drafts of killed scheduled backups, and no other files', async (t) => {
  const place = await mkdtemp(join(folder, 'drafts-'))
  const names = ['kith-20260101T030000Z.backup.part', 'kith-20260102T030000Z.backup.part', 'mine.backup.part']
  for (const name of names) await writeFile(join(place, name), '')
  const yesterday = Date.now() / 1000 - 90_000
  for (const name of [names[0], names[2]]) await utimes(join(place, String(name)), yesterday, yesterday)
  const tidy = () => removeOldBackups(place, { keep: 7, latest: 'kith-20260103T030000Z.backup' }, S3)
  await tidy()
  assert.deepEqual((await readdir(place)).sort(), names)
  advanceTime(t, 24)
  await tidy()
  assert.deepEqual((await readdir(place)).sort(), names.slice(1))
})
