import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Busy } from '#platform/errors.ts'
import { type Caller, newCaller, onPrimary } from './callers.ts'
import { createTurns, type Turns } from './turns.ts'

const open = (places: number, more: { patienceMs?: number; maxWaiting?: number } = {}) =>
  createTurns<number>({
    places: Array.from({ length: places }, (_, n) => n),
    patienceMs: 60_000,
    maxWaiting: 1000,
    share: 0.5,
    ...more,
  })
const callerOf = (key: string): Caller => ({ ...newCaller(), keys: [key] })

/** Asks for a place, and writes down who got it. */
function ask(turns: Turns<number>, name: string, caller: Caller | undefined, order: string[]) {
  const place = turns.take(caller)
  if (place !== undefined) order.push(name)
  else
    turns.wait(
      caller,
      () => order.push(name),
      (error) => order.push(`${name} refused: ${error instanceof Busy}`),
    )
}

test('places go to those who came first, but to those who have begun before those who have not', () => {
  const turns = open(1)
  const order: string[] = []
  const begun = newCaller()
  ask(turns, 'first', begun, order)
  ask(turns, 'fresh one', newCaller(), order)
  ask(turns, 'fresh two', undefined, order)
  ask(turns, 'first again', begun, order)
  for (let n = 0; n < 3; n += 1) turns.give(0, [])
  assert.deepEqual(order, ['first', 'first again', 'fresh one', 'fresh two'])
})

test('one key holds no more than its share, and others pass those who wait for it', () => {
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

test('who waits too long is refused, and so is who comes when too many wait', async () => {
  const turns = open(1, { patienceMs: 100, maxWaiting: 1 })
  const order: string[] = []
  ask(turns, 'held', newCaller(), order)
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
  assert.equal(turns.waiting(), 0)
  assert.equal(turns.pressure(), 0)
  turns.give(0, [])
  ask(turns, 'next', undefined, order)
  assert.equal(order.at(-1), 'next')
})

test('a request whose client has gone gets no place', () => {
  const turns = open(1)
  const order: string[] = []
  const gone = newCaller()
  ask(turns, 'held', undefined, order)
  ask(turns, 'gone', gone, order)
  ask(turns, 'there', newCaller(), order)
  gone.isGone = true
  turns.give(0, [])
  assert.deepEqual(order, ['held', 'gone refused: true', 'there'])
})

test('what nobody asked for, such as a job, reads from the primary as it is', () => {
  assert.equal(
    onPrimary(() => 'done'),
    'done',
  )
})

test('closing refuses who waits and resolves once all that is held has come back', async () => {
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

test('the pressure tells how much of its patience the first in the queue has used up', async () => {
  const turns = open(1, { patienceMs: 1000 })
  const order: string[] = []
  ask(turns, 'held', undefined, order)
  assert.equal(turns.pressure(), 0)
  ask(turns, 'waiting', undefined, order)
  while (turns.pressure() < 0.3) await new Promise((resolve) => setTimeout(resolve, 10))
  turns.give(0, [])
  while (turns.pressure() > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(order, ['held', 'waiting'])
})
