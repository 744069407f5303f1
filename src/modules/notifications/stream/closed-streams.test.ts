import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'

const { app, ctx, person } = await createWorld({ LOG_LEVEL: 'info', STREAM_HEARTBEAT_MS: '100' })
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo

/** Records what the server logs above the level of requests. */
function listenToLog(t: { mock: { method: typeof import('node:test').mock.method } }) {
  const lines: unknown[][] = []
  for (const level of ['warn', 'error', 'fatal'] as const)
    t.mock.method(ctx.log, level, (...args: unknown[]) => void lines.push([level, ...args]))
  return lines
}

async function openSocket(token: string, method = 'GET') {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `${method} /api/v2/user/notifications/stream?chats=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  )
  return socket
}

test('logs neither errors nor warnings when clients close their streams', async (t) => {
  const { token } = await person()
  const lines = listenToLog(t)
  for (const delay of [0, 1, 3, 10, 200])
    for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const socket = await openSocket(token)
      socket.on('error', () => {})
      if (delay === 200) await once(socket, 'data')
      else await pause(delay)
      socket[end]()
    }
  const ended = await openSocket(token)
  await once(ended, 'data')
  await pause(400)
  assert.deepEqual(lines, [])
  await until(
    async () => /^notification_streams_open 1$/m.test(await ctx.metrics.render()),
    'only one is open',
  )
})
