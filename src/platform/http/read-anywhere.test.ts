import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '#platform/context.ts'
import { newCaller } from '#platform/database/callers.ts'
import { readAnywhere } from './read-anywhere.ts'

/** Does the work for a route that may read from a replica, and tells how often and what was counted. */
async function doing(work: (read: () => void) => void, sent = false) {
  const counted: string[] = []
  const caller = newCaller()
  let times = 0
  const replicas = { choose: async () => () => {}, count: (where: string) => void counted.push(where) }
  const done = readAnywhere(
    { replicas } as unknown as Context,
    { caller, viewer: null } as never,
    { sent } as never,
    async () => {
      times += 1
      work(() => caller.replica?.({} as never))
    },
  )
  const failure = await done.then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { counted, failure, times }
}

test('what failed without a replica, or was answered already, is not done once more', async () => {
  const fail = () => {
    throw new Error('no such thing')
  }
  assert.deepEqual(await doing(fail), { counted: [], failure: 'no such thing', times: 1 })
  const readAndFail = (read: () => void) => {
    read()
    fail()
  }
  assert.deepEqual(await doing(readAndFail, true), { counted: [], failure: 'no such thing', times: 1 })
  const again = { counted: ['fallback'], failure: 'no such thing', times: 2 }
  assert.deepEqual(await doing(readAndFail), again)
  assert.deepEqual(await doing((read) => read()), { counted: ['replica'], failure: undefined, times: 1 })
})
