import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { transaction } from '#platform/database'
import { createWorld } from '#test/world.ts'

const { as, person, sql } = await createWorld()
const [ann, bob, eve] = [await person(), await person(), await person()]
const openChat = async (one: typeof ann, other: typeof ann) =>
  (await as(one, 'PUT', `/chats/people/${other.id}`)).body.id as number
const [own, foreign] = [await openChat(ann, bob), await openChat(bob, eve)]

async function fill(chat: number, start: number, bodies: string[]): Promise<void> {
  await sql`
    insert into chat_messages (chat_id, position, sender_id, body)
    select ${chat}, ${start} + place - 1, ${bob.id}, body
    from unnest(${bodies}::text[]) with ordinality as t (body, place)`
  await sql`
    update chats set last_position = (select max(position) from chat_messages where chat_id = ${chat}),
      last_message_id = (select max(id) from chat_messages where chat_id = ${chat}) where id = ${chat}`
}
const search = async (q: string, who = ann) => {
  const { status, body } = await as(who, 'GET', `/chats/messages?limit=100&q=${encodeURIComponent(q)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((message: { body: string }) => message.body) as string[]
}

const letter = fc.constantFrom(...'abAB éÉ的一是 ßЖж_%\\🎵')
const text = fc.string({ unit: letter, minLength: 2, maxLength: 12 })

test('finds the same messages by index and by scan', async () => {
  const bodies = fc.sample(text, { numRuns: 60, seed: 1 })
  await fill(own, 480, bodies)
  await fill(foreign, 600, bodies)
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: letter, minLength: 2, maxLength: 4 }), async (given) => {
      const q = given.trim()
      fc.pre([...q].length >= 2)
      const scanned = await sql<{ body: string }[]>`
        select body from chat_messages where chat_id = ${own}
          and body ilike ${`%${q.replace(/[\\%_]/g, '\\$&')}%`} order by id desc`
      assert.deepEqual(
        await search(q),
        scanned.map(({ body }) => body),
      )
    }),
    { numRuns: 150, seed: 2 },
  )
})

test('finds no deleted or replaced texts above position 500', async () => {
  await fill(own, 2000, ['the quick fox', 'the slow fox'])
  assert.deepEqual(await search('quick fox'), ['the quick fox'])
  await sql`update chat_messages set body = 'another text' where chat_id = ${own} and position = 2000`
  await sql`update chat_messages set deleted_at = now() where chat_id = ${own} and position = 2001`
  assert.deepEqual([await search('quick fox'), await search('slow fox')], [[], []])
  assert.deepEqual(await search('another text'), ['another text'])
})

test('lets the planner use the search index for positions above 500', async () => {
  const plan = await transaction(sql, async (tx) => {
    // Disables sequential scans, which the planner prefers for the few rows of this test.
    await tx`set local enable_seqscan = off`
    return tx`
      explain select * from chat_messages where position > 500 and deleted_at is null
        and chat_grams(chat_id, body) @> chat_grams(${own}, 'fox')`
  })
  assert.match(JSON.stringify(plan), /chat_messages_search/)
})
