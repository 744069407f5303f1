import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createLog } from '#platform/observability'
import { createGateway } from './gateway.ts'
import { createSms } from './sender.ts'
import { SmsError } from './text-service.ts'

const message = {
  phone: '+8613812345678',
  text: 'Your code is 123456',
  code: '123456',
  purpose: 'code',
} as const

async function provider(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`
}

test('logs a verification code when no SMS provider is configured', async () => {
  const lines: { level: string; msg: string }[] = []
  const log = createLog({
    level: 'warn',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  })
  const sms = createSms({}, log)
  assert.equal((await sms.send(message)).service, 'log')
  await sms.send({ phone: message.phone, text: 'Welcome', purpose: 'message' })
  assert.equal(lines.length, 2)
  assert.equal(lines[0]?.level, 'warn')
  assert.match(lines[0]?.msg ?? '', /verification.*123456/)
  assert.doesNotMatch(lines[1]?.msg ?? '', /verification/)
})

test('sends the message as JSON with a bearer secret', async (t) => {
  let received: object = {}
  // biome-ignore lint/nursery/noMisusedPromises: a failure fails the test.
  const url = await provider(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { authorization, 'content-type': type } = request.headers
    received = { method: request.method, url: request.url, authorization, type, body: JSON.parse(body) }
    response.writeHead(202).end('queued')
  })
  await createGateway({ url, secret: 's3cret' }).send(message, {})
  const { purpose: _, ...body } = message
  assert.deepEqual(received, {
    method: 'POST',
    url: '/send',
    authorization: 'Bearer s3cret',
    type: 'application/json',
    body,
  })
})

test('classifies a rejection by the gateway as permanent or temporary without exposing personal data', async (t) => {
  for (const [status, permanent] of [
    [400, true],
    [422, true],
    [401, false],
    [429, false],
    [500, false],
    [503, false],
  ] as const) {
    const url = await provider(t, (_, response) => response.writeHead(status).end(message.phone))
    await assert.rejects(createGateway({ url, secret: 's' }).send(message, {}), (error) => {
      assert.ok(error instanceof SmsError)
      assert.deepEqual([error.status, error.permanent], [status, permanent])
      assert.doesNotMatch(error.message, /138|123456/)
      return true
    })
  }
})

test('does not follow a redirect of the gateway', async (t) => {
  const url = await provider(t, (_, response) => response.writeHead(307, { location: '/elsewhere' }).end())
  await assert.rejects(createGateway({ url, secret: 's' }).send(message, {}), SmsError)
})

test('reports an unresponsive or unreachable SMS provider', async (t) => {
  const url = await provider(t, () => {})
  const slow = createGateway({ url, secret: 's' }, 100)
  await assert.rejects(slow.send(message, {}), /did not answer in 100 ms/)
  const missing = createGateway({ url: 'http://127.0.0.1:1/', secret: 's' })
  await assert.rejects(missing.send(message, {}), /unreachable/)
})
