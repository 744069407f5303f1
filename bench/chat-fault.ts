/** Kills the server, and every second time its database too, while users chat. Part of `npm run torture`. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { type ChatEventMessage, openChatStream } from '#test/fixtures/chat-streams.ts'
import { randomOf } from '#test/fixtures/payments.ts'
import { ask, crash, send, startServer } from '#test/fixtures/sites.ts'
import { untilReady } from './paying.ts'

const PEOPLE = 5

type Sender = { token: string; name: string; sent: number; pending?: { key: string; chat: number } }
type Stored = { chat_id: number; position: number; body: string }

async function chat(
  address: string,
  sender: Sender,
  chats: number[],
  acknowledged: Stored[],
  isOver: () => boolean,
): Promise<boolean> {
  while (!isOver()) {
    const { token, name } = sender
    sender.pending ??= {
      key: `${name} ${sender.sent}`,
      chat: chats[sender.sent % chats.length] as number,
    }
    const { key, chat } = sender.pending
    const answer = await send(
      address,
      token,
      'POST',
      `/chats/${chat}/messages`,
      { body: key },
      `chat ${key}`,
    ).catch(() => undefined)
    if (!answer) return true
    if (answer.status !== 201) {
      assert.ok(answer.status >= 500 || answer.status === 409, JSON.stringify(answer))
      await wait(50)
      continue
    }
    acknowledged.push(answer.body as Stored)
    sender.sent += 1
    delete sender.pending
  }
  return false
}

function follow(token: string) {
  const seen: ChatEventMessage[] = []
  let last: string | undefined
  return {
    seen,
    async open(address: string) {
      const reader = await openChatStream(address, token, last === undefined ? {} : { after: last })
      let taken = 0
      const take = () => {
        seen.push(...reader.messages.slice(taken))
        taken = reader.messages.length
        last = reader.last()
      }
      return { take, ended: reader.ended, close: reader.close }
    },
  }
}

function firstArrivals(messages: ChatEventMessage[], chatId: number): string[] {
  const bodies: string[] = []
  let position = 0
  for (const message of messages)
    if (message.chat_id === chatId && message.position > position) {
      bodies.push(message.body)
      position = message.position
    }
  return bodies
}

async function settle(dataDir: string, address: string) {
  const people = await ask(dataDir, (sql) =>
    Promise.all(
      Array.from({ length: PEOPLE }, async (_, n) => {
        const id = await createUser(sql, { name: `chatter${n}`, password: null, roles: ['owner'] })
        return { id, name: `chatter${n}`, token: (await issueToken(sql, id)).access_token }
      }),
    ),
  )
  const [owner, other] = people
  assert.ok(owner && other)
  const group = { groupname: 'Torture', desc: 'Torture', members: people.slice(1).map(({ id }) => id) }
  const made = await send(address, owner.token, 'POST', '/im/group', group)
  const { im_group_id: id } = made.body as { im_group_id: number }
  const shared = await send(address, owner.token, 'PUT', `/chats/groups/${id}`)
  const pair = await send(address, owner.token, 'PUT', `/chats/people/${other.id}`)
  const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id
  return { people, group: idOf(shared), pair: idOf(pair) }
}

export async function listAll(address: string, token: string, chatId: number): Promise<Stored[]> {
  const all: Stored[] = []
  for (;;) {
    const after = all.at(-1)?.position ?? 0
    const { body } = await send(address, token, 'GET', `/chats/${chatId}/messages?after=${after}&limit=100`)
    const { data } = body as { data: Stored[] }
    if (data.length === 0) return all
    all.push(...data)
  }
}

const fromPeople = <T extends { body: string }>(messages: T[]): T[] =>
  messages.filter(({ body }) => body.startsWith('chatter'))

export async function killWhileChatting(dataDir: string, seed: number, kills: number): Promise<string> {
  const random = randomOf(seed)
  const env = { STREAM_HEARTBEAT_MS: '500' }
  let server = startServer(dataDir, env)
  let address = await server.address
  const { people, group, pair } = await settle(dataDir, address)
  const senders: Sender[] = people.map(({ token, name }) => ({ token, name, sent: 0 }))
  const readers = people.slice(0, 2).map(({ token }) => follow(token))
  const acknowledged: Stored[] = []
  let cut = 0

  const round = async (isLast: boolean, hasDatabaseKill: boolean) => {
    await untilReady(address)
    const open = await Promise.all(readers.map((reader) => reader.open(address)))
    let isOver = false
    const chatting = Promise.all(
      senders.map((sender, n) =>
        chat(address, sender, n < 2 ? [group, pair] : [group], acknowledged, () => isOver && !sender.pending),
      ),
    )
    await wait(200 + random() * 800)
    if (isLast) {
      isOver = true
      await chatting
      for (let waited = 0; waited < 10_000; waited += 100) {
        for (const each of open) each.take()
        const counts = readers.map(({ seen }) => new Set(fromPeople(seen).map(({ body }) => body)).size)
        if (counts.every((count) => count === acknowledged.length)) break
        await wait(100)
      }
      for (const each of open) each.close()
      return
    }
    await crash(server, hasDatabaseKill ? join(dataDir, 'postgres', 'cluster') : undefined)
    isOver = true
    cut += (await chatting).filter(Boolean).length
    await Promise.all(open.map(({ ended }) => ended))
    for (const each of open) each.take()
    server = startServer(dataDir, env)
    address = await server.address
  }
  for (let kill = 0; kill < kills; kill += 1) await round(false, kill % 2 === 1)
  await round(true, false)

  for (const chatId of [group, pair]) {
    const stored = await listAll(address, people[0]?.token ?? '', chatId)
    const ours = fromPeople(stored)
    const told = acknowledged.filter(({ chat_id }) => chat_id === chatId)
    assert.deepEqual(
      stored.map(({ position }) => position),
      stored.map((_, index) => index + 1),
      'positions have gaps',
    )
    assert.deepEqual(
      ours.map(({ body, position }) => `${position} ${body}`),
      told.toSorted((a, b) => a.position - b.position).map(({ body, position }) => `${position} ${body}`),
      'stored and acknowledged messages differ',
    )
    for (const { name } of senders) {
      const own = ours.filter(({ body }) => body.startsWith(`${name} `)).map(({ body }) => body)
      const inOrder = own.toSorted((a, b) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]))
      assert.deepEqual(own, inOrder, `messages of ${name} are out of order`)
    }
    for (const { seen } of readers)
      assert.deepEqual(
        firstArrivals(fromPeople(seen), chatId),
        ours.map(({ body }) => body),
        'a stream lost or reordered messages',
      )
  }
  server.child.kill('SIGTERM')
  await server.ended
  return `${kills} kills, ${acknowledged.length} messages, ${cut} cut off; each acknowledged one was there, once, in order, also on the streams that resumed`
}
