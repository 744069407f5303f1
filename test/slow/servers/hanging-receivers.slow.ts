import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { createMail, mailSender } from '#modules/mail/mail.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { startWorker } from '../../../src/worker.ts'

const { as, guest, person, ctx, connection, sql } = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
const admin = await person({ roles: ['founder'] })

async function sendNotice() {
  const { status, body } = await as(admin, 'POST', '/admin/notices', { contents: 'meanwhile', all: true })
  assert.equal(status, 201)
  await until(
    async () => (await as(admin, 'GET', `/admin/notices/${body.id}`)).body.status === 'sent',
    'the notice was sent',
  )
}

const STAGES = ['greeting', 'EHLO', 'MAIL', 'DATA'] as const

async function startMailServer() {
  const recipients: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const stage = STAGES[connections++]
    if (stage === 'greeting') return
    socket.write('220 mail.example ESMTP\r\n')
    let isData = false
    let to = ''
    createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      if (isData) {
        if (line !== '.') return
        isData = false
        recipients.push(to)
        return void socket.write('250 taken\r\n')
      }
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === stage) return
      to = /^RCPT TO:<(.*)>/i.exec(line)?.[1] ?? to
      isData = verb === 'DATA'
      const usual = { EHLO: '250 mail.example', DATA: '354 go on', QUIT: '221 bye' }[verb]
      socket.write(`${usual ?? '250 ok'}\r\n`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { recipients, connections: () => connections, url: `smtp://127.0.0.1:${port}` }
}

test('delivers each verification code once when a mail server hangs', async () => {
  const server = await startMailServer()
  const mail = Object.assign(mailSender(ctx), createMail({ smtpUrl: server.url }, ctx.log))
  const worker = await startWorker(ctx, connection)
  const addresses = STAGES.map((_, n) => `person${n}@example.org`)
  for (const email of addresses)
    assert.equal((await guest('POST', '/verifycodes/register', { email })).status, 202)
  await until(() => server.connections() >= 3, 'all connections of the pool hang')
  await sendNotice()
  assert.deepEqual(server.recipients, [])
  const jobs = () => sql<{ attempts: number }[]>`
    select attempts from graphile_worker.jobs where task_identifier = 'send_code'`
  await until(async () => (await jobs()).every(({ attempts }) => attempts > 1), 'a retry of each code')
  await until(async () => (await jobs()).length === 0, 'every code was sent')
  assert.deepEqual(server.recipients.sort(), addresses)
  await worker.stop()
  await mail.close()
})

test('stops waiting for webhook endpoints that hang', async () => {
  const hanging: Socket[] = []
  let isHanging = true
  const delivered: string[] = []
  const receiver = createHttp((request, response) => {
    request.resume()
    const path = request.url ?? ''
    if (!isHanging || path === '/well') {
      delivered.push(path)
      return void response.writeHead(204).end()
    }
    hanging.push(request.socket)
    if (path === '/silent') return
    response.writeHead(200)
    // Sends the response too slowly to reach the size at which the server stops reading.
    const drip = setInterval(() => response.write('.'), 100)
    request.socket.once('close', () => clearInterval(drip))
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => {
    for (const socket of hanging) socket.destroy()
    receiver.close()
  })
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const create = async (path: string) =>
    (await as(admin, 'POST', '/admin/webhooks', { url: base + path, types: ['webhook.none'] })).body
      .id as number
  const [silent, dripping, well] = [await create('/silent'), await create('/dripping'), await create('/well')]
  const worker = await startWorker(ctx, connection)
  for (const id of [silent, dripping]) await as(admin, 'POST', `/admin/webhooks/${id}/ping`)
  await until(() => hanging.length === 2, 'both requests hang')
  await as(admin, 'POST', `/admin/webhooks/${well}/ping`)
  await until(() => delivered.includes('/well'), 'the delivery to another endpoint')
  await sendNotice()
  const deliveries = () => sql<{ status: string; attempts: number; error: string | null }[]>`
    select status, attempts, log -> -1 ->> 'error' as error from webhook_deliveries
    where endpoint_id in (${silent}, ${dripping}) order by endpoint_id`
  await until(async () => (await deliveries()).every(({ attempts }) => attempts === 1), 'the timeout of both')
  for (const { status, error } of await deliveries()) {
    assert.equal(status, 'pending')
    assert.match(String(error), /no answer in|aborted/)
  }
  await until(() => hanging.every(({ destroyed }) => destroyed), 'both connections are closed')
  isHanging = false
  await sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`
  await sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`
  await until(
    async () => (await deliveries()).every(({ status }) => status === 'delivered'),
    'the retry of both',
  )
  assert.deepEqual(delivered.sort(), ['/dripping', '/silent', '/well'])
  await worker.stop()
})
