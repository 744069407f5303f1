import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { deleteOrphanedObjects } from '#modules/files/index.ts'
import { removeStaleNodes } from '#modules/files/nodes/service.ts'
import { removeStaleUses } from '#modules/files/uploads/queries.ts'
import { tidyTemporary } from '#modules/files/uploads/service.ts'
import { takeOldestVariants } from '#modules/files/variants/service.ts'
import { deleteOldRequests } from '#modules/groups/members/queries.ts'
import { expireExports } from '#modules/personal-data/queries.ts'
import { type Fragment, openDatabase, type Sql, transaction } from '#platform/database'
import { createLocalStorage } from '#platform/files'
import { deleteOldKeys } from '#platform/http'
import { addJob, deleteFailedJobs } from '#platform/jobs'
import { advanceTime } from '#test/fixtures/clocks.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createWorld } from '#test/world.ts'
import { reportLeftovers } from '../src/doctor.ts'

const world = await createWorld()
const { sql, ctx, work, person, as, connection } = world
const { group } = groupMaker(world)
const folder = await mkdtemp(join(tmpdir(), 'kith-tidy-'))
after(() => rm(folder, { recursive: true, force: true }))

test('deletes expired idempotency keys in batches', async () => {
  const { id } = await person()
  await sql`
    insert into idempotency_keys (user_id, key, operation, fingerprint, status, created_at, cleanup)
    select ${id}, 'key ' || n, 'POST /x', '', 201,
      now() - make_interval(hours => case when n <= 13 then 25 else 23 end), case when n = 13 then 0 else -30 end
    from generate_series(1, 15) n`
  await deleteOldKeys(sql, 5)
  const left = await sql<{ key: string }[]>`select key from idempotency_keys order by key`
  assert.deepEqual(
    left.map(({ key }) => key),
    ['key 13', 'key 14', 'key 15'],
  )
})

const failed = () => sql`select 1 from graphile_worker.jobs where task_identifier = 'never'`

test('deletes failed jobs after their retention period', async () => {
  for (const age of ['29 days', '31 days', '1 minute']) {
    await addJob(sql, 'never', { age }, { delaySeconds: 0 })
    await sql`
      update graphile_worker._private_jobs set attempts = max_attempts, updated_at = now() - ${age}::interval
      where payload->>'age' = ${age}`
  }
  await addJob(sql, 'tidy_jobs', {})
  await work()
  assert.equal((await failed()).length, 2)
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  await reportLeftovers(ctx, { mend: false, print })
  assert.ok(lines.includes('· 2 jobs failed permanently and are retained for inspection'), lines.join('\n'))
  assert.equal((await failed()).length, 2)
  await reportLeftovers(ctx, { mend: true, print })
  assert.equal((await failed()).length, 0)
})

test('deletes expired notifications and membership requests in `kith doctor`', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  for (const each of [bob, eve]) await as(each, 'PUT', `/user/followings/${ann.id}`)
  const id = await group(bob, { mode: 'private' })
  for (const each of [ann, eve]) await as(each, 'PUT', `/groups/${id}`)
  await as(ann, 'DELETE', `/groups/${id}/exit`)
  await sql`update notifications set created_at = now() - interval '366 days' where user_id = ${ann.id} and seq = 1`
  await sql`update group_member_logs set audit_at = audit_at - interval '366 days'`
  const report = async (mend: boolean) => {
    const lines: string[] = []
    await reportLeftovers(ctx, { mend, print: (line) => void lines.push(line) })
    return lines
  }
  const notifications = '· 1 notifications exceed the age or number in the settings'
  const requests = '· 1 decided requests to join groups exceed the age in the settings'
  assert.deepEqual(await report(false), [notifications, requests])
  const gone = '    deleted 1'
  assert.deepEqual(await report(true), [notifications, gone, requests, gone])
  assert.deepEqual(await report(false), [])
  assert.equal((await sql`select from notifications where user_id = ${ann.id}`).length, 1)
  assert.equal((await sql`select from group_member_logs where status = 0`).length, 1)
})

test('deletes temporary files of interrupted uploads after a day', async (t) => {
  const old = new Date(Date.now() - 25 * 3_600_000)
  for (const name of ['kith-upload-old', 'kith-upload-new', 'other-old']) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'bytes'), 'x')
    if (name.endsWith('old')) await utimes(join(folder, name), old, old)
  }
  await tidyTemporary(folder)
  assert.deepEqual((await readdir(folder)).sort(), ['kith-upload-new', 'kith-upload-old', 'other-old'])
  advanceTime(t, 6)
  await tidyTemporary(folder)
  assert.deepEqual((await readdir(folder)).sort(), ['kith-upload-new', 'other-old'])
})

test('removes partial files of killed writes after a day', async (t) => {
  const drafts = join(ctx.config.dataDir, 'uploads', '.tmp')
  await ctx.storage.put('files/2026/whole.png', Buffer.from('bytes'), { mime: 'image/png' })
  const old = new Date(Date.now() - 25 * 3_600_000)
  for (const name of ['old', 'new']) await writeFile(join(drafts, name), 'half')
  await utimes(join(drafts, 'old'), old, old)
  await utimes(join(ctx.config.dataDir, 'uploads', 'files/2026/whole.png'), old, old)
  const exports = join(ctx.config.dataDir, 'exports')
  await mkdir(join(exports, 'export-old'), { recursive: true })
  await mkdir(join(exports, 'export-new'))
  await utimes(join(exports, 'export-old'), old, old)
  const tidy = async () => {
    await addJob(sql, 'tidy_files', {})
    await addJob(sql, 'tidy_exports', {})
    await work()
  }
  await tidy()
  assert.deepEqual((await readdir(drafts)).sort(), ['new', 'old'])
  assert.deepEqual((await readdir(exports)).sort(), ['export-new', 'export-old'])
  advanceTime(t, 6)
  await tidy()
  assert.deepEqual([await readdir(drafts), await readdir(exports)], [['new'], ['export-new']])
  assert.ok(await ctx.storage.writtenAt('files/2026/whole.png'))
})

test('removes stored files without a database row after a day', async () => {
  const { id } = await person()
  const random = 'ab'.repeat(32)
  const kept = ['files/2026/01/01/row.png', 'variants/ab/row', `public/2026/01/01/${random}.png`]
  const [file, variant, node] = kept as [string, string, string]
  await sql`
    insert into files (owner_id, sha256, md5, storage_key, mime, size) values (${id}, 'a', 'a', ${file}, 'image/png', 1)`
  await sql`
    insert into file_variants (storage_key, source_key, mime, size) values (${variant}, ${file}, 'image/png', 1)`
  await sql`
    insert into storage_nodes (node, owner_id, md5, declared_size, mime)
    values (${node.replace('/', ':')}, ${id}, 'a', 1, 'image/png')`
  const left = [
    'files/2026/01/01/left.png',
    'variants/ab/left',
    `public/2026/01/02/${random}.png`,
    'health/left',
  ]
  const others = ['exports/1/other.zip', 'imported/0/1-1.png']
  const young = 'files/2026/01/01/young.png'
  const old = new Date(Date.now() - 25 * 3_600_000)
  for (const key of [...kept, ...left, ...others, young]) {
    await ctx.storage.put(key, Buffer.from('bytes'), { mime: 'image/png' })
    if (key !== young) await utimes(join(ctx.config.dataDir, 'uploads', key), old, old)
  }
  const lines: string[] = []
  await reportLeftovers(ctx, { mend: false, print: (line) => void lines.push(line) })
  // The previous test also left stored files without a database row.
  const found = Number(/^· (\d+) stored files/.exec(lines.at(-1) ?? '')?.[1])
  assert.equal(await deleteOrphanedObjects(ctx, 2), found)
  assert.ok(found >= left.length)
  for (const key of [...kept, ...others, young]) assert.ok(await ctx.storage.writtenAt(key), key)
  for (const key of left) assert.ok(!(await ctx.storage.writtenAt(key)), key)
  const foreign = Array.from({ length: 101 }, (_, n) => `files/2026/02/02/${n}.png`)
  for (const key of foreign) {
    await ctx.storage.put(key, Buffer.from('bytes'), { mime: 'image/png' })
    await utimes(join(ctx.config.dataDir, 'uploads', key), old, old)
  }
  lines.length = 0
  await reportLeftovers(ctx, { mend: true, print: (line) => void lines.push(line) })
  assert.match(lines.at(-1) ?? '', /not deleted: these are most of the stored files/)
  for (const key of foreign) assert.ok(await ctx.storage.writtenAt(key), key)
})

test('deletes no fresh object in `kith doctor` when a clock is ahead', async (t) => {
  const key = 'files/2026/01/03/fresh.png'
  const real = Date.now
  const ahead = () => t.mock.method(Date, 'now', () => real() + 2 * 86_400_000)
  const deleteNow = async () => {
    await deleteOrphanedObjects(ctx)
    assert.ok(await ctx.storage.writtenAt(key))
  }
  await ctx.storage.put(key, Buffer.from('bytes'), { mime: 'image/png' })
  ahead()
  await deleteNow()
  t.mock.restoreAll()
  // A file system with a clock of its own that is two days behind.
  const { writtenAt } = ctx.storage
  t.mock.method(ctx.storage, 'writtenAt', async (key: string) => {
    const at = await writtenAt(key)
    return at && new Date(at.getTime() - 2 * 86_400_000)
  })
  await deleteNow()
})

test('makes uploads readable only by the OS user of the server', async () => {
  const root = join(folder, 'uploads')
  await mkdir(root, { mode: 0o755 })
  const source = join(folder, 'source')
  await writeFile(source, 'open to all', { mode: 0o644 })
  const storage = createLocalStorage(root)
  await storage.put('files/2026/one.png', Buffer.from('bytes'), { mime: 'image/png' })
  await storage.put('files/2026/two.png', { path: source }, { mime: 'image/png' })
  const modeOf = async (path: string) => (await stat(join(root, path))).mode & 0o777
  for (const path of ['', 'files', 'files/2026', '.tmp']) assert.equal(await modeOf(path), 0o700, path)
  for (const path of ['files/2026/one.png', 'files/2026/two.png'])
    assert.equal(await modeOf(path), 0o600, path)
})

const TIDIED: Record<
  string,
  { table: Fragment; isOf: Fragment; make(owner: number): Promise<unknown>; tidy(db: Sql): Promise<unknown> }
> = {
  uploads: {
    table: sql`file_uses`,
    isOf: sql`channel is null`,
    make: (owner) => sql`
      with made as (
        insert into files (owner_id, sha256, md5, storage_key, mime, size)
        values (${owner}, 'held', 'held', 'files/held', 'image/png', 1) returning id
      )
      insert into file_uses (file_id, owner_id, created_at)
      select id, ${owner}, now() - interval '2 days' from made, generate_series(1, 2)`,
    tidy: (db) => removeStaleUses(db, 10),
  },
  'pictures of storage tasks': {
    table: sql`storage_nodes`,
    isOf: sql`node like 'held:%'`,
    make: (owner) => sql`
      insert into storage_nodes (node, owner_id, md5, declared_size, mime, created_at)
      select 'held:' || n, ${owner}, 'held', 1, 'image/png', now() - interval '2 days' from generate_series(1, 2) n`,
    tidy: (db) => removeStaleNodes(db, 10),
  },
  variants: {
    table: sql`file_variants`,
    isOf: sql`source_key = 'held'`,
    make: () => sql`
      insert into file_variants (storage_key, source_key, mime, size, used_at)
      select 'variants/held/' || n, 'held', 'image/png', 1, now() - interval '9 years' from generate_series(1, 2) n`,
    tidy: (db) => takeOldestVariants(db, 2, 2),
  },
  'requests to join': {
    table: sql`group_member_logs`,
    isOf: sql`member_id = 0`,
    make: (owner) => sql`
      insert into group_member_logs (group_id, user_id, member_id, status, audit_at)
      select (select min(id) from groups), ${owner}, 0, 2, now() - interval '9 years' from generate_series(1, 2)`,
    tidy: (db) => deleteOldRequests(db, 365, 10),
  },
  'jobs that failed for good': {
    table: sql`graphile_worker._private_jobs`,
    isOf: sql`key like 'held %'`,
    make: async () => {
      for (const n of [1, 2]) await addJob(sql, 'never', {}, { key: `held ${n}` })
      await sql`
        update graphile_worker._private_jobs set attempts = max_attempts, updated_at = now() - interval '9 years'
        where key like 'held %'`
    },
    tidy: (db) => deleteFailedJobs(db, 30, 10),
  },
  exports: {
    table: sql`data_exports`,
    isOf: sql`storage_key like 'held/%' and state = 'ready'`,
    make: (owner) => sql`
      insert into data_exports (user_id, language, storage_key, state, size, finished_at, expires_at)
      select ${owner}, 'en', 'held/' || n, 'ready', 1, now() - interval '9 days', now() - interval '1 day'
      from generate_series(1, 2) n`,
    tidy: (db) => transaction(db, (tx) => expireExports(tx, { limit: 10 })),
  },
}
// A cleanup that waits for a locked row fails at this timeout.
const tidier = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 30_000 })
after(() => tidier.end())

for (const [name, { table, isOf, make, tidy }] of Object.entries(TIDIED))
  test(`skips locked ${name} until the next cleanup`, async () => {
    const owner = await person()
    await group(owner)
    await make(owner.id)
    const left = () => sql`select from ${table} where ${isOf}`
    assert.equal((await left()).length, 2)
    await transaction(sql, async (tx) => {
      await tx`select from ${table} where ctid = (select min(ctid) from ${table} where ${isOf}) for update`
      await tidy(tidier)
      assert.equal((await left()).length, 1)
    })
    assert.equal((await left()).length, 1)
    await tidy(tidier)
    assert.equal((await left()).length, 0)
  })
