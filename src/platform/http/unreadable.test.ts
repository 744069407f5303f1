import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { corsHeaders } from './cors.ts'
import { refuseUnreadable } from './unreadable.ts'

/** Returns the status and code for an error of Node's parser, and how often it was counted. */
async function answerTo(code: string, { isGone = false } = {}) {
  const socket = new PassThrough()
  if (isGone) socket.destroy()
  let counted = 0
  const refuse = refuseUnreadable(
    () => {
      counted += 1
      return { limit: 60, remaining: 59, resetAt: 0, exceeded: false }
    },
    corsHeaders(['*']),
  )
  refuse(Object.assign(new Error('unreadable'), { code }), socket as unknown as Socket)
  await setImmediate()
  const text = String(socket.read() ?? '')
  return { status: text.split(' ')[1], code: /^X-Error-Code: (\w+)/m.exec(text)?.[1], counted }
}

test('distinguishes parser errors that a client can fix', async () => {
  const cases = {
    HPE_HEADER_OVERFLOW: ['431', 'headers_too_large'],
    ERR_HTTP_REQUEST_TIMEOUT: ['408', 'request_timeout'],
    HPE_INVALID_METHOD: ['400', 'bad_request'],
  }
  for (const [fault, [status, code]] of Object.entries(cases))
    assert.deepEqual(await answerTo(fault), { status, code, counted: 1 })
})

test('neither replies to nor counts a connection that is gone', async () => {
  const nothing = { status: undefined, code: undefined, counted: 0 }
  assert.deepEqual(await answerTo('ECONNRESET'), nothing)
  assert.deepEqual(await answerTo('HPE_INVALID_METHOD', { isGone: true }), nothing)
})

test('closes the connection when the rate limiter fails', async () => {
  const socket = new PassThrough()
  const refuse = refuseUnreadable(() => Promise.reject(new Error('Redis is away')), corsHeaders(['*']))
  refuse(new Error('unreadable'), socket as unknown as Socket)
  await setImmediate()
  assert.equal(socket.destroyed, true)
})
