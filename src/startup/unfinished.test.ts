import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { clearDatabase } from '#backup/read.ts'
import { createLog } from '#platform/observability'
import { createWorld } from '#test/world.ts'
import { openContext } from './open-context.ts'
import { prepareStart } from './prepare.ts'
import { markDatabase, markFolder, removeMarks } from './unfinished.ts'

const { ctx, sql, connection } = await createWorld()
const dataDir = await mkdtemp(join(tmpdir(), 'kith-unfinished-'))
after(() => rm(dataDir, { recursive: true, force: true }))
const config = { ...ctx.config, dataDir, databaseUrl: connection as never, appSecret: 'a'.repeat(40) }
const log = createLog({ level: 'silent' })

const open = async () => (await openContext(config, log)).close()

test('refuses an installation whose restore did not finish, and says what to run', async () => {
  const told = /restore .* did not finish: run `npx kith restore FILE --force`/
  await markFolder(config, 'one.backup')
  await assert.rejects(open, told)
  await removeMarks(config, sql)
  await markDatabase(sql)
  await assert.rejects(open, told)
  await removeMarks(config, sql)
  await assert.doesNotReject(open)
})

test('refuses to start while an import has not finished', async () => {
  await sql`insert into imports (source, options, runs) values ('thinksns', '{}', 1)`
  await assert.rejects(prepareStart(ctx, connection), /import from thinksns did not finish: .* --resume/)
  await sql`update imports set finished_at = now()`
  await assert.doesNotReject(prepareStart(ctx, connection))
})

test('preserves the mark of an unfinished restore while it deletes everything else', async () => {
  await markDatabase(sql)
  await clearDatabase(sql)
  const tables =
    await sql`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
  assert.deepEqual(
    tables.map(({ relname }) => relname),
    ['unfinished_restore'],
  )
})
