import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordBackup } from '#backup/jobs.ts'
import type { Probe } from '#contracts/health-check.ts'
import { addJob } from '#platform/jobs'
import { createWorld, type World } from '#test/world.ts'
import { checkHealth } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx, work } = world
const founder = await person({ roles: ['founder'] })

type Part = {
  name: string
  state: string
  since: string | null
  fault: string | null
  code: string | null
  remedy: { en: string; zh: string } | null
  good_at: string | null
  checked_at: string | null
  figures: { name: string; value: number }[]
}
const founders = new Map([[world, founder]])
const partIn = async (of: World, name: string): Promise<Part> => {
  const who = founders.get(of) ?? (await of.person({ roles: ['founder'] }))
  founders.set(of, who)
  const { status, body } = await of.as(who, 'GET', '/admin/health')
  assert.equal(status, 200)
  return body.parts.find((part: Part) => part.name === name)
}
const partNamed = (name: string) => partIn(world, name)

test('requires the ability to read the server health (administration-20)', async () => {
  const role = { name: 'watcher', abilities: ['admin: health'] }
  assert.equal((await as(founder, 'POST', '/admin/roles', role)).status, 201)
  const watcher = await person({ roles: ['watcher'] })
  for (const path of ['/admin/health', '/admin/health/requests']) {
    assert.equal((await guest('GET', path)).status, 401)
    assert.equal((await as(await person(), 'GET', path)).status, 403)
    assert.equal((await as(watcher, 'GET', path)).status, 200)
  }
})

test('reports a part of the server as unknown until a job checks it', async () => {
  const fresh = await createWorld()
  assert.deepEqual(
    [(await partIn(fresh, 'uploads')).state, (await partIn(fresh, 'mail')).state],
    ['unknown', 'off'],
  )
  assert.equal((await partIn(fresh, 'jobs')).state, 'unknown')
  await addJob(fresh.sql, 'check_health', {})
  await fresh.work()
  for (const name of ['uploads', 'im', 'jobs', 'database']) {
    const { state, fault } = await partIn(fresh, name)
    assert.deepEqual([state, fault], ['good', null], name)
  }
  assert.ok((await partIn(fresh, 'uploads')).checked_at)
  const { figures } = await partIn(fresh, 'database')
  assert.ok((figures.find(({ name }) => name === 'bytes')?.value ?? 0) > 1_000_000)
})

test('reports the start of a fault until the faulty part recovers (administration-20)', async () => {
  let fault: string | undefined
  const probe: Probe = {
    part: 'uploads',
    settings: 'STORAGE',
    isUsed: () => true,
    async check() {
      if (fault !== undefined) throw new Error(fault)
    },
  }
  await checkHealth(ctx, [probe])
  assert.equal((await partNamed('uploads')).state, 'good')
  fault = 'no room is left'
  await checkHealth(ctx, [probe])
  await sql`update health_checks set failing_since = '2026-01-02 03:04:05Z' where part = 'uploads'`
  fault = 'x'.repeat(1000)
  await checkHealth(ctx, [probe])
  const failing = await partNamed('uploads')
  assert.deepEqual([failing.state, failing.since], ['failing', '2026-01-02 03:04:05'])
  assert.equal(failing.fault, 'x'.repeat(300))
  assert.ok(String(failing.good_at) > '2026-01-02')
  await sql`update health_checks set fault = null, failing_since = null where part = 'uploads'`
  const cleared = await partNamed('uploads')
  assert.deepEqual([cleared.state, cleared.code, cleared.remedy], ['good', null, null])
  fault = undefined
  await checkHealth(ctx, [probe])
  const again = await partNamed('uploads')
  assert.deepEqual([again.state, again.since, again.fault], ['good', null, null])
})

test('reports the jobs as failing when a job is overdue or the last check is old', async () => {
  const clean = await createWorld()
  await addJob(clean.sql, 'check_health', {})
  await clean.work()
  assert.equal((await partIn(clean, 'jobs')).state, 'good')
  await clean.sql`delete from graphile_worker._private_jobs`
  await clean.sql`select graphile_worker.add_job('no_such_task', run_at => now() - interval '1 hour')`
  const late = await partIn(clean, 'jobs')
  assert.equal(late.state, 'failing')
  assert.ok(late.since && Date.parse(`${late.since}Z`) < Date.now() - 3_500_000)
  assert.equal(late.figures.find(({ name }) => name === 'due')?.value, 1)
  await clean.sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'out of luck'`
  const failed = await partIn(clean, 'jobs')
  assert.deepEqual([failed.state, failed.fault], ['warning', 'no_such_task: out of luck'])
  await clean.sql`delete from graphile_worker._private_jobs`
  assert.equal((await partIn(clean, 'jobs')).state, 'good')
  await clean.sql`update health_checks set checked_at = now() - interval '20 minutes'`
  assert.equal((await partIn(clean, 'jobs')).state, 'failing')
})

test('reports missing, late and failed backups with the time of the last complete backup', async () => {
  const kept = await createWorld({ BACKUP_TO: '/backups' })
  const state = async () => {
    const { state, since, fault, good_at } = await partIn(kept, 'backups')
    return { state, since, fault, good_at }
  }
  assert.deepEqual(await state(), { state: 'unknown', since: null, fault: null, good_at: null })
  const run = { place: '/backups/one', bytes: 42, seconds: 1 }
  await recordBackup(kept.sql, { ...run, bytes: 0, fault: 'an old one' })
  await recordBackup(kept.sql, run)
  assert.equal((await state()).state, 'good')
  await kept.sql`update backup_runs set finished_at = now() - interval '28 hours'`
  const late = await state()
  assert.deepEqual([late.state, late.since], ['warning', late.good_at])
  await recordBackup(kept.sql, { ...run, bytes: 0, fault: 'the disk is full' })
  // The clock of the database was ahead at the last complete backup.
  await kept.sql`update backup_runs set finished_at = now() + interval '2 days' where fault is null`
  assert.deepEqual([(await state()).state, (await state()).fault], ['failing', 'the disk is full'])
  await kept.sql`update backup_runs set finished_at = '2026-03-04 05:06:07Z' where fault = 'the disk is full'`
  await kept.sql`update backup_runs set finished_at = '2026-03-01 00:00:00Z' where fault is null`
  await kept.sql`update backup_runs set finished_at = '2026-02-01 00:00:00Z' where fault = 'an old one'`
  await recordBackup(kept.sql, { ...run, bytes: 0, fault: 'the disk is still full' })
  assert.deepEqual(await state(), {
    state: 'failing',
    since: '2026-03-04 05:06:07',
    fault: 'the disk is still full',
    good_at: '2026-03-01 00:00:00',
  })
  assert.equal((await partNamed('backups')).state, 'off')
})

test('tests the place of backups, and says in the language of the administrator what is wrong', async (t) => {
  const ask = async (reads = 'en') => {
    const { status, body } = await as(founder, 'POST', '/admin/backup-test', undefined, {
      'accept-language': reads,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const folder = await mkdtemp(join(tmpdir(), 'kith-backup-test-'))
  t.after(async () => {
    ctx.config.backupTo = undefined
    await rm(folder, { recursive: true })
  })
  assert.deepEqual(await ask(), { place: false, fault: null })
  ctx.config.backupTo = folder
  assert.deepEqual(await ask(), { place: true, fault: null })
  assert.deepEqual(await readdir(folder), [])
  await writeFile(join(folder, 'file'), '')
  ctx.config.backupTo = join(folder, 'file')
  assert.match((await ask()).fault, /\/file is a file, or its path contains one\. Name a folder instead\.$/)
  assert.match((await ask('zh')).fault, /是文件，或其路径包含文件。请改用文件夹。$/)
  assert.equal((await as(await person(), 'POST', '/admin/backup-test')).status, 403)
})

test('checks at once and starts a backup on request (administration-20)', async () => {
  const target = await createWorld({ BACKUP_TO: '/backups' })
  const admin = await target.person({ roles: ['founder'] })
  founders.set(target, admin)
  const jobs = async () =>
    (
      await target.sql`select task_identifier as task from graphile_worker.jobs
      where task_identifier in ('check_health', 'scheduled_backup') order by 1`
    ).map(({ task }) => task)
  assert.equal((await target.as(admin, 'POST', '/admin/health/checks')).status, 204)
  assert.deepEqual(await jobs(), ['check_health'])
  await target.work()
  assert.equal((await partIn(target, 'disk')).state, 'good')
  for (const _ of [1, 2]) assert.equal((await target.as(admin, 'POST', '/admin/backups')).status, 204)
  assert.deepEqual(await jobs(), ['scheduled_backup'])
  const { data } = (await target.as(admin, 'GET', '/admin/audit-log?subject_type=backups')).body
  assert.deepEqual([data.length, data[0].action, data[0].after], [2, 'backups.create', { to: '/backups' }])
  const refused = await as(founder, 'POST', '/admin/backups')
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [403, 'no_backup_place'])
  const stranger = await person()
  for (const path of ['/admin/health/checks', '/admin/backups'])
    assert.equal((await as(stranger, 'POST', path)).status, 403)
})

test('reports the uploads as good after a successful storage check', async () => {
  await addJob(sql, 'check_health', {})
  await work()
  const { good_at, state } = await partNamed('uploads')
  assert.ok(good_at)
  assert.equal(state, 'good')
})

test('reports schedules that stopped, and a clock that differs (administration-20)', async (t) => {
  const late = await createWorld()
  await addJob(late.sql, 'check_health', {})
  await late.work()
  const schedule = (ago: string) => late.sql`
    insert into graphile_worker._private_known_crontabs as k (identifier, known_since, last_execution)
    values ('im_sweep', now(), now() + ${ago}::interval)
    on conflict (identifier) do update set last_execution = excluded.last_execution`
  await schedule('-1 minute')
  const jobs = async () => {
    const { state, fault } = await partIn(late, 'jobs')
    return { state, fault }
  }
  assert.deepEqual(await jobs(), { state: 'good', fault: null })
  await schedule('-20 minutes')
  assert.deepEqual(await jobs(), { state: 'failing', fault: 'no schedule has run since then' })
  assert.equal((await partIn(late, 'clocks')).state, 'good')
  const real = Date.now
  t.mock.method(Date, 'now', () => real() + 3_600_000)
  const clocks = await partIn(late, 'clocks')
  t.mock.restoreAll()
  assert.deepEqual([clocks.state, /ahead of the database/.test(String(clocks.fault))], ['warning', true])
  await schedule('-1 minute')
  t.mock.method(Date, 'now', () => real() + 3_600_000)
  // The clock of the server does not make the jobs look late.
  assert.deepEqual(await jobs(), { state: 'good', fault: null })
  t.mock.restoreAll()
})
