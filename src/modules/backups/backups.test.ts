import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { recordBackup } from '#backup/jobs.ts'
import { listBackups } from '#backup/place.ts'
import { endRequest } from '#backup/request.ts'
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
const BYTES = Buffer.from('no backup, but these bytes are downloaded. '.repeat(40))
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
  assert.deepEqual(
    jobs.map(({ queue_name }) => queue_name),
    ['backup_checks'],
  )
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
  assert.equal(changed.status, 204, JSON.stringify(changed.body))
  assert.equal((await fetchBackup(cookie)).statusCode, 403)
})

test('serves no other file of the folder', async () => {
  for (const name of ['private.txt', '..%2F..%2Fetc%2Fpasswd', 'kith-20260303T033000Z.backup.part']) {
    assert.equal((await allow(founder, name)).status, 404, name)
    assert.equal((await fetchBackup('kith_backup=1.2.3', name)).statusCode, 404, name)
  }
})

const NEW_SITE = { BACKUP_TO: folder }

async function newSite(env: Record<string, string> = {}) {
  const world = await createWorld({ ...NEW_SITE, ...env })
  let restarts = 0
  world.ctx.restart = () => {
    restarts += 1
  }
  const owner = await world.person({ roles: ['founder'] })
  await world.sql`update users set password = ${hash} where id = ${owner.id}`
  const put = (cookie: string | undefined, offset: number | string, payload: Buffer) =>
    world.app.inject({
      method: 'PUT',
      url: `/storage/restore?offset=${offset}`,
      headers: { 'content-type': 'application/octet-stream', ...(cookie ? { cookie } : {}) },
      payload,
    })
  const begin = async () => {
    const begun = await world.as(owner, 'POST', '/admin/restore/uploads')
    assert.equal(begun.status, 200, JSON.stringify(begun.body))
    const set = String(begun.headers['set-cookie'])
    assert.match(
      set,
      /^kith_restore=[^;]+; Path=\/storage\/restore; Max-Age=86400; HttpOnly; SameSite=Strict$/,
    )
    return set.split(';')[0] ?? ''
  }
  const restore = (given: object = {}) =>
    world.as(owner, 'POST', '/admin/restore', { password: PASSWORD, ...given })
  const state = async () => (await world.as(owner, 'GET', '/admin/restore')).body
  return { ...world, owner, put, begin, restore, state, restarts: () => restarts }
}

/** Bytes that look like the start of a backup. */
const tar = (size = 2000) => {
  const bytes = Buffer.alloc(size, 1)
  bytes.write('ustar', 257, 'latin1')
  return bytes
}

test('stores an upload in parts on a new site only (administration-29)', async () => {
  const site = await newSite()
  assert.deepEqual(await site.state(), { possible: true, uploaded: null, requested: false, outcome: null })
  assert.equal((await site.restore()).headers['x-error-code'], 'no_upload')
  const cookie = await site.begin()
  const bytes = tar()
  assert.equal((await site.put(undefined, 0, bytes)).statusCode, 403)
  assert.equal((await site.put(cookie, 5, bytes)).statusCode, 422)
  assert.equal((await site.put(cookie, -1, bytes)).statusCode, 422)
  assert.equal((await site.put(cookie, 0, bytes.subarray(0, 1500))).statusCode, 200)
  assert.equal((await site.put(cookie, 1500, bytes.subarray(1500))).statusCode, 200)
  // A client repeats a part whose reply was lost.
  const repeated = await site.put(cookie, 1500, bytes.subarray(1500))
  assert.deepEqual(repeated.json(), { bytes: 2000 })
  const path = join(site.ctx.config.dataDir, 'restore', 'upload.backup')
  assert.ok((await readFile(path)).equals(bytes))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await site.state()).uploaded, 2000)
  assert.equal((await site.put(cookie, 2000, Buffer.alloc(8 * 1024 * 1024 + 1))).statusCode, 413)
  await site.begin()
  assert.equal((await site.state()).uploaded, null)

  await site.person()
  for (const refused of [
    await site.as(site.owner, 'POST', '/admin/restore/uploads'),
    await site.restore(),
    await site.restore({ backup: OLD }),
  ])
    assert.deepEqual([refused.status, refused.headers['x-error-code']], [422, 'site_has_members'])
  assert.equal((await site.put(cookie, 0, bytes)).statusCode, 422)
  assert.equal((await site.state()).possible, false)
  assert.equal(site.restarts(), 0)
})

test('requests a restore after a proof of the account, and restarts the server (administration-29)', async () => {
  const site = await newSite()
  const cookie = await site.begin()
  const request = join(site.ctx.config.dataDir, 'restore', 'request.json')
  await site.put(cookie, 0, Buffer.from('not a backup'))
  assert.equal((await site.restore()).headers['x-error-code'], 'no_backup_file')
  await site.begin()
  await site.put(cookie, 0, Buffer.from('age-encryption.org/v1\n-> scrypt'))
  assert.equal((await site.restore()).headers['x-error-code'], 'passphrase_needed')
  site.ctx.config.backupPassphrase = 'a passphrase of the tests'
  for (const given of [{ password: 'a guess' }, { password: undefined }])
    assert.equal((await site.restore(given)).status, 422)
  assert.equal((await site.restore({ backup: 'kith-20260101T000000Z.backup' })).status, 404)
  assert.deepEqual([site.restarts(), (await site.state()).requested], [0, false])
  assert.equal((await site.restore()).status, 204)
  assert.equal(site.restarts(), 1)
  const path = join(site.ctx.config.dataDir, 'restore', 'upload.backup')
  assert.deepEqual(JSON.parse(await readFile(request, 'utf8')), { from: path })
  assert.equal((await stat(request)).mode & 0o777, 0o600)
  assert.equal((await site.state()).requested, true)
  const { data } = (await site.as(site.owner, 'GET', '/admin/audit-log?action=backups.restore')).body
  assert.deepEqual(data[0].after, { from: path })
  assert.equal((await site.restore({ backup: NEW })).headers['x-error-code'], 'no_backup_file')
  await writeFile(join(folder, NEW), tar())
  assert.equal((await site.restore({ backup: NEW })).status, 204)
  assert.deepEqual(JSON.parse(await readFile(request, 'utf8')), { from: join(folder, NEW) })
  await endRequest(site.ctx.config, 'the backup is damaged')
  const { requested, uploaded, outcome } = await site.state()
  assert.deepEqual([requested, uploaded, outcome.fault], [false, null, 'the backup is damaged'])
})
