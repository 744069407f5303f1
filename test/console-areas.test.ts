import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole, walkPages } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
if (world) await fillConsole(world)

test('the second half of the pages opens without an error and keeps nobody out, in light and in dark', {
  skip,
}, async () => {
  assert.deepEqual(await walkPages(world!, 'second half'), [])
  assert.deepEqual(world!.faults, [])
})
