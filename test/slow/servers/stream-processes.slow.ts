import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { notify } from '#modules/notifications/index.ts'
import { killAll, startNode } from '#test/fixtures/sites.ts'
import { openStream, until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { person, sql } = world
after(killAll)

const start = () => startNode(world)

test('delivers notifications once when one of two server processes is killed', async () => {
  const [one, two] = await Promise.all([start(), start()])
  const [ann, bob] = [await person(), await person()]
  const expected: number[] = []
  const tell = async () => {
    const id = expected.length + 1
    expected.push(id)
    const cause = { type: 'feeds', id }
    await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  }
  const [first, second] = [await openStream(one.base, ann.token), await openStream(two.base, ann.token)]
  for (let number = 0; number < 5; number += 1) await tell()
  await until(() => first.events.length === 5 && second.events.length === 5, 'both have all events')

  const telling = (async () => {
    for (let number = 0; number < 60; number += 1) await tell()
  })()
  await until(() => first.events.length > 10, 'some more events')
  await one.kill()
  await first.ended
  await telling
  const resumed = await openStream(two.base, ann.token, first.last())
  await until(() => first.events.length + resumed.events.length === expected.length, 'all events')
  const seen = [...first.events, ...resumed.events].map(({ data }) => data.data.commentable.id)
  assert.deepEqual(seen, expected)
  await until(() => second.events.length === expected.length, 'all events on the other server')
  resumed.close()
  second.close()
  await two.kill()
})
