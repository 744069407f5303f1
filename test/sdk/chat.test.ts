import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/fixtures/streams.ts'
import type { ChatEvent } from '../../sdk/src/index.ts'
import { clientOf, createRunningWorld } from './running.ts'

const { url, person, app } = await createRunningWorld()

test('returns the sent messages of a conversation', async () => {
  const [ann, bob] = [await person(), await person()]
  const [one, two] = [clientOf(url, ann).kith, clientOf(url, bob).kith]
  const chat = await one.chat.withPerson(bob.id)
  const sent = await one.chat.send(chat.id, 'Hello')
  await one.chat.send(chat.id, { body: 'Reply', reply_to: sent.id })
  const seen = await two.chat.messages(chat.id)
  assert.deepEqual(seen.map(({ body, reply_to }) => [body, reply_to]).sort(), [
    ['Hello', null],
    ['Reply', sent.id],
  ])
  assert.deepEqual(
    (await two.chat.messages(chat.id, { after: 1 })).map(({ body }) => body),
    ['Reply'],
  )
  assert.equal(await two.chat.read(chat.id, 2), 2)
  assert.equal((await two.get('/chats'))[0]?.unread, 0)
})

test('sends a message once when the response is lost', async () => {
  const [ann, bob] = [await person(), await person()]
  let isLost = false
  const { kith } = clientOf(url, ann, {
    fetch: async (input, init) => {
      const sent = input as Request
      const isMessage = sent.method === 'POST' && sent.url.endsWith('/messages')
      const response = await fetch(input, init)
      if (isMessage && !isLost) {
        isLost = true
        throw new TypeError('lost')
      }
      return response
    },
  })
  const chat = await kith.chat.withPerson(bob.id)
  await kith.chat.send(chat.id, 'Once')
  assert.ok(isLost)
  assert.equal((await kith.chat.messages(chat.id)).length, 1)
})

test('yields each message once when connections are lost', async () => {
  const [ann, bob] = [await person(), await person()]
  const [sender, reader] = [clientOf(url, ann).kith, clientOf(url, bob).kith]
  const chat = await sender.chat.withPerson(bob.id)
  const abort = new AbortController()
  const events: ChatEvent[] = []
  let opened = 0
  const reading = (async () => {
    const onConnection = (isOpen: boolean) => {
      opened += isOpen ? 1 : 0
    }
    for await (const event of reader.chat.events({ signal: abort.signal, onConnection })) events.push(event)
  })()
  await until(() => opened === 1, 'the stream is open')
  const texts = () => events.flatMap((event) => (event.event === 'message' ? event.message.body : []))
  for (let number = 0; number < 5; number += 1) await sender.chat.send(chat.id, `m${number}`)
  await until(() => texts().length === 5, 'the first messages')
  app.server.closeAllConnections()
  for (let number = 5; number < 10; number += 1) await sender.chat.send(chat.id, `m${number}`)
  await sender.chat.typing(chat.id)
  await sender.chat.presence(chat.id)
  await until(() => texts().length === 10, 'all messages')
  const [first] = await sender.chat.messages(chat.id, { after: 0, limit: 1 })
  await sender.patch('/chats/{chat}/messages/{message}', {
    params: { path: { chat: chat.id, message: first?.id ?? 0 } },
    body: { body: 'M0' },
  })
  await until(() => texts().includes('M0'), 'the edited message')
  const present = events.filter((event) => event.event === 'presence')
  for (const { chatId, userIds } of present) assert.deepEqual([chatId, userIds], [chat.id, [ann.id]])
  assert.deepEqual(texts(), [...Array.from({ length: 10 }, (_, number) => `m${number}`), 'M0'])
  abort.abort()
  await reading
})
