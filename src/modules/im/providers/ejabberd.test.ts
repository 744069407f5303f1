import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createEjabberd } from './ejabberd.ts'

/** Successive responses to `get_room_options`. Every other command succeeds. */
const responses: { status: number; body: unknown }[] = []
const asked: string[] = []
const server = createServer((request, response) => {
  const command = request.url?.slice(1) ?? ''
  request.resume()
  asked.push(command)
  const { status, body } = (command === 'get_room_options' && responses.shift()) || { status: 200, body: 0 }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())

const provider = createEjabberd({
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  host: 'localhost',
  service: 'conference.localhost',
  user: 'admin',
  password: 'secret',
  timeoutMs: 5_000,
})
const there = { status: 200, body: { title: 'Room' } }
const ending = { status: 500, body: 'internal_error' }
const gone = { status: 200, body: {} }

test('waits until the process of a deleted room has ended', async () => {
  responses.push(there, there, ending, gone)
  assert.equal(await provider.deleteGroup('1'), true)
  assert.equal(asked.filter((command) => command === 'destroy_room').length, 1)
  responses.push(ending, ending, gone)
  assert.equal(await provider.deleteGroup('1'), false)
  assert.equal(asked.filter((command) => command === 'destroy_room').length, 1)
})

test('closes the connections of an account when its password changes', async () => {
  asked.length = 0
  await provider.setPassword('1', 'another')
  await provider.unlock('1', 'another')
  assert.deepEqual(asked, ['change_password', 'kick_user', 'change_password', 'kick_user'])
})

test('reports an unexpected error of ejabberd as unavailable', async () => {
  responses.push({ status: 500, body: 'out of memory' })
  await assert.rejects(provider.deleteGroup('1'), { fault: 'unavailable' })
})
