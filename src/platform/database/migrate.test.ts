import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createWorld } from '#test/world.ts'
import { findForeignMigration, listPendingMigrations, migrate } from './migrate.ts'

const { sql } = await createWorld()
const ours = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-migrations-'))
after(() => rm(folder, { recursive: true }))
await cp(ours, folder, { recursive: true })
const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
const last = names.at(-1) ?? ''

test('applies no migration to a current database', async () => {
  assert.deepEqual(await migrate(sql, folder), [])
  assert.deepEqual(await listPendingMigrations(sql, folder), [])
})

test('lists every migration as pending in an empty database', async () => {
  await sql`alter table schema_migrations rename to set_aside`
  assert.deepEqual(await listPendingMigrations(sql, folder), names)
  await sql`alter table set_aside rename to schema_migrations`
})

test('rejects a database with an unknown or changed migration', async () => {
  const level = [...(await sql<{ name: string; hash: string }[]>`select name, hash from schema_migrations`)]
  assert.equal(await findForeignMigration(level, folder), undefined)
  await writeFile(join(folder, last), 'select 1;\n')
  await assert.rejects(migrate(sql, folder), /was changed after it was applied/)
  assert.match((await findForeignMigration(level, folder)) ?? '', /differs from that of this version/)
  await rm(join(folder, last))
  await assert.rejects(migrate(sql, folder), /which this version of Kith does not know. Run a newer version/)
  assert.match((await findForeignMigration(level, folder)) ?? '', /which this version does not know/)
})

test('keeps the migrations before a failed one, and skips those after it', async () => {
  const own = await createWorld()
  const broken = await mkdtemp(join(tmpdir(), 'kith-migrations-'))
  try {
    await cp(ours, broken, { recursive: true })
    await writeFile(join(broken, '9990_first.sql'), 'create table first (id int);\n')
    await writeFile(join(broken, '9991_second.sql'), 'create table second (id int);\nselect 1 / 0;\n')
    await writeFile(join(broken, '9992_third.sql'), 'create table third (id int);\n')
    await assert.rejects(migrate(own.sql, broken), {
      code: '22012',
      message: '9991_second.sql: division by zero',
    })
    assert.deepEqual(await listPendingMigrations(own.sql, broken), ['9991_second.sql', '9992_third.sql'])
    const [found] = await own.sql`
      select to_regclass('first')::text as first, to_regclass('second') as second, to_regclass('third') as third`
    assert.deepEqual(found, { first: 'first', second: null, third: null })
  } finally {
    await rm(broken, { recursive: true })
  }
})
