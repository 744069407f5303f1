import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBirth } from '#platform/embedded-postgres/processes.ts'

// The runner's own timeout asks a test process to end, which one that is caught in a loop never hears. So each tells
// the runner its id, and what it runs.
const folder = process.env.KITH_TEST_RUNNING
if (folder) {
  const entry = join(folder, String(process.pid))
  writeFileSync(entry, `${findBirth(process.pid)}\n${process.argv[1]}`)
  process.on('exit', () => rmSync(entry, { force: true }))
}
