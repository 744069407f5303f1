import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole, walkPages } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
if (world) await fillConsole(world)

for (const locale of ['en', 'zh'] as const)
  test(`renders the second half of the console pages accessibly in both themes in ${locale}`, {
    skip,
  }, async () => {
    assert.deepEqual(await walkPages(world!, 'second half', locale), [])
    assert.deepEqual(world!.faults, [])
  })
