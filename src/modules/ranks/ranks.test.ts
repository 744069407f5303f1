import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const { as, guest, person } = await createWorld()

test('people rank by followers with their place and count, the earlier account first in a tie', async () => {
  const [ann, bob, cid, fan, other] = [
    await person(),
    await person(),
    await person(),
    await person(),
    await person(),
  ]
  for (const whom of [ann, bob, cid]) await as(fan, 'PUT', `/user/followings/${whom.id}`)
  await as(other, 'PUT', `/user/followings/${cid.id}`)
  const places = async (query: string) => {
    const answer = await guest('GET', `/ranks/followers?${query}`)
    assert.equal(answer.status, 200)
    return answer.body.map(({ id, extra }: { id: number; extra: { rank: number; count: number } }) => [
      id,
      extra.rank,
      extra.count,
    ])
  }
  assert.deepEqual(await places('limit=3'), [
    [cid.id, 1, 2],
    [ann.id, 2, 1],
    [bob.id, 3, 1],
  ])
  assert.deepEqual(await places('limit=1&offset=2'), [[bob.id, 3, 1]])
  assert.equal((await as(fan, 'GET', '/ranks/followers?limit=1')).body[0].follower, true)
  assert.equal((await guest('GET', '/ranks/followers?limit=0')).status, 422)
})

test('a rank shows ten unless asked otherwise', async () => {
  await Promise.all(Array.from({ length: 12 }, () => person()))
  assert.equal((await guest('GET', '/ranks/followers')).body.length, 10)
})
