import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { nameOf, readOperations } from './operations.ts'
import { playRound } from './play.ts'
import { createTally } from './tally.ts'

const { seed, requests } = JSON.parse(process.env.KITH_FUZZ ?? '{}') as {
  seed: number
  requests: number
}
/** Number of requests per database. Deletions of content leave too little for further requests. */
const ROUND = 6000
const MOST_FAULTS = 20
/** A run of this length must reach a share of the operations. A shorter run cannot. */
const FULL_RUN = 20_000
const LEAST_SHARE = 0.85

const { app } = await createWorld({ LOG_LEVEL: 'silent' })
const tally = createTally(readOperations(app).operations.map(nameOf))
const begun = performance.now()

for (let from = 0, round = 0; from < requests; from += ROUND, round += 1)
  test(`answers round ${round} of random requests without faults`, { timeout: 3_600_000 }, async () => {
    const length = Math.min(ROUND, requests - from)
    if (tally.faults.size < MOST_FAULTS) await playRound({ seed: seed * 1000 + round, length, tally })
    const seconds = Math.round((performance.now() - begun) / 1000)
    console.log([`After ${seconds} s, seed ${seed}:`, ...tally.lines()].join('\n'))
    const isLast = from + ROUND >= requests
    if (isLast) console.log(['Never succeeded:', ...tally.unsuccessful()].join('\n  '))
    assert.deepEqual([...tally.faults], [])
    if (isLast && requests >= FULL_RUN) assert.ok(tally.share >= LEAST_SHARE, `only ${tally.share} succeeded`)
  })
