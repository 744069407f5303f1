import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toldError } from './error-reply.ts'
import { Busy } from './errors.ts'

test('what will pass is 503 with a time to come again, a full disk is told to who sent bytes, and the rest is 500', () => {
  const told = (error: unknown, hasSentBytes = false) => {
    const { status, code, details } = toldError(error, { hasSentBytes })
    return [status, code, details.headers?.['Retry-After']]
  }
  const fault = (code: string) => Object.assign(new Error('failed'), { code })
  assert.deepEqual(told(new Busy('too much at once')), [503, 'unavailable', 1])
  assert.deepEqual(told(fault('ECONNREFUSED')), [503, 'unavailable', 5])
  assert.deepEqual(told(fault('ENOSPC')), [503, 'unavailable', 5])
  assert.deepEqual(told(fault('ENOSPC'), true), [507, 'storage_full', undefined])
  for (const error of [fault('EACCES'), undefined])
    assert.deepEqual(told(error, true), [500, 'internal_error', undefined])
})
