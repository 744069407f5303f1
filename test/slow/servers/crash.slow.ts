import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { crashAgainAndAgain, openSite, randomOf } from '#test/fixtures/payments.ts'
import { killAll } from '#test/fixtures/sites.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-crash-'))
await chmod(folder, 0o755)
after(async () => {
  killAll()
  await rm(folder, { recursive: true, force: true })
})

const CRASHES = 3

test('processes each payment once when the server is killed', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const site = await openSite(join(folder, 'site'))
  const { crashes, payments } = await crashAgainAndAgain(site, { times: CRASHES, random: randomOf(seed) })
  const cut = payments.filter(({ wasCut }) => wasCut).length
  t.diagnostic(`seed ${seed}: ${crashes} crashes, ${payments.length} payments, ${cut} of them cut off`)
  assert.equal(crashes, CRASHES)
  const kept = payments.filter(({ wasCut, answer }) => !wasCut && answer?.status === 201).length
  assert.ok(cut > 0 && kept >= 1, `${kept} payments answered before a crash`)
})
