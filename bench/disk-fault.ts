import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startServer } from '#test/fixtures/sites.ts'
import { assertNoFault, untilReady, whilePaying } from './paying.ts'

const DISK_MEGABYTES = 400

export async function fillDisk(dataDir: string, seed: number): Promise<string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'needs root on Linux for a small disk: not run'
  await mkdir(dataDir)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', dataDir])
  const filler = join(dataDir, 'filler')
  const fill = () => {
    const file = openSync(filler, 'w')
    const block = Buffer.alloc(1024 * 1024)
    try {
      for (;;) writeSync(file, block)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    } finally {
      closeSync(file)
    }
  }
  try {
    await chmod(dataDir, 0o755)
    const told = await whilePaying(dataDir, seed, {}, async ({ address, look }) => {
      look()
      fill()
      for (let seen = 0; seen === 0; await wait(250)) seen = look()[503] ?? 0
      await wait(5000)
      const full = look()
      assertNoFault(full)
      await rm(filler)
      const back = await untilReady(address)
      await wait(2000)
      const after = look()
      assert.ok((after[201] ?? 0) > 0, `answered ${JSON.stringify(after)}`)
      return `full: ${full[503] ?? 0} refused with 503, none with 500; ready ${back} ms after there was room`
    })
    fill()
    const server = startServer(dataDir)
    const output = await server.address.catch((error: Error) => error.message)
    await server.ended
    assert.ok(!/^ {4}at /m.test(output), output)
    await rm(filler)
    return `${told}; a start on the full disk ends with a sentence`
  } finally {
    for (let tries = 0; tries < 20; tries += 1)
      try {
        execFileSync('umount', [dataDir], { stdio: 'ignore' })
        break
      } catch {
        await wait(500)
      }
  }
}
