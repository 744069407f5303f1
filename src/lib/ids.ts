import { randomBytes, randomUUID } from 'node:crypto'

/** `time` is ahead of `requested` after the counter of a millisecond overflowed. */
type Sequence = { requested: number; time: number; count: number }

const clock: Sequence = { requested: 0, time: 0, count: 0 }
const given: Sequence = { requested: 0, time: 0, count: 0 }

/** Returns a time-ordered UUID. Ids of one process increase even when the clock steps back. */
export function uuidv7(now?: number): string {
  const sequence = now === undefined ? clock : given
  advance(sequence, now ?? Math.max(Date.now(), clock.time))
  const time = sequence.time.toString(16).padStart(12, '0')
  const count = sequence.count.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`
}

function advance(sequence: Sequence, now: number): void {
  const again = now === sequence.requested || now === sequence.time
  sequence.requested = now
  if (again && sequence.count < 0xfff) {
    sequence.count++
    return
  }
  sequence.time = again ? sequence.time + 1 : now
  sequence.count = randomBytes(1)[0]!
}

export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}
