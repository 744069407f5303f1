import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { mirrorOnce } from '#test/fixtures/mirrored.ts'
import { createWorld } from '#test/world.ts'
import { PLAN } from './plan.ts'

// test/slow/import/mirror.slow.ts runs hundreds of sequences.
describe('leaves after a later run what a first run would', { skip: skipMariaDb }, async () => {
  // Creates a world first, because installing MariaDB blocks this process longer than the connection timeout.
  await createWorld()
  let maria: MariaDb
  before(async () => {
    maria = await startMariaDb()
  })
  after(() => maria?.stop())

  test('after a sequence of edits of every kind', async () => {
    const options = { oldWallets: true }
    const { edits, differences, faults } = await mirrorOnce(maria, 7, { edits: 40, options })
    assert.deepEqual([...differences, ...faults], [], edits.join('; '))
  })
})

test('declares for every table what the vanishing of a row means', () => {
  for (const part of PLAN) if ('table' in part) assert.ok(part.gone.means, part.table)
})
