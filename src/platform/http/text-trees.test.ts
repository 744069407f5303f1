import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '#platform/context.ts'
import { treesOf } from './text-trees.ts'

const newContext = () => ({ state: new Map() }) as unknown as Context
const textOf = (text: string) => ({ type: 'news', id: 1, format: 'markdown' as const, text })

test('keeps the trees of texts up to a size in memory', async () => {
  const ctx = newContext()
  const first = textOf('First')
  const [tree] = await treesOf(ctx, [first])
  assert.equal((await treesOf(ctx, [first]))[0], tree)
  // A tree has many more bytes than its text.
  const large = Array.from({ length: 40 }, (_, n) => textOf(`${n} ${'*a* b '.repeat(2500)}`))
  await treesOf(ctx, large)
  assert.notEqual((await treesOf(ctx, [first]))[0], tree)
})

test('lets other work run between long texts', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    if (turns < 5) setImmediate(count)
  }
  setImmediate(count)
  await treesOf(
    newContext(),
    Array.from({ length: 8 }, (_, n) => textOf(`${n} ${'word '.repeat(1000)}`)),
  )
  assert.equal(turns, 5)
})
