import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { mirrorOnce } from '#test/fixtures/mirrored.ts'
import { createWorld } from '#test/world.ts'

const COMMUNITIES = Number(process.env.KITH_MIRROR_COMMUNITIES ?? 60)
const FIRST = Number(process.env.KITH_MIRROR_SEED ?? 1000)
const ROUNDS = 5

/** Options of each community, in turn. */
const OPTIONS = [
  {},
  { oldWallets: true },
  { waiting: 'refund' },
  { oldPrices: true },
  { lockDisablers: true },
  { oldWallets: true, waiting: 'refund', oldPrices: true, lockDisablers: true },
]

const kindOf = (line: string) => line.split(' ', 2).join(' ')

describe('leaves after a later run what a first run would', { skip: skipMariaDb }, async () => {
  await createWorld()
  let maria: MariaDb
  let [sequences, differing] = [0, 0]
  before(async () => {
    maria = await startMariaDb()
  })
  after(async () => {
    process.stdout.write(
      `${COMMUNITIES} seeds from ${FIRST}, ${sequences} sequences of edits, ${differing} differences\n`,
    )
    await maria?.stop()
  })

  for (let n = 0; n < COMMUNITIES; n += 1) {
    const options = OPTIONS[n % OPTIONS.length] ?? {}
    test(`${ROUNDS} sequences of edits from seed ${FIRST + n} with ${JSON.stringify(options)}`, async () => {
      const found = await mirrorOnce(maria, FIRST + n, { rounds: ROUNDS, options })
      sequences += found.sequences
      differing += found.differences.length
      const some = [...Map.groupBy(found.differences, kindOf).values()]
      for (const lines of some) process.stdout.write(`seed ${FIRST + n}: ${lines.length} like ${lines[0]}\n`)
      assert.deepEqual(
        [...some.flatMap((lines) => lines.slice(0, 3)), ...found.faults],
        [],
        `${found.differences.length} after ${found.edits.join('; ')}`,
      )
    })
  }
})
