import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '#platform/context.ts'
import { createScope } from '#platform/database'
import { readFromReplica } from './route.ts'

/** Runs the work of a route that may read from a replica, and returns the number of runs and the counters. */
async function doing(work: (read: () => void) => void, sent = false) {
  const counted: string[] = []
  const caller = createScope()
  let times = 0
  const replicas = { choose: async () => () => {}, count: (where: string) => void counted.push(where) }
  const done = readFromReplica(
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

test('does not retry a failure without a replica or after a reply was sent', async () => {
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
