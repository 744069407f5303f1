import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { StorageError } from '#platform/files'
import { addJob } from '#platform/jobs'
import { exportsOn, PASSWORD } from '#test/fixtures/exports.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { readZip } from '#test/fixtures/zip.ts'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { allTasks } from '../src/worker.ts'

const world = await createWorld()
const { as, guest, sql, ctx, work, outbox } = world
// Uses large user ids, so that a search of the archive for an id finds no other number.
await sql`select setval(pg_get_serial_sequence('users', 'id'), 700100200)`
const under = settingsOn(world)
const { owner, request, fetchBytes, exportOf } = await exportsOn(world)

test('restarts an interrupted export without leftover files (rights-9)', async () => {
  const ann = await owner()
  const asked = await request(ann)
  const stop = new AbortController()
  const task = allTasks(ctx).make_export
  const job = { attempts: 1, max_attempts: 5 }
  const reason = new Error('the server stops')
  const { put } = ctx.storage
  ctx.storage.put = async () => {
    stop.abort(reason)
    throw reason
  }
  try {
    await assert.rejects(
      async () => task?.({ id: asked.body.id } as never, { job, abortSignal: stop.signal } as never),
      reason,
    )
    await assert.rejects(
      async () => task?.({ id: asked.body.id } as never, { job, abortSignal: stop.signal } as never),
      reason,
    )
  } finally {
    ctx.storage.put = put
  }
  assert.equal((await as(ann, 'GET', `/user/exports/${asked.body.id}`)).body.state, 'waiting')
  assert.deepEqual(await readdir(join(ctx.config.dataDir, 'exports')), [])
  // Enqueues the export a second time, so that two workers compete for it.
  await addJob(sql, 'make_export', { id: asked.body.id })
  await Promise.all([work(), work()])
  const told = await as(ann, 'GET', `/user/exports/${asked.body.id}/archive?json=1`)
  assert.ok(readZip((await fetchBytes(told.body.url)).rawPayload).has('index.html'))
})

test('separates the files of concurrent exports (rights-9)', async () => {
  const people = [await owner(), await owner(), await owner(), await owner()]
  const ids: number[] = []
  for (const who of people) ids.push((await request(who)).body.id)
  const make = (n: number) =>
    allTasks(ctx).make_export?.(
      { id: ids[n] } as never,
      { job: { attempts: 1, max_attempts: 5 }, abortSignal: new AbortController().signal } as never,
    )
  const states = () =>
    Promise.all(people.map(async (who, n) => (await as(who, 'GET', `/user/exports/${ids[n]}`)).body.state))
  const { put } = ctx.storage
  const modes: number[][] = []
  ctx.storage.put = async (key, source, options) => {
    const { path } = source as { path: string }
    const places = [path, dirname(path), dirname(dirname(path))]
    modes.push(await Promise.all(places.map(async (place) => (await stat(place)).mode & 0o777)))
    return put(key, source, options)
  }
  try {
    await make(1)
  } finally {
    ctx.storage.put = put
  }
  assert.deepEqual(modes, [[0o600, 0o700, 0o700]])
  assert.deepEqual(await states(), ['waiting', 'ready', 'waiting', 'waiting'])
  await Promise.all([make(0), make(2), make(3)])
  assert.deepEqual(await states(), ['ready', 'ready', 'ready', 'ready'])
  for (const [n, who] of people.entries()) {
    const told = await as(who, 'GET', `/user/exports/${ids[n]}/archive?json=1`)
    const files = readZip((await fetchBytes(told.body.url)).rawPayload)
    assert.deepEqual(
      JSON.parse(String(files.get('profile.json'))).map(({ id }: { id: number }) => id),
      [who.id],
    )
  }
})

test('accepts a new request when an export failed (rights-9)', async () => {
  const [ann, bob] = [await owner(), await owner()]
  const [asked, waiting] = [await request(ann), await request(bob)]
  await sql`
    update graphile_worker._private_jobs j set attempts = 4 from graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = 'make_export' and (j.payload ->> 'id')::bigint = ${asked.body.id}`
  const { put } = ctx.storage
  ctx.storage.put = async () => {
    throw new StorageError('full', 'No space is left for uploads')
  }
  try {
    await work()
  } finally {
    ctx.storage.put = put
  }
  // Keeps the retry of Bob's export from becoming due on a slow machine.
  await sql`
    update graphile_worker._private_jobs j set run_at = now() + interval '1 hour' from graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = 'make_export' and (j.payload ->> 'id')::bigint = ${waiting.body.id}`
  await work()
  assert.equal((await as(ann, 'GET', `/user/exports/${asked.body.id}`)).body.state, 'failed')
  assert.equal((await as(bob, 'GET', `/user/exports/${waiting.body.id}`)).body.state, 'waiting')
  assert.match(outbox.findLast(({ to }) => to === ann.email)?.text ?? '', /导出失败.*new export/)
  assert.deepEqual(await readdir(join(ctx.config.dataDir, 'exports')), [])
  await exportOf(ann)
  await under({ 'account:export-hours': 0 }, async () => assert.equal((await request(ann)).status, 202))
  await sql`update data_exports set created_at = now() - interval '3 days' where user_id = ${ann.id}`
  await sql`delete from graphile_worker._private_jobs where (payload ->> 'id') is not null`
  await addJob(sql, 'tidy_exports', {})
  await work()
  assert.equal((await as(ann, 'GET', '/user/exports')).body[0].state, 'failed')
})

test('lists the reason when an export leaves out an upload (rights-10)', async () => {
  const ann = await owner()
  const lost = await uploadPicture(world, ann)
  const [file] = await sql`
    select f.storage_key as key from files f join file_uses u on u.file_id = f.id where u.id = ${lost}`
  await ctx.storage.remove(file?.key)
  const unsent = {
    filename: 'unsent.png',
    hash: '0'.repeat(32),
    size: 1,
    mime_type: 'image/png',
    storage: { channel: 'public' },
  }
  assert.equal((await as(ann, 'POST', '/storage', unsent)).status, 201)
  const { list, files } = await exportOf(ann)
  assert.deepEqual(list('pictures'), [])
  assert.deepEqual([list('uploads')[0].path, list('uploads')[0].left_out], [null, 'lost'])
  assert.match(String(files.get('index.html')), /omits 1 files/)
  const bob = await owner()
  await uploadPicture(world, bob)
  await under({ 'account:export-megabytes': 0 }, async () => {
    const { list: listed } = await exportOf(bob)
    assert.equal(listed('uploads')[0].left_out, 'no room')
  })
})

test('exports the data of a suspended user without a session (rights-1, rights-9)', async () => {
  const ann = await owner()
  await sql`
    insert into sanctions (user_id, kind, reason, imposed_by) values (${ann.id}, 'suspension', 'spam', ${ann.id})`
  const login = { login: ann.name, password: PASSWORD }
  assert.deepEqual(refusalOf(await guest('POST', '/auth/login', login)), [403, 'account_suspended'])
  assert.deepEqual(refusalOf(await guest('POST', '/auth/exports', { ...login, password: 'wrong' })), [
    422,
    'wrong_sign_in',
  ])
  const asked = await guest('POST', '/auth/exports', login)
  assert.deepEqual([asked.status, asked.body.state, asked.body.url], [202, 'waiting', null])
  assert.equal((await guest('POST', '/auth/exports', login)).body.id, asked.body.id)
  await work()
  const ready = await guest('POST', '/auth/exports', login)
  assert.deepEqual([ready.body.id, ready.body.state], [asked.body.id, 'ready'])
  const files = readZip((await fetchBytes(ready.body.url)).rawPayload)
  assert.equal(JSON.parse(String(files.get('sanctions.json')))[0].reason, 'spam')

  assert.equal((await guest('POST', '/auth/deletions', login)).status, 202)
  assert.equal((await guest('DELETE', '/auth/deletions', login)).status, 204)
  assert.equal((await sql`select from account_deletions where user_id = ${ann.id}`).length, 0)
  assert.equal((await guest('POST', '/auth/deletions', login)).status, 202)
  const [kept] = await sql`select storage_key as key from data_exports where id = ${asked.body.id}`
  await sql`update account_deletions set due_at = now() where user_id = ${ann.id}`
  await addJob(sql, 'erase_accounts', {})
  await work()
  assert.equal((await guest('POST', '/auth/exports', login)).status, 422)
  assert.equal((await sql`select from data_exports where user_id = ${ann.id}`).length, 0)
  assert.equal(await ctx.storage.writtenAt(kept?.key), undefined)
  assert.equal((await fetchBytes(ready.body.url)).statusCode, 404)
})

test('leaves no archive when the account is erased during its export (rights-2)', async () => {
  const ann = await owner()
  const asked = await request(ann)
  const [kept] = await sql`select storage_key as key from data_exports where id = ${asked.body.id}`
  const { put } = ctx.storage
  ctx.storage.put = async (key, source, options) => {
    await sql`delete from data_exports where id = ${asked.body.id}`
    await put(key, source, options)
  }
  try {
    await work()
  } finally {
    ctx.storage.put = put
  }
  assert.equal(await ctx.storage.writtenAt(kept?.key), undefined)
  assert.equal(existsSync(join(ctx.config.dataDir, 'uploads', kept?.key)), false)
})
