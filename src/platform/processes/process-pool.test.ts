import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLog } from '#platform/observability'
import { createProcessPool } from './process-pool.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-crew-'))
after(() => rm(folder, { recursive: true }))

test('starts no other process when the first one fails to start', async () => {
  const program = join(folder, 'fails.mjs')
  await writeFile(program, 'process.exit(1)')
  let joined = 0
  const crew = createProcessPool({
    size: 2,
    program,
    log: createLog({ level: 'silent' }),
    opening: Promise.resolve({}),
    onJoin: () => {
      joined += 1
    },
    onLeave() {},
  })
  try {
    assert.equal(await crew.start(), false)
    assert.equal(joined, 1)
  } finally {
    await crew.stop()
  }
})
