import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLog } from '#platform/observability'
import { until } from '#test/fixtures/streams.ts'
import { createProcessPool } from './process-pool.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-crew-'))
after(() => rm(folder, { recursive: true }))

/** A process that begins, does `work` with its count of all starts as `n`, listens, and exits on request. */
const programOf = (work: string) => `
import { appendFileSync, readFileSync } from 'node:fs'
const starts = new URL(import.meta.url + '.starts')
appendFileSync(starts, '.')
const n = readFileSync(starts, 'utf8').length
process.send([{ kind: 'ask', subject: 'begin', value: null, n: 1 }])
process.on('message', async ([message]) => {
  if (message.kind !== 'answer') process.exit(0)
  ${work}
  process.send([{ kind: 'tell', subject: 'listening', value: null }])
})`

let programs = 0
async function openCrew(work: string, { size = 1, startMs = 60_000 } = {}) {
  const program = join(folder, `${programs++}.mjs`)
  await writeFile(program, programOf(work))
  const said: string[] = []
  const note = (_fields: unknown, text?: string) => void said.push(text ?? String(_fields))
  const crew = createProcessPool({
    size,
    program,
    log: { info: note, warn: note, error: note } as never,
    opening: Promise.resolve({}),
    onJoin() {},
    onLeave() {},
    startMs,
  })
  return {
    crew,
    said,
    hasSaid: (text: string) => said.some((each) => each.includes(text)),
    starts: async () => (await readFile(`${program}.starts`, 'utf8')).length,
  }
}
const workers = () => Object.values(cluster.workers ?? {}) as Worker[]
const REPLACED = 'all processes were replaced'

test('begins no other process when the first does not start', async () => {
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
    crew.reload()
    assert.equal(joined, 1)
  } finally {
    await crew.stop()
  }
})

test('replaces the processes although handing a connection to one of them failed', async () => {
  const { crew, hasSaid } = await openCrew('')
  try {
    assert.equal(await crew.start(), true)
    for (const worker of workers()) worker.emit('error', new Error('write EPIPE'))
    crew.reload()
    await until(() => hasSaid(REPLACED), 'the replacement')
    assert.equal(crew.state().running, 1)
  } finally {
    await crew.stop()
  }
})

test('starts a replacement again when the first attempt ends', async () => {
  const { crew, hasSaid, starts } = await openCrew('if (n === 2) process.exit(1)')
  try {
    await crew.start()
    crew.reload()
    await until(() => hasSaid(REPLACED) || hasSaid('did not start'), 'an end')
    assert.ok(hasSaid(REPLACED))
    assert.deepEqual([await starts(), crew.state().running], [3, 1])
  } finally {
    await crew.stop()
  }
})

test('keeps the old process, and takes the next signal, when no replacement starts', async () => {
  const { crew, said, hasSaid } = await openCrew('if (n > 1 && n < 5) process.exit(1)')
  try {
    await crew.start()
    const [old] = workers()
    crew.reload()
    crew.reload()
    assert.equal(said.filter((each) => each.includes('changes nothing')).length, 1)
    await until(() => hasSaid('did not start'), 'three attempts')
    assert.ok(old?.isConnected())
    await new Promise((resolve) => setImmediate(resolve))
    crew.reload()
    await until(() => hasSaid(REPLACED), 'the next signal')
    assert.ok(old?.isDead())
  } finally {
    await crew.stop()
  }
})

test('kills a replacement that does not listen in time, and starts another', async () => {
  const hangs = 'if (n === 4) await new Promise(() => setInterval(() => {}, 1000))'
  const { crew, hasSaid } = await openCrew(hangs, { size: 2, startMs: 3_000 })
  try {
    await crew.start()
    await until(() => crew.state().running === 2, 'both processes')
    // The replacement of the first process prepares the database, so that only the second one hangs.
    crew.reload()
    await until(() => hasSaid(REPLACED) || hasSaid('did not start'), 'an end')
    assert.ok(hasSaid(REPLACED))
    assert.equal(crew.state().running, 2)
  } finally {
    await crew.stop()
  }
})

test('leaves one process a slot when the old one is killed during its replacement', async () => {
  const slow = 'if (n === 2) await new Promise((resolve) => setTimeout(resolve, 1000))'
  const { crew, hasSaid } = await openCrew(slow)
  try {
    await crew.start()
    const [old] = workers()
    crew.reload()
    await until(() => workers().length === 2, 'the replacement')
    old?.process.kill('SIGKILL')
    await until(() => hasSaid('ended unexpectedly') && hasSaid(REPLACED), 'the replacement')
    await until(() => workers().length === 1, 'one process')
    assert.equal(crew.state().running, 1)
  } finally {
    await crew.stop()
  }
})
