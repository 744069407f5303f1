import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import S3rver from 's3rver'
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
    assert.match(String(await faultOf(place)), /^BACKUP_TO: \S+ cannot be written \(ENOTDIR\): /)
  assert.match(
    String(await faultOf('s3://backups/kith')),
    /^BACKUP_TO: s3:\/\/backups\/kith cannot be reached \(ECONNREFUSED\): /,
  )
  for (const unreadable of ['s3://no bucket/kith', 's3://backups/%zz'])
    assert.match(String(await faultOf(unreadable)), /^BACKUP_TO: .+ cannot be reached \(\w+\): /)
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
      [{ backupTo: 's3://none/kith' }, /The bucket does not exist\./, /存储桶不存在/],
      [{ s3: { ...s3, endpoint: S3.endpoint } }, /does not answer\. Check the host/, /没有响应/],
      [{ s3: { ...s3, accessKeyId: 'wrong' } }, /does not accept the key\./, /不接受该密钥/],
    ] as const) {
      const fault = await testBackupPlace({ ...place, ...change })
      assert.match(String(fault?.en), english)
      assert.match(String(fault?.zh), chinese)
      assert.doesNotMatch(JSON.stringify(fault), /wrong/)
    }
  } finally {
    await server.close()
  }
})

test('writes and deletes a file to test the folder of backups', async () => {
  const place = await mkdtemp(join(folder, 'tested-'))
  assert.equal(await testBackupPlace({ backupTo: place, s3: S3 }), undefined)
  assert.deepEqual(await readdir(place), [])
  const fault = await testBackupPlace({ backupTo: file, s3: S3 })
  assert.match(String(fault?.en), /cannot be written \(ENOTDIR\): A part of the path is a file\./)
  // Linux lets no user create a file here.
  if (process.platform === 'linux')
    assert.match(
      String((await testBackupPlace({ backupTo: '/proc', s3: S3 }))?.en),
      /^BACKUP_TO: \/proc cannot be written/,
    )
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
