import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Busy } from '#platform/errors.ts'
import { toApiError } from './error-reply.ts'

test('maps overload, connection errors and a full disk to 503 or 507, and unknown errors to 500', () => {
  const told = (error: unknown, hasSentBytes = false) => {
    const { status, code, details } = toApiError(error, { hasSentBytes })
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
