import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { corsHeaders } from './cors.ts'
import { refuseUnreadable } from './unreadable.ts'

function answerTo(code: string, { isGone = false } = {}) {
  const socket = new PassThrough()
  if (isGone) socket.destroy()
  const refuse = refuseUnreadable(corsHeaders(['*']))
  refuse(Object.assign(new Error('unreadable'), { code }), socket as unknown as Socket)
  const text = String(socket.read() ?? '')
  return { status: text.split(' ')[1], code: /^X-Error-Code: (\w+)/m.exec(text)?.[1] }
}

test('maps parser errors to their HTTP status', () => {
  const cases = {
    HPE_HEADER_OVERFLOW: ['431', 'headers_too_large'],
    ERR_HTTP_REQUEST_TIMEOUT: ['408', 'request_timeout'],
    HPE_INVALID_METHOD: ['400', 'bad_request'],
  }
  for (const [fault, [status, code]] of Object.entries(cases))
    assert.deepEqual(answerTo(fault), { status, code })
})

test('sends no reply on a closed connection', () => {
  const nothing = { status: undefined, code: undefined }
  assert.deepEqual(answerTo('ECONNRESET'), nothing)
  assert.deepEqual(answerTo('HPE_INVALID_METHOD', { isGone: true }), nothing)
})
