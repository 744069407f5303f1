import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#platform/config'
import { createLocalStorage, identifyStore } from '#platform/files'
import { announceNode, connectionsOfProcess, listNodes } from '#platform/nodes.ts'
import { createWorld } from '#test/world.ts'

const { ctx, sql } = await createWorld()
const folder = await mkdtemp(join(tmpdir(), 'kith-nodes-'))
after(() => rm(folder, { recursive: true, force: true }))
const configOf = (env: Record<string, string>) => readConfig({ DATA_DIR: folder, ...env })

test('names the same place for servers that share a folder, and another for each folder', async () => {
  const config = configOf({})
  const names = await Promise.all(Array.from({ length: 8 }, () => identifyStore(config)))
  assert.equal(new Set(names).size, 1)
  assert.match(names[0] ?? '', /^local [0-9a-f-]{36}$/)
  assert.deepEqual(await readdir(join(folder, 'uploads')), ['.kith-store'])
  const other = await identifyStore(configOf({ DATA_DIR: join(folder, 'other') }))
  assert.notEqual(other, names[0])
  const listed = await Array.fromAsync(createLocalStorage(join(folder, 'uploads')).list('health'))
  assert.deepEqual(listed, [])
})

test('names the bucket of an object store', async () => {
  const keys = { STORAGE: 's3', S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' }
  const name = (bucket: string) => identifyStore(configOf({ ...keys, S3_BUCKET: bucket }))
  assert.equal(await name('kith'), 's3 us-east-1 kith')
  assert.notEqual(await name('other'), await name('kith'))
})

test('announces a server until it closes, with the connections of all its processes', async () => {
  const node = { ...ctx, config: configOf({ DATABASE_POOL_SIZE: '6' }), onClose: [] as typeof ctx.onClose }
  await sql`
    insert into server_nodes (id, host, connections, seen_at) values
      (gen_random_uuid(), 'killed', 9, now() - interval '3 minutes'),
      (gen_random_uuid(), 'forgotten', 9, now() - interval '25 hours')`
  await announceNode(node, { processes: 3 })
  const [found, ...others] = await listNodes(sql)
  assert.deepEqual([found?.connections, found?.store, others], [33, await identifyStore(node.config), []])
  assert.deepEqual(found?.settings, ['DATABASE_POOL_SIZE', 'DATA_DIR'])
  const hosts = async () => (await sql`select host from server_nodes order by host`).map(({ host }) => host)
  assert.ok(!(await hosts()).includes('forgotten'))
  for (const close of node.onClose) await close()
  assert.deepEqual(await hosts(), ['killed'])
})

test('announces a server whose folder of uploads cannot be written', async () => {
  await writeFile(join(folder, 'file'), '')
  const node = {
    ...ctx,
    config: configOf({ DATA_DIR: join(folder, 'file') }),
    onClose: [] as typeof ctx.onClose,
  }
  await announceNode(node, { processes: 1 })
  assert.deepEqual(
    (await listNodes(sql)).map(({ store }) => store),
    [null],
  )
  for (const close of node.onClose) await close()
})

test('writes nothing while writes fail', async () => {
  let asked = 0
  const failing = Object.assign(
    () => {
      asked += 1
      return Promise.resolve([])
    },
    { writeFault: () => 'the database is read-only' },
  )
  const node = {
    ...ctx,
    sql: failing as unknown as typeof sql,
    config: configOf({}),
    onClose: [] as typeof ctx.onClose,
  }
  await announceNode(node, { processes: 1 })
  for (const close of node.onClose) await close()
  assert.equal(asked, 0)
})

test('counts no pool of a process behind PgBouncer', () => {
  const urls = { DATABASE_URL: 'postgres://kith@pooler/kith', DATABASE_DIRECT_URL: 'postgres://kith@db/kith' }
  assert.equal(connectionsOfProcess(configOf({ DATABASE_POOL_SIZE: '20' })), 25)
  assert.equal(connectionsOfProcess(configOf({ DATABASE_POOL_SIZE: '20', ...urls })), 4)
})
