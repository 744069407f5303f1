import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readConfig } from '#platform/config'
import { createLog } from '#platform/observability'
import { StartFault, startFault } from '#platform/start-fault.ts'
import { createWorld } from '#test/world.ts'
import { openContext } from './open-context.ts'
import { prepareDatabase } from './prepare.ts'
import { findSecretCheck } from './secret-check.ts'

const { connection, sql } = await createWorld()
const dataDir = mkdtempSync(join(tmpdir(), 'kith-check-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

async function open(env: Record<string, string> = {}): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://unused/', ...env })
  const log = createLog({ level: 'silent' })
  const opened = await openContext({ ...config, databaseUrl: connection as never }, log)
  await prepareDatabase(opened.forJobs, opened.connection)
  await opened.close()
}

test('refuses to start with a missing or different app secret', async () => {
  await open()
  assert.equal((await sql`select from secret_checks`).length, 1)
  await open()
  await assert.rejects(
    open({ APP_SECRET: 'another secret, long enough' }),
    (error) => error instanceof StartFault && /^APP_SECRET is not the secret/.test(error.message),
  )
  const path = join(dataDir, 'app-secret')
  writeFileSync(path, 'a secret from somewhere else\n')
  await assert.rejects(open(), (error) => error instanceof StartFault && error.message.startsWith(path))
  rmSync(path)
  await assert.rejects(open(), (error) => error instanceof StartFault && /is missing/.test(error.message))
  assert.equal(existsSync(path), false)
})

test('stores the secret check on the first start after an upgrade', async () => {
  await sql`delete from secret_checks`
  await open({ APP_SECRET: 'the one it has now, long enough' })
  await open({ APP_SECRET: 'the one it has now, long enough' })
  await assert.rejects(open({ APP_SECRET: 'and now another one, too late' }), StartFault)
})

test('returns no secret check for an empty database', async () => {
  await sql`alter table secret_checks rename to set_aside`
  assert.equal(await findSecretCheck(sql), undefined)
  await sql`alter table set_aside rename to secret_checks`
})

test('reports an unusable data directory in one sentence', async () => {
  const told = (error: Error) => (startFault(error, '/data') as Error).message
  const failed = (code: string) => Object.assign(new Error(code), { code, syscall: 'mkdir' })
  assert.match(
    told(failed('ENOSPC')),
    /^Kith cannot use .*\/data: no space is left on its disk: free some space, or set DATA_DIR to another folder\.$/,
  )
  assert.match(told(failed('EROFS')), /read-only/)
  assert.match(told(new Error('initdb: error: could not write: No space left on device')), /no space/)
  assert.match(told(Object.assign(new Error('could not extend file'), { code: '53100' })), /no space/)
  assert.equal(told(new Error('something else')), 'something else')
  if (process.platform !== 'linux') return
  // Not even root can create a data directory in /sys.
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, DATA_DIR: '/sys/kith-data', PORT: '0' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const [code] = await once(child, 'close')
  assert.equal(code, 1)
  assert.match(output, /^Kith cannot use its data directory \/sys\/kith-data: [^\n]+ DATA_DIR [^\n]+\.\n$/)
})
