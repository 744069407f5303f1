import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { recordBackup } from '#backup/jobs.ts'
import { listBackups } from '#backup/place.ts'
import { tryBackup } from '#backup/trial.ts'
import { hashPassword } from '#modules/accounts/index.ts'
import { createWorld, type Person } from '#test/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-backups-'))
after(() => rm(folder, { recursive: true }))
const { app, as, ctx, person, sql, work } = await createWorld({ BACKUP_TO: folder })
const PASSWORD = 'the words of the founder'
const hash = await hashPassword(PASSWORD)

async function withPassword(roles: string[]): Promise<Person> {
  const made = await person({ roles })
  await sql`update users set password = ${hash} where id = ${made.id}`
  return made
}
const founder = await withPassword(['founder'])

const OLD = 'kith-20260301T033000Z.backup'
const NEW = 'kith-20260302T033000Z.backup'
const BYTES = Buffer.from('not a backup, but these bytes are downloaded')
await writeFile(join(folder, OLD), BYTES)
await writeFile(join(folder, NEW), BYTES.subarray(1))
await writeFile(join(folder, 'kith-20260303T033000Z.backup.part'), '')
await writeFile(join(folder, 'private.txt'), 'a file of the operator')

const list = async (reads = 'en') => {
  const { status, body } = await as(founder, 'GET', '/admin/backups', undefined, { 'accept-language': reads })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('lists backups with size, age, encryption and last check (administration-28)', async (t) => {
  await recordBackup(sql, { place: join(folder, NEW), bytes: 1, seconds: 1, encrypted: true })
  await tryBackup(sql, join(folder, OLD), async () => ({ code: 1, last: 'the backup is truncated.' }))
  await tryBackup(sql, join(folder, NEW), async () => ({ code: 1, last: 'a fault of an earlier check' }))
  await tryBackup(sql, join(folder, NEW), async () => ({ code: 0, last: 'No faults found.' }))
  const { data, ...head } = await list()
  assert.deepEqual(head, { place: folder, fault: null, encrypts: false, running: false })
  const seen = data.map(({ check, ...backup }: { check: Record<string, unknown> }) => ({
    ...backup,
    check: [check.state, check.fault, typeof check.checked_at],
  }))
  assert.deepEqual(seen, [
    {
      name: NEW,
      bytes: BYTES.length - 1,
      made_at: '2026-03-02 03:30:00',
      encrypted: true,
      check: ['good', null, 'string'],
    },
    {
      name: OLD,
      bytes: BYTES.length,
      made_at: '2026-03-01 03:30:00',
      encrypted: null,
      check: ['failed', 'the backup is truncated', 'string'],
    },
  ])
  assert.equal((await listBackups(folder, ctx.config.s3, 1)).length, 1)
  t.after(() => {
    ctx.config.backupTo = folder
  })
  ctx.config.backupTo = join(folder, 'private.txt')
  assert.match((await list()).fault, /is a file, or its path contains one/)
  assert.match((await list('zh')).fault, /是文件，或其路径包含文件/)
  ctx.config.backupTo = join(folder, 'none')
  assert.deepEqual((await list()).data, [])
  ctx.config.backupTo = undefined
  assert.deepEqual([(await list()).place, (await list()).data], [null, []])
})

test('checks a backup in a job, once at a time (administration-28)', async () => {
  for (const _ of [1, 2])
    assert.equal((await as(founder, 'POST', `/admin/backups/${OLD}/checks`)).status, 204)
  const stateOf = async () => {
    const { data } = await list()
    return data.find(({ name }: { name: string }) => name === OLD).check.state
  }
  assert.equal(await stateOf(), 'waiting')
  const jobs = await sql`
    select queue_name from graphile_worker.jobs where task_identifier = 'check_backup_file'`
  assert.deepEqual(jobs.map(({ queue_name }) => queue_name), ['backup_checks'])
  const before = await sql`select checked_at from backup_checks where place = ${join(folder, OLD)}`
  // Runs the command itself, which refuses bytes that are no backup.
  await work()
  const [row] = await sql<{ fault: string; checked_at: string }[]>`
    select fault, checked_at from backup_checks where place = ${join(folder, OLD)}`
  assert.match(row?.fault ?? '', /not a backup/)
  assert.notEqual(row?.checked_at, before[0]?.checked_at)
  assert.equal(await stateOf(), 'failed')
  const missing = await as(founder, 'POST', '/admin/backups/kith-20260101T000000Z.backup/checks')
  assert.deepEqual([missing.status, missing.headers['x-error-code']], [404, 'no_such_backup'])
  const { data } = (await as(founder, 'GET', '/admin/audit-log?action=backups.check')).body
  assert.deepEqual(
    data.map(({ subject_id }: { subject_id: string }) => subject_id),
    [OLD, OLD],
  )
})

const allow = (asker: Person, name = OLD, body: object = { password: PASSWORD }) =>
  as(asker, 'POST', `/admin/backups/${name}/downloads`, body)

const fetchBackup = (cookie: string | undefined, name = OLD, headers: Record<string, string> = {}) =>
  app.inject({
    url: `/storage/backups/${name}`,
    headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
  })

test('sends a backup after a proof of the account, without a secret in its address (administration-28)', async (t) => {
  const unproved = await allow(founder, OLD, {})
  assert.deepEqual([unproved.status, unproved.headers['x-error-code']], [422, 'proof_required'])
  assert.equal((await allow(founder, OLD, { password: 'a guess' })).status, 422)
  const { status, body, headers } = await allow(founder)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.url, `${ctx.config.publicUrl}/storage/backups/${OLD}`)
  const set = String(headers['set-cookie'])
  assert.match(set, /; Path=\/storage\/backups\/kith-[^;]*; Max-Age=900; HttpOnly; SameSite=Strict$/)
  const cookie = set.split(';')[0] ?? ''

  const sent = await fetchBackup(cookie)
  assert.equal(sent.statusCode, 200)
  const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  assert.equal(sum(sent.rawPayload), sum(await readFile(join(folder, OLD))))
  assert.equal(sent.headers['content-disposition'], `attachment; filename="${OLD}"`)
  assert.equal(sent.headers['cache-control'], 'private, no-store')
  const rest = await fetchBackup(cookie, OLD, { range: 'bytes=10-' })
  assert.deepEqual([rest.statusCode, rest.rawPayload.equals(BYTES.subarray(10))], [206, true])

  assert.equal((await fetchBackup(undefined)).statusCode, 403)
  assert.equal((await fetchBackup(cookie, NEW)).statusCode, 403)
  assert.equal((await fetchBackup(`${cookie}0`)).statusCode, 403)
  const other = await person()
  assert.equal((await fetchBackup(cookie.replace(/=\d+/, `=${other.id}`))).statusCode, 403)
  const { data } = (await as(founder, 'GET', '/admin/audit-log?action=backups.download')).body
  assert.deepEqual([data.length, data[0].subject_id, data[0].after], [1, OLD, { bytes: BYTES.length }])

  const real = Date.now
  t.mock.method(Date, 'now', () => real() + 16 * 60_000)
  assert.equal((await fetchBackup(cookie)).statusCode, 403)
  t.mock.restoreAll()
})

test('sends a backup only to holders of the ability (administration-28)', async () => {
  const role = await as(founder, 'POST', '/admin/roles', { name: 'operator', abilities: ['admin: health'] })
  assert.equal(role.status, 201, JSON.stringify(role.body))
  const operator = await withPassword(['operator'])
  assert.equal((await as(operator, 'GET', '/admin/backups')).status, 200)
  const refused = await allow(operator)
  assert.equal(refused.status, 403)

  const second = await withPassword(['founder'])
  const cookie = String((await allow(second)).headers['set-cookie']).split(';')[0]
  assert.equal((await fetchBackup(cookie)).statusCode, 200)
  const changed = await as(founder, 'PATCH', `/admin/users/${second.id}`, { roles: ['owner'] })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal((await fetchBackup(cookie)).statusCode, 403)
})

test('serves no other file of the folder', async () => {
  for (const name of ['private.txt', '..%2F..%2Fetc%2Fpasswd', 'kith-20260303T033000Z.backup.part']) {
    assert.equal((await allow(founder, name)).status, 404, name)
    assert.equal((await fetchBackup('kith_backup=1.2.3', name)).statusCode, 404, name)
  }
})
