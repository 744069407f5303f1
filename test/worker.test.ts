import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { startWorker } from '../src/worker.ts'

const { as, person, ctx, connection, sql } = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
const admin = await person({ roles: ['founder'] })

test('an endpoint that does not answer delays neither other endpoints, nor mail, nor the jobs of this house', async () => {
  const held: ServerResponse[] = []
  const arrived = new Map<string, () => void>()
  const receiver = createServer((request, response) => {
    request.resume()
    if (request.url === '/slow') held.push(response)
    else response.writeHead(204).end()
    arrived.get(request.url ?? '')?.()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => receiver.close())
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const endpoint = async (path: string) =>
    (await as(admin, 'POST', '/admin/webhooks', { url: base + path })).body.id as number
  const slow = await endpoint('/slow')
  const quick = await endpoint('/quick')
  const ping = (id: number) => as(admin, 'POST', `/admin/webhooks/${id}/ping`)
  const mailed = Promise.withResolvers<void>()
  const worker = await startWorker(
    { ...ctx, mail: { ...ctx.mail, send: async () => mailed.resolve() } },
    connection,
  )
  const reached = (path: string) => new Promise<void>((resolve) => arrived.set(path, resolve))
  const slowReached = reached('/slow')
  for (let n = 0; n < 12; n += 1) assert.ok((await ping(slow)).status < 300)
  await slowReached
  const quickReached = reached('/quick')
  assert.ok((await ping(quick)).status < 300)
  await quickReached
  await as(admin, 'POST', '/verifycodes/register', { email: 'somebody@example.org' })
  await mailed.promise
  const notice = await as(admin, 'POST', '/admin/notices', { contents: 'hello', all: true })
  assert.equal(notice.status, 201, JSON.stringify(notice.body))
  for (let status = ''; status !== 'sent'; )
    [{ status }] = await sql<[{ status: string }]>`select status from notices`
  assert.ok(held.length <= 2, `${held.length} requests at once to one endpoint`)
  for (const response of held) response.writeHead(204).end()
  receiver.on('request', (_request, response) => response.headersSent || response.writeHead(204).end())
  await worker.stop()
})
