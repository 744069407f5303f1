import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBirth } from '#platform/database/embedded-postgres/processes.ts'

// The runner's own timeout asks a test process to exit, which one in a busy loop never handles. So each
// reports its id and test files to the runner.
const folder = process.env.KITH_TEST_RUNNING
if (folder) {
  const entry = join(folder, String(process.pid))
  writeFileSync(entry, `${findBirth(process.pid)}\n${process.argv[1]}`)
  process.on('exit', () => rmSync(entry, { force: true }))
}
