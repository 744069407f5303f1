import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openChatStream } from '#test/fixtures/chat-streams.ts'
import { killAll, startNode } from '#test/fixtures/sites.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, person } = world
after(killAll)

const start = () => startNode(world, { STREAM_HEARTBEAT_MS: '500' })

test('delivers each acknowledged message once when a server is killed (im-15)', async () => {
  const [one, two] = await Promise.all([start(), start()])
  const [ann, bob] = [await person(), await person()]
  const { id: chat } = (await as(ann, 'PUT', `/chats/people/${bob.id}`)).body
  const acknowledged: string[] = []
  const send = async (base: string, text: string): Promise<boolean> => {
    const response = await fetch(`${base}/api/v2/chats/${chat}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ann.token}`,
        'content-type': 'application/json',
        'idempotency-key': text,
      },
      body: JSON.stringify({ body: text }),
    }).catch(() => undefined)
    if (response?.status !== 201) return false
    acknowledged.push(text)
    return true
  }
  const [killed, kept] = [
    await openChatStream(one.base, bob.token),
    await openChatStream(two.base, bob.token),
  ]

  for (let number = 0; number < 10; number += 1) assert.ok(await send(one.base, `a${number}`))
  const counts = () => [killed.messages.length, kept.messages.length]
  await until(() => counts().every((count) => count === 10), 'both have the first messages')
  const sending = (async () => {
    for (let number = 0; number < 200; number += 1) {
      const text = `b${number}`
      // Repeats the request with the same key on another server, like a client without a response.
      if (!(await send(one.base, text))) assert.ok(await send(two.base, text), text)
    }
  })()
  await until(() => acknowledged.length > 60, 'some more')
  await one.kill()
  await killed.ended
  await sending

  const resumed = await openChatStream(two.base, bob.token, { after: killed.last() })
  await until(() => kept.messages.length >= 210, 'all messages on the other server')
  const missing = () => {
    const seen = new Set([...killed.messages, ...resumed.messages].map(({ body }) => body))
    return acknowledged.filter((text) => !seen.has(text))
  }
  await until(() => missing().length === 0, 'all messages for the resumed reader')

  const listed: string[] = []
  for (let position = 0; ; position = listed.length) {
    const { data } = (await as(bob, 'GET', `/chats/${chat}/messages?after=${position}&limit=100`)).body
    if (data.length === 0) break
    listed.push(...data.map(({ body }: { body: string }) => body))
  }
  assert.deepEqual(listed, acknowledged)
  assert.deepEqual(
    kept.messages.map(({ body }) => body),
    acknowledged,
  )
  kept.close()
  resumed.close()
  await two.kill()
})
