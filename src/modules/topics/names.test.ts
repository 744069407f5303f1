import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

let reads = 0
const world = await createWorld(
  {},
  {
    onQuery: ({ text }) => {
      if (text.includes('feed_topics t')) reads += 1
    },
  },
)
const { as, person, sql } = world

test('queries the database only once for a deleted topic of a cached feed', async () => {
  const author = await person({ roles: ['founder'] })
  const { id: topic } = (await as(author, 'POST', '/feed/topics', { name: 'Chess', desc: 'Games' })).body
  await sql`update feed_topics set status = 'passed' where id = ${topic}`
  const feed = { feed_content: 'A game', feed_from: 1, feed_mark: 1, topics: [topic] }
  const { id } = (await as(author, 'POST', '/feeds', feed)).body
  const topics = async () => (await as(author, 'GET', `/feeds?id=${id}`)).body.feeds[0].topics
  assert.deepEqual(await topics(), [{ id: topic, name: 'Chess' }])
  assert.equal((await as(author, 'DELETE', `/admin/feed-topics/${topic}`)).status, 204)
  reads = 0
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await topics(), [])
  assert.equal(reads, 1)
})
