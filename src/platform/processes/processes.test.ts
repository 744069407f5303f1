import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Channel, openChannel } from './channel.ts'
import { createQuotaLeases, leaseQuotas, type QuotaUse } from './quota-leases.ts'
import { hasSiblings, notifySiblings } from './siblings.ts'

/** Two ends that exchange messages as over a pipe: in order, and later. */
function connect(): { process: Channel; supervisor: Channel } {
  const copy = (batch: unknown) => JSON.parse(JSON.stringify(batch))
  const process: Channel = openChannel((batch) => setImmediate(() => supervisor.receive(copy(batch))))
  const supervisor: Channel = openChannel((batch) => setImmediate(() => process.receive(copy(batch))))
  return { process, supervisor }
}

function openProcesses(count: number) {
  const kept = leaseQuotas({ processes: count })
  const ends = Array.from({ length: count }, () => connect())
  for (const { supervisor } of ends) kept.serve(supervisor)
  return { kept, ends, users: ends.map(({ process }) => createQuotaLeases(process)) }
}

const allowed = (uses: QuotaUse[]) => uses.filter(({ exceeded }) => !exceeded).length

test('allows exactly the quota across several processes, whichever is asked', async () => {
  for (const limit of [1, 7, 60, 600]) {
    const { users } = openProcesses(3)
    const use = (n: number) => users[(n * n) % 3]?.use({ key: 'one', window: 5, limit })
    const uses: QuotaUse[] = []
    for (let n = 0; n < limit + 50; ) {
      const burst = Array.from({ length: 1 + (n % 4) }, () => use(n++))
      uses.push(...(await Promise.all(burst)).filter((each) => each !== undefined))
    }
    assert.equal(allowed(uses), limit, `of ${limit}`)
    assert.ok(
      uses.every(
        ({ remaining, exceeded }) => remaining >= 0 && remaining < limit && !(exceeded && remaining > 0),
      ),
    )
  }
})

test('recalls unused shares of one process before another is rejected', async () => {
  const { users } = openProcesses(2)
  const [first, second] = users
  const given = { key: 'one', window: 1, limit: 600 }
  const one = await first?.use(given)
  assert.equal(one?.exceeded, false)
  const uses: QuotaUse[] = []
  for (let n = 0; n < 700; n += 1) {
    const use = await second?.use(given)
    if (use) uses.push(use)
  }
  assert.equal(allowed(uses), 599)
  assert.deepEqual(await first?.use(given), { remaining: 0, exceeded: true })
})

test('does not wait for a process that has ended', async () => {
  const { users, ends, kept } = openProcesses(2)
  const given = { key: 'one', window: 1, limit: 100 }
  await users[0]?.use(given)
  const [gone] = ends
  gone?.supervisor.close()
  if (gone) kept.leave(gone.supervisor)
  let count = 0
  while (!(await users[1]?.use(given))?.exceeded) count += 1
  assert.ok(count > 0 && count < 100, `${count}`)
})

test('counts each window separately', async () => {
  const { users } = openProcesses(2)
  for (const window of [1, 2, 3])
    for (let n = 0; n < 4; n += 1) {
      const use = await users[n % 2]?.use({ key: 'one', window, limit: 3 })
      assert.equal(use?.exceeded, n === 3)
    }
})

test('asks once for concurrent uses, and recalls nothing that was not leased', async () => {
  // The reply arrives before the next turn, or after it.
  for (const pause of [async () => {}, () => new Promise((resolve) => setImmediate(resolve))]) {
    const asked: unknown[] = []
    let recall: (of: { key: string; window: number }) => number = () => -1
    const { use } = createQuotaLeases({
      ask: async (_subject: string, value: unknown) => {
        asked.push(value)
        await pause()
        return { granted: 2, left: 6 }
      },
      on: (_subject: string, answer: typeof recall) => {
        recall = answer
      },
    } as unknown as Channel)
    const one = { key: 'one', window: 5, limit: 8 }
    const uses = await Promise.all([use(one), use(one)])
    await connectTurn()
    assert.deepEqual(uses, [
      { remaining: 7, exceeded: false },
      { remaining: 6, exceeded: false },
    ])
    assert.equal(asked.length, 1)
    for (const none of [
      { key: 'another', window: 5 },
      { key: 'one', window: 4 },
    ])
      assert.equal(recall(none), 0)
  }
})

test('asks the supervisor once when nothing is left', async () => {
  let count = 0
  const { use } = createQuotaLeases({
    ask: async () => {
      count += 1
      return { granted: 0, left: 0 }
    },
    on() {},
  } as unknown as Channel)
  const one = { key: 'one', window: 5, limit: 8 }
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await use(one), { remaining: 0, exceeded: true })
  await connectTurn()
  assert.equal(count, 1)
})

test('evicts keys without a leased share first when there are too many', async () => {
  const kept = leaseQuotas({ processes: 1, maxKeys: 10 })
  const { process, supervisor } = connect()
  kept.serve(supervisor)
  const limit = 80
  const take = (key: string, wanted: number) =>
    process.ask<{ left: number }>('allowance', { key, window: 1, limit, wanted })
  // A request for the whole quota leaves no share; the first key has one.
  const { left } = await take('shared', 1)
  for (let n = 0; n < 9; n += 1) await take(`used ${n}`, limit)
  await take('one more', 1)
  assert.ok((await take('shared', 1)).left < left, 'it was counted on')
  assert.equal((await take('used 8', 1)).left, 0)
  assert.ok((await take('used 0', 1)).left > 0, 'the first without a share has made way')
})

test('works alone without other processes to notify', async () => {
  assert.equal(hasSiblings, false)
  assert.equal(await notifySiblings('nothing', 1), undefined)
})

test('rejects a request when its handler fails or the other end is gone', async () => {
  const { process, supervisor } = connect()
  supervisor.on('fails', () => {
    throw new Error('for a reason')
  })
  supervisor.on('never', () => new Promise(() => {}))
  await assert.rejects(process.ask('fails'), /for a reason/)
  await assert.rejects(process.ask('something else'), /nobody listens to "something else"/)
  const open = process.ask('never')
  await connectTurn()
  process.close()
  await assert.rejects(open, { code: 'ECONNRESET' })
  await assert.rejects(process.ask('never'), { code: 'ECONNRESET' })
})

/** Waits until a message has arrived. */
const connectTurn = () => new Promise((resolve) => setTimeout(resolve, 20))
