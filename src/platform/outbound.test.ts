import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { isPublicAddress, postOutbound } from './outbound.ts'

async function receiver(t: TestContext, answer: (response: ServerResponse) => void) {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const send = (allowPrivate: boolean) =>
    postOutbound(url, { headers: {}, body: '{}', timeoutMs: 20_000, allowPrivate })
  return { send, asked: () => asked }
}

test('joins a response that arrives in chunks', async (t) => {
  const { send } = await receiver(t, (response) => {
    response.write('one ')
    setTimeout(() => response.end('two'), 50)
  })
  assert.deepEqual(await send(true), { status: 200, text: 'one two' })
})

test('returns the start of a long response without waiting for its end', async (t) => {
  const { send } = await receiver(t, (response) => void response.write('x'.repeat(3000)))
  assert.deepEqual(await send(true), { status: 200, text: 'x'.repeat(2048) })
})

test('rejects a private address before connecting', async (t) => {
  const { send, asked } = await receiver(t, (response) => void response.end())
  await assert.rejects(send(false), /refused: 127\.0\.0\.1 is not a public address/)
  assert.equal(asked(), 0)
  assert.equal(isPublicAddress('no address'), false)
})
