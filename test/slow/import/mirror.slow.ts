import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { mirrorOnce } from '#test/fixtures/mirrored.ts'
import { createWorld } from '#test/world.ts'

const SEQUENCES = Number(process.env.KITH_MIRROR_SEQUENCES ?? 60)
const FIRST = Number(process.env.KITH_MIRROR_SEED ?? 1000)
const ROUNDS = 5

/** Options of each sequence, in turn. */
const OPTIONS = [
  {},
  { oldWallets: true },
  { waiting: 'refund' },
  { oldPrices: true },
  { lockDisablers: true },
  { oldWallets: true, waiting: 'refund', oldPrices: true, lockDisablers: true },
]

describe('leaves after a later run what a first run would', { skip: skipMariaDb }, async () => {
  await createWorld()
  let maria: MariaDb
  before(async () => {
    maria = await startMariaDb()
  })
  after(() => maria?.stop())

  for (let n = 0; n < SEQUENCES; n += 1) {
    const options = OPTIONS[n % OPTIONS.length] ?? {}
    test(`${ROUNDS} sequences of edits from seed ${FIRST + n} with ${JSON.stringify(options)}`, async () => {
      const { edits, differences, faults } = await mirrorOnce(maria, FIRST + n, { rounds: ROUNDS, options })
      const some = [...Map.groupBy(differences, (line) => line.split(' ', 2).join(' ')).values()]
      assert.deepEqual(
        [...some.flatMap((lines) => lines.slice(0, 3)), ...faults],
        [],
        `${differences.length} after ${edits.join('; ')}`,
      )
    })
  }
})
