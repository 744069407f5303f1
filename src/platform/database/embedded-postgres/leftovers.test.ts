import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { clearLeftovers, findDatabaseProcesses, readPidFile } from './leftovers.ts'

const root = await mkdtemp(join(tmpdir(), 'kith-leftovers-'))
const [cluster, elsewhere] = [join(root, 'cluster'), join(root, 'elsewhere')]
for (const folder of [cluster, elsewhere]) await mkdir(folder)
const children: ChildProcess[] = []
after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(root, { recursive: true, force: true })
})

async function standIn(folder: string): Promise<ChildProcess> {
  const program = join(root, 'postgres')
  await symlink('/bin/cat', program).catch(() => {})
  const child = spawn(program, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
  children.push(child)
  child.stdin?.write('here')
  await once(child.stdout!, 'data')
  return child
}

async function clear(): Promise<string[]> {
  const said: string[] = []
  await clearLeftovers(cluster, (_level, message) => said.push(message))
  return said
}
const writePid = (pid: number) =>
  writeFile(join(cluster, 'postmaster.pid'), `${pid}\n${cluster}\n1\n5432\n\n\n\nready\n`)

test('does nothing when no database process is left over', async () => {
  assert.equal(await readPidFile(cluster), null)
  assert.deepEqual(await clear(), [])
})

test('waits until a leftover database of the same cluster has stopped', {
  skip: process.platform !== 'linux',
}, async () => {
  await standIn(elsewhere)
  assert.deepEqual(findDatabaseProcesses(cluster), [])
  const left = await standIn(cluster)
  assert.deepEqual(findDatabaseProcesses(cluster), [left.pid])
  setTimeout(() => left.stdin?.end(), 100)
  assert.deepEqual(await clear(), ['a database of an earlier run is still running, waiting for it to stop'])
})

test('removes postmaster.pid only when its process id belongs to another program', async () => {
  const gone = spawn('/bin/true')
  await once(gone, 'exit')
  await writePid(gone.pid ?? 0)
  assert.deepEqual(await clear(), [])
  assert.equal((await readPidFile(cluster))?.pid, gone.pid)
  await writePid(process.pid)
  assert.match((await clear()).join(), /^removing postmaster.pid/)
  await assert.rejects(readFile(join(cluster, 'postmaster.pid')), { code: 'ENOENT' })
})
