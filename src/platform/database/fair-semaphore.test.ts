import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Busy } from '#platform/errors.ts'
import {
  createFairSemaphore,
  createScope,
  type FairSemaphore,
  onPrimary,
  type RequestScope,
  WRITES_KEY,
} from './fair-semaphore.ts'

const open = (
  places: number,
  more: { patienceMs?: number; maxWaiting?: number; limits?: ReadonlyMap<string, number> } = {},
) =>
  createFairSemaphore<number>({
    places: Array.from({ length: places }, (_, n) => n),
    patienceMs: 60_000,
    maxWaiting: 1000,
    share: 0.5,
    ...more,
  })
const callerOf = (key: string): RequestScope => ({ ...createScope(), keys: [key] })

function ask(turns: FairSemaphore<number>, name: string, caller: RequestScope | undefined, order: string[]) {
  const place = turns.take(caller)
  if (place !== undefined) order.push(name)
  else
    turns.wait(
      caller,
      () => order.push(name),
      (error) => order.push(`${name} refused: ${error instanceof Busy}`),
    )
}

test('prefers callers that have already held a slot to new callers', () => {
  const turns = open(1)
  const order: string[] = []
  const begun = createScope()
  ask(turns, 'first', begun, order)
  ask(turns, 'fresh one', createScope(), order)
  ask(turns, 'fresh two', undefined, order)
  ask(turns, 'first again', begun, order)
  for (let n = 0; n < 3; n += 1) turns.give(0, [])
  assert.deepEqual(order, ['first', 'first again', 'fresh one', 'fresh two'])
})

test('limits the number of slots that one key may hold', () => {
  const turns = open(4)
  const order: string[] = []
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask(turns, name, callerOf('a'), order)
  ask(turns, 'b1', callerOf('b'), order)
  ask(turns, 'c1', undefined, order)
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1'])
  turns.give(0, ['b'])
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1'], 'a has its share still')
  turns.give(1, ['a'])
  turns.give(2, ['a'])
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
})

test('rejects a caller when its wait times out or the queue is full', async () => {
  const turns = open(1, { patienceMs: 100, maxWaiting: 1 })
  const order: string[] = []
  ask(turns, 'held', createScope(), order)
  const late = new Promise<void>((resolve) =>
    turns.wait(
      undefined,
      () => {},
      () => resolve(),
    ),
  )
  ask(turns, 'one too many', undefined, order)
  assert.deepEqual(order, ['held', 'one too many refused: true'])
  await late
  assert.equal(turns.state().waiting, 0)
  assert.equal(turns.state().pressure, 0)
  turns.give(0, [])
  ask(turns, 'next', undefined, order)
  assert.equal(order.at(-1), 'next')
})

test('rejects a queued request when its client has disconnected', () => {
  const turns = open(1)
  const order: string[] = []
  const gone = createScope()
  ask(turns, 'held', undefined, order)
  ask(turns, 'gone', gone, order)
  ask(turns, 'there', createScope(), order)
  gone.isGone = true
  turns.give(0, [])
  assert.deepEqual(order, ['held', 'gone refused: true', 'there'])
})

test('runs the work of `onPrimary` when there is no request scope', () => {
  assert.equal(
    onPrimary(() => 'done'),
    'done',
  )
})

test('rejects waiting callers and waits for held slots when the semaphore closes', async () => {
  const turns = open(2)
  const order: string[] = []
  ask(turns, 'one', undefined, order)
  ask(turns, 'two', undefined, order)
  ask(turns, 'waiting', undefined, order)
  let isClosed = false
  const closed = turns.close().then(() => {
    isClosed = true
  })
  assert.equal(order.at(-1), 'waiting refused: true')
  turns.give(0, [])
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isClosed, false)
  turns.give(1, [])
  await closed
})

test('reports a pressure above zero only while a caller waits', async () => {
  const turns = open(1, { patienceMs: 60_000 })
  const order: string[] = []
  ask(turns, 'held', undefined, order)
  assert.equal(turns.state().pressure, 0)
  ask(turns, 'waiting', undefined, order)
  while (turns.state().pressure === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  turns.give(0, [])
  while (turns.state().pressure > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(order, ['held', 'waiting'])
})

test('reserves slots for reads when writes request all slots', () => {
  const turns = open(4, { limits: new Map([[WRITES_KEY, 3]]) })
  const order: string[] = []
  const write = (kind: string) => ({ ...createScope(), keys: [WRITES_KEY, kind] })
  for (const kind of ['one', 'two', 'three', 'four']) ask(turns, kind, write(kind), order)
  ask(turns, 'read', createScope(), order)
  assert.deepEqual(order, ['one', 'two', 'three', 'read'])
  turns.give(0, [WRITES_KEY, 'one'])
  assert.deepEqual(order, ['one', 'two', 'three', 'read', 'four'])
})
