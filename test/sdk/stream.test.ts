import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { isKithError } from '../../sdk/src/index.ts'
import { clientOf, createRunningWorld } from './running.ts'

const { url, person, as, sql } = await createRunningWorld()

async function createCutter(): Promise<{
  url: string
  cut(until?: Promise<unknown>): void
  opened(): number
}> {
  let opened = 0
  let shut: Promise<unknown> = Promise.resolve()
  const open = new Set<{ destroy(): void }>()
  const proxy: Server = createServer(async (incoming, reply) => {
    await shut
    opened += 1
    const onward = request(
      `${url}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(reply)
      },
    )
    open.add(reply)
    open.add(onward)
    onward.on('error', () => reply.destroy())
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = (until?: Promise<unknown>) => {
    shut = until ?? shut
    for (const each of open) each.destroy()
    open.clear()
  }
  after(() => {
    cut()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut, opened: () => opened }
}

test('delivers each notification once when connections are lost', async () => {
  const ann = await person()
  const cutter = await createCutter()
  const { kith } = clientOf(cutter.url, ann, {})
  const ended = new AbortController()
  const follow = async () => as(await person(), 'PUT', `/user/followings/${ann.id}`)
  await follow()
  const seen: number[] = []
  // Starts from the first notification, because the stream may open after the first follow.
  for await (const told of kith.notifications({ after: 0, signal: ended.signal })) {
    assert.equal(told.type, 'follow')
    assert.ok(told.data.sender.name && told.id)
    seen.push(told.seq)
    if (seen.length === 2) {
      cutter.cut()
      await follow()
      await follow()
    }
    if (seen.length === 1) await follow()
    if (seen.length === 4) ended.abort()
  }
  assert.deepEqual(seen, [1, 2, 3, 4])
  assert.ok(cutter.opened() >= 2)
})

test('misses no notification when a stream is lost before its first notification', async () => {
  const ann = await person()
  await as(await person(), 'PUT', `/user/followings/${ann.id}`)
  const cutter = await createCutter()
  const { kith } = clientOf(cutter.url, ann, {})
  const bob = await person()
  let isFirst = true
  const onConnection = (isOpen: boolean) => {
    if (!isOpen || !isFirst) return
    isFirst = false
    cutter.cut(as(bob, 'PUT', `/user/followings/${ann.id}`))
  }
  for await (const told of kith.notifications({ onConnection })) {
    assert.equal(told.type, 'follow')
    assert.equal(told.seq, 2)
    break
  }
  assert.equal(cutter.opened(), 2)
})

test('ends the stream when the user signs out', async () => {
  const ann = await person()
  await as(await person(), 'PUT', `/user/followings/${ann.id}`)
  const { kith } = clientOf(url, ann)
  const read = async () => {
    for await (const _ of kith.notifications({ after: 0 })) await as(ann, 'POST', '/auth/logout')
  }
  await assert.rejects(read(), (error) => isKithError(error, 'unauthenticated'))
  const [row] = await sql<[{ count: number }]>`select count(*)::int from tokens where user_id = ${ann.id}`
  assert.equal(row.count, 1)
})
