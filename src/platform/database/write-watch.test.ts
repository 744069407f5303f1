import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWriteWatch } from './write-watch.ts'

test('reports failing writes for a minute after the last failure, and while a backend is abandoned', () => {
  let time = 0
  let abandoned = 0
  const watch = createWriteWatch(() => time)
  watch.addAbandoned(() => abandoned)
  assert.equal(watch.fault(), undefined)
  watch.note({ code: '23505' })
  watch.note(undefined)
  assert.equal(watch.fault(), undefined)
  watch.note({ code: '53100' })
  time = 59_000
  assert.equal(watch.fault(), 'the disk of the database is full')
  time = 61_000
  assert.equal(watch.fault(), undefined)
  watch.note({ code: '25006' })
  assert.equal(watch.fault(), 'the database is read-only')
  abandoned = 1
  time = 200_000
  assert.match(String(watch.fault()), /synchronous standby/)
  abandoned = 0
  assert.equal(watch.fault(), undefined)
})
