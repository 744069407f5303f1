import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Channel, openChannel } from './channel.ts'
import { countForProcesses, countWithOthers } from './rate-limit.ts'

function connect(): { process: Channel; supervisor: Channel } {
  const copy = (batch: unknown) => JSON.parse(JSON.stringify(batch))
  const process: Channel = openChannel((batch) => setImmediate(() => supervisor.receive(copy(batch))))
  const supervisor: Channel = openChannel((batch) => setImmediate(() => process.receive(copy(batch))))
  return { process, supervisor }
}

test('counts concurrent requests of several processes exactly', async () => {
  const countUses = countForProcesses()
  const ends = Array.from({ length: 3 }, () => connect())
  for (const { supervisor } of ends) countUses(supervisor)
  const counts = ends.map(({ process }) => countWithOthers(process))
  for (const window of [5, 6]) {
    const uses = await Promise.all(Array.from({ length: 90 }, (_, n) => counts[n % 3]?.('one', window, 60)))
    assert.deepEqual(
      uses.toSorted((a = 0, b = 0) => a - b),
      Array.from({ length: 90 }, (_, n) => n + 1),
    )
  }
})

test('exceeds a rate limit by at most 1/32 of the limit per additional process', async () => {
  const countUses = countForProcesses()
  let asked = 0
  const counts = Array.from({ length: 3 }, () => {
    const { process, supervisor } = connect()
    countUses(supervisor)
    const ask: Channel['ask'] = (...message) => {
      asked += 1
      return process.ask(...message)
    }
    return countWithOthers({ ...process, ask })
  })
  const limit = 640
  let allowed = 0
  let askedFarFromLimit = 0
  for (let n = 0; n < 3 * limit; n += 1) {
    const use = await counts[n % 3]?.('one', 7, limit)
    if (use !== undefined && use <= limit) allowed += 1
    if (n === limit / 2) askedFarFromLimit = asked
  }
  assert.ok(allowed >= limit && allowed <= limit + (2 * limit) / 32, `allowed ${allowed}`)
  assert.ok(askedFarFromLimit < limit / 2 / 10, `asked ${askedFarFromLimit} times`)
})

test('allows every request when the supervisor has exited', async () => {
  const { process } = connect()
  const count = countWithOthers(process)
  const pending = count('one', 1, 2)
  process.close()
  const later = Array.from({ length: 5 }, () => count('one', 1, 2))
  for (const use of await Promise.all([pending, ...later])) assert.ok(use <= 2)
})

test('rejects `ask` when the other process cannot answer', async () => {
  const { process, supervisor } = connect()
  supervisor.on('fails', () => {
    throw new Error('for a reason')
  })
  const asked = Promise.withResolvers<void>()
  supervisor.on('never', () => {
    asked.resolve()
    return new Promise(() => {})
  })
  await assert.rejects(process.ask('fails'), /for a reason/)
  await assert.rejects(process.ask('something else'), /no handler is registered for "something else"/)
  const open = process.ask('never')
  await asked.promise
  process.close()
  await assert.rejects(open, { code: 'ECONNRESET' })
  await assert.rejects(process.ask('never'), { code: 'ECONNRESET' })
})
