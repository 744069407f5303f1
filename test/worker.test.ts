import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { mailSender } from '#modules/mail/index.ts'
import { createWorld } from '#test/world.ts'
import { startWorker } from '../src/worker.ts'

const { as, person, ctx, connection, sql } = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
const admin = await person({ roles: ['founder'] })

test('delays no other jobs when a webhook endpoint does not respond', async () => {
  const held: ServerResponse[] = []
  const arrived = new Map<string, () => void>()
  const receiver = createServer((request, response) => {
    request.resume()
    if (request.url?.startsWith('/slow')) held.push(response)
    else response.writeHead(204).end()
    arrived.get(request.url ?? '')?.()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => receiver.close())
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const endpoint = async (path: string) =>
    (await as(admin, 'POST', '/admin/webhooks', { url: base + path })).body.id as number
  // The pings to these endpoints would occupy every webhook worker without a limit per endpoint.
  const slow = [await endpoint('/slow1'), await endpoint('/slow2'), await endpoint('/slow3')]
  const quick = await endpoint('/quick')
  const ping = (id: number) => as(admin, 'POST', `/admin/webhooks/${id}/ping`)
  const mailed = Promise.withResolvers<void>()
  mailSender(ctx).send = async () => mailed.resolve()
  const worker = await startWorker(ctx, connection)
  const reached = (path: string) => new Promise<void>((resolve) => arrived.set(path, resolve))
  const slowReached = [reached('/slow1'), reached('/slow2')]
  for (let n = 0; n < 12; n += 1) for (const id of slow) assert.ok((await ping(id)).status < 300)
  await Promise.all(slowReached)
  while (held.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
  const quickReached = reached('/quick')
  assert.ok((await ping(quick)).status < 300)
  await quickReached
  await as(admin, 'POST', '/verifycodes/register', { email: 'somebody@example.org' })
  await mailed.promise
  const notice = await as(admin, 'POST', '/admin/notices', { contents: 'hello', all: true })
  assert.equal(notice.status, 201, JSON.stringify(notice.body))
  for (let status = ''; status !== 'sent'; )
    [{ status }] = await sql<[{ status: string }]>`select status from notices`
  assert.ok(held.length <= 6, `${held.length} requests at once to three endpoints`)
  for (const response of held) response.writeHead(204).end()
  receiver.on('request', (_request, response) => response.headersSent || response.writeHead(204).end())
  await worker.stop()
})
