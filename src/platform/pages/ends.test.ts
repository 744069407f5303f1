import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const statements: string[] = []
// What asks for the time is not kept at all here: what is kept depends on the ends of rows alone.
const { guest, person, sql, as } = await createWorld(
  { KEPT_PAGES_VERIFY: 'false', KEPT_PAGES_TIMED_MS: '0' },
  { onQuery: ({ text }) => statements.push(text) },
)
const ann = await person()
const { body: feed } = await as(ann, 'POST', '/feeds', { feed_content: 'x', feed_from: 1, feed_mark: '1' })
const pin = async (left: string) => {
  const [row] = await sql<[{ id: number }]>`
    insert into pins (channel, thing_id, target_id, user_id, decider_id, amount, day, state, expires_at)
    values ('feed', ${feed.id}, ${feed.id}, ${ann.id}, 0, 0, 1, 'active', now() + ${left}::interval) returning id`
  return row.id
}
const pinned = async () => (await guest('GET', '/feeds?type=new')).body.pinned.length
/** Reads until the page is kept, which it is once the next end is known. */
const keep = async () => {
  for (let before = -1; before !== statements.length; ) {
    before = statements.length
    await pinned()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a page with pins is kept until the next of them ends, and not for a moment longer', async () => {
  await pin('1 hour')
  await keep()
  const before = statements.length
  assert.equal(await pinned(), 1)
  assert.equal(statements.length, before)

  // A write, and what was known of the ends is no longer good.
  await sql`update pins set expires_at = now() + interval '1500 milliseconds'`
  assert.equal(await pinned(), 1)
  await keep()
  let shown = 1
  while (shown > 0) {
    const [{ ended }] = await sql<[{ ended: boolean }]>`select max(expires_at) <= now() as ended from pins`
    shown = await pinned()
    if (ended) assert.equal(shown, 0)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await keep()
  const later = statements.length
  assert.equal(await pinned(), 0)
  assert.equal(statements.length, later)
})

test('what another end brings is seen where several pins end one after the other', async () => {
  await sql`delete from pins`
  await pin('800 milliseconds')
  await keep()
  for (let round = 0; round < 60; round += 1) {
    const [{ shown }] = await sql<[{ shown: number }]>`
      select count(*)::int as shown from pins where state = 'active' and expires_at > now()`
    const seen = await pinned()
    const [after] = await sql<[{ shown: number }]>`
      select count(*)::int as shown from pins where state = 'active' and expires_at > now()`
    assert.ok([shown, after.shown].includes(seen), `${seen} of ${shown}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
})
