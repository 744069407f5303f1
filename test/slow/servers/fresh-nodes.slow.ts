import { test } from 'node:test'
import { compareAfterEachChange } from '#test/fixtures/fresh-nodes.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()

test('answers every read after every write like a node without caches', (t) =>
  compareAfterEachChange(t, world, { moreReads: (reads) => reads }))
