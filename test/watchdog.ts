import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach } from 'node:test'
import { findBirth } from '#test/processes.ts'

export type Running = {
  birth: string
  file: string
  since: number
  test: string
}

// Writes the names of the running file and test synchronously, because a process in a busy loop cannot answer
// the runner.
const folder = process.env.KITH_TEST_RUNNING
if (folder) {
  const entry = join(folder, String(process.pid))
  const running: Running = { birth: findBirth(process.pid), file: '', since: Date.now(), test: '' }
  const write = () => writeFileSync(entry, JSON.stringify(running))
  write()
  Object.assign(globalThis, {
    startTestFile(file: string) {
      Object.assign(running, { file, since: Date.now(), test: '' })
      write()
    },
  })
  beforeEach((t) => {
    running.test = 'name' in t ? t.name : ''
    write()
  })
  process.on('exit', () => rmSync(entry, { force: true }))
}
