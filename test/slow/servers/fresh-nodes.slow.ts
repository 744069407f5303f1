import { test } from 'node:test'
import { compareAfterEachChange } from '#test/fixtures/fresh-nodes.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()

test('returns the same responses as a server node without caches in every read after every write', (t) =>
  compareAfterEachChange(t, world, { moreReads: (reads) => reads }))
