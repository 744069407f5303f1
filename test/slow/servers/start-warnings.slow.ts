import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { programsIn, ROOT, surroundingsIn } from '#test/fixtures/programs.ts'
import { findFreePort } from '#test/servers.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-warnings-'))
after(() => rm(folder, { recursive: true, force: true }))
const run = programsIn(folder)
const nothing = await findFreePort()
writeFileSync(join(folder, 'a-file'), '')

test('names the process that already uses the DATA_DIR', async () => {
  const dataDir = join(folder, 'twice')
  chmodSync(folder, 0o755)
  // The first server must start and only warn, although the backup target and Redis are unreachable.
  const unreachable = { BACKUP_TO: join(folder, 'a-file'), REDIS_URL: `redis://127.0.0.1:${nothing}` }
  const env = { ...surroundingsIn(folder), PORT: '0', DATA_DIR: dataDir, ...unreachable }
  const first = spawn(process.execPath, ['src/main.ts'], { cwd: ROOT, env })
  let said = ''
  first.stdout.on('data', (chunk) => (said += chunk))
  const ended = once(first, 'close')
  while (!said.includes('is running at')) await once(first.stdout, 'data')
  const { code, output } = await run(['src/main.ts'], { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  assert.equal(code, 1)
  assert.equal(
    output,
    `DATA_DIR: another server (process ${first.pid}) already uses the database in ${join(dataDir, 'postgres')}: stop it first, or set DATA_DIR to another folder.\n`,
  )
  first.kill('SIGTERM')
  await ended
  assert.match(said, /"warn"[^\n]*BACKUP_TO: \S+ is a file, or its path contains one/)
  assert.match(said, /"warn"[^\n]*redis does not answer/)
})
