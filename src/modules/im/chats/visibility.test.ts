import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ChatReader, openChatStream } from '#test/fixtures/chat-streams.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { exportsOn } from '#test/fixtures/exports.ts'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { until } from '#test/fixtures/streams.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'
import { pushSender } from '../../notifications/push/push-services.ts'
import type { PushMessage } from '../../notifications/push/sender.ts'
import { pushChat } from './push.ts'

const world = await createWorld({ STREAM_HEARTBEAT_MS: '200' })
const { app, as, ctx, person, sql } = world
await app.listen({ host: '127.0.0.1', port: 0 })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const { pair, say, send } = chatsOf(world)
const { makeGroup } = imGroupsOf(world)
const { owner: exporter, exportOf } = await exportsOn(world)
let pushed: PushMessage[] = []
pushSender(ctx).send = async (messages) => {
  pushed.push(...messages)
  return { gone: [] }
}

type Message = {
  id: number
  chat: number
  position: number
  sender: number
  body: string
  deleted: boolean
  file: number | undefined
}
const shownAs = ({ id, body, deleted }: { id: number; body: string; deleted: boolean }) =>
  `${id} ${deleted ? 'deleted' : body}`

const Step = fc.record({
  do: fc.constantFrom(
    ...([
      'say',
      'say',
      'say',
      'edit',
      'edit',
      'delete',
      'clear',
      'leave',
      'join',
      'block',
      'unblock',
    ] as const),
  ),
  who: fc.nat(3),
  other: fc.nat(3),
  inGroup: fc.boolean(),
  hasFile: fc.boolean(),
  which: fc.nat(99),
})

/** Plays a history against a model of its visible messages. */
async function openHistory() {
  const people = await Promise.all(Array.from({ length: 4 }, () => exporter()))
  const [owner, ann, bob] = people as unknown as [Person, Person, Person]
  const clock = await person()
  for (const who of people)
    await as(who, 'PUT', '/user/devices', { token: `device-${who.id}`, platform: 'android' })
  const groupId = await makeGroup(owner, { members: `${ann.id},${bob.id}` })
  const group: number = (await as(owner, 'PUT', `/chats/groups/${groupId}`)).body.id
  const chat = await pair(ann, bob)
  const members = new Map([owner, ann, bob].map(({ id }) => [id, 0]))
  const hidden = new Map<number, number>()
  const blocks = new Set<string>()
  const messages: Message[] = []
  const allowed = new Map(people.map(({ id }) => [id, new Set<string>()]))
  /** Messages that the person could see without a break since they were sent. */
  const lasting = new Map(people.map(({ id }) => [id, new Set<number>()]))

  const isMember = (who: number, { chat: id }: { chat: number }) =>
    id === group ? members.has(who) : who === ann.id || who === bob.id
  const isVisible = (who: number, message: Message) => {
    const start = message.chat === group ? members.get(who) : hidden.get(who)
    return (
      isMember(who, message) && message.position > (start ?? 0) && !blocks.has(`${who} ${message.sender}`)
    )
  }
  const visibleTo = (who: number) => messages.filter((message) => isVisible(who, message))
  const note = () => {
    for (const { id } of people) {
      for (const message of visibleTo(id)) allowed.get(id)?.add(shownAs(message))
      for (const message of messages) if (!isVisible(id, message)) lasting.get(id)?.delete(message.id)
    }
  }
  const lastPosition = async (id: number) => {
    const [row] = await sql<[{ last_position: number }]>`select last_position from chats where id = ${id}`
    return row.last_position
  }

  const ticks = await Promise.all(
    people.map(async (who) => {
      const of = await pair(clock, who)
      return { of, message: (await say(clock, of, 'tick')).id as number }
    }),
  )
  const streams = await Promise.all(people.map(({ token }) => openChatStream(base, token)))
  const cursors = streams.map((stream) => stream.last())
  let ticked = 0
  /** Waits until the streams have all events so far. They deliver changed messages last, in the order of the changes. */
  const settle = async (readers: ChatReader[] = streams) => {
    ticked += 1
    const body = `tick ${ticked}`
    await Promise.all(
      ticks.map(({ of, message }) => as(clock, 'PATCH', `/chats/${of}/messages/${message}`, { body })),
    )
    for (const reader of readers) await until(() => reader.messages.some((each) => each.body === body), body)
  }

  const steps = {
    async say(who: Person, { inGroup, hasFile }: Given) {
      const to = inGroup ? group : chat
      const isBlocked = blocks.has(`${ann.id} ${bob.id}`) || blocks.has(`${bob.id} ${ann.id}`)
      if (!isMember(who.id, { chat: to }) || (!inGroup && isBlocked)) return
      const file = hasFile ? await uploadPicture(world, who) : undefined
      const body = `word ${messages.length}`
      const sent = await send(who, to, { body, ...(file ? { file } : {}) })
      assert.equal(sent.status, 201)
      const { id, position } = sent.body
      messages.push({ id, position, chat: to, sender: who.id, body, deleted: false, file })
      for (const one of people) if (isVisible(one.id, messages.at(-1)!)) lasting.get(one.id)?.add(id)
    },
    async edit(who: Person, { which }: Given) {
      const message = ownOf(who, which)
      if (!message) return
      message.body += '!'
      const path = `/chats/${message.chat}/messages/${message.id}`
      assert.equal((await as(who, 'PATCH', path, { body: message.body })).status, 200)
    },
    async delete(who: Person, { which }: Given) {
      const message = ownOf(who, which)
      if (!message) return
      Object.assign(message, { deleted: true })
      assert.equal((await as(who, 'DELETE', `/chats/${message.chat}/messages/${message.id}`)).status, 204)
    },
    async clear(who: Person) {
      if (who !== ann && who !== bob) return
      hidden.set(who.id, await lastPosition(chat))
      assert.equal((await as(who, 'DELETE', `/chats/${chat}`)).status, 204)
    },
    async leave(who: Person) {
      if (who === owner || !members.delete(who.id)) return
      assert.equal((await as(who, 'DELETE', `/chats/${group}`)).status, 204)
    },
    async join(who: Person) {
      if (members.has(who.id)) return
      await settle()
      members.set(who.id, await lastPosition(group))
      const body = { im_group_id: Number(groupId), members: String(who.id) }
      assert.equal((await as(owner, 'POST', '/im/group/member', body)).status, 201)
    },
    async block(who: Person, { other }: Given) {
      const target = people[other]!
      if (who === target || who === owner || target === owner) return
      blocks.add(`${who.id} ${target.id}`)
      assert.equal((await as(who, 'POST', `/user/black/${target.id}`)).status, 201)
    },
    async unblock(who: Person, { other }: Given) {
      const target = people[other]!
      if (!blocks.has(`${who.id} ${target.id}`)) return
      await settle()
      blocks.delete(`${who.id} ${target.id}`)
      assert.equal((await as(who, 'DELETE', `/user/black/${target.id}`)).status, 204)
    },
  }
  const ownOf = (who: Person, which: number) => {
    const own = visibleTo(who.id).filter(({ sender, deleted }) => sender === who.id && !deleted)
    return own[which % Math.max(own.length, 1)]
  }
  const play = async (step: Given & { do: keyof typeof steps }) => {
    await steps[step.do](people[step.who]!, step)
    note()
  }
  return {
    ...{ people, chat, group, messages, play, settle, streams, cursors, allowed, lasting, isVisible },
    ...{ visibleTo, isMember },
  }
}
type Given = { who: number; other: number; inGroup: boolean; hasFile: boolean; which: number }

const [OWNER, ANN, BOB, LATE] = [0, 1, 2, 3]
const step = (
  does: (typeof Step extends fc.Arbitrary<infer S> ? S : never)['do'],
  who: number,
  given: Partial<Given> = {},
) => ({
  ...{ do: does, who, other: 0, inGroup: true, hasFile: false, which: 0 },
  ...given,
})
/** Contains every reason for which a member does not see a message, whatever the random histories contain. */
const EVERY_REASON = [
  step('say', BOB, { hasFile: true }),
  step('say', BOB, { inGroup: false }),
  step('say', ANN, { inGroup: false }),
  step('clear', ANN),
  step('edit', BOB, { which: 1 }),
  step('block', ANN, { other: BOB }),
  step('say', BOB),
  step('edit', BOB, { which: 2 }),
  step('say', OWNER),
  step('join', LATE),
  step('edit', BOB),
  step('edit', OWNER),
  step('say', BOB, { hasFile: true }),
  step('leave', ANN),
  step('say', OWNER),
  step('delete', OWNER),
]

test('shows the same messages in lists, search, streams, pushes, files, reports, replies and exports (im-18)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 25, maxLength: 40 }), async (steps) => {
      const history = await openHistory()
      const { people, chat, group, messages, allowed, lasting, visibleTo, isMember, isVisible } = history
      const own = new Set([chat, group])
      const nameOf = (id: number) => people.find((each) => each.id === id)?.name
      const faults: string[] = []
      /** Collects all differences, so that a failure names every surface that has another rule. */
      const compare = (surface: string, actual: unknown, wanted: unknown) => {
        const [is, should] = [JSON.stringify(actual), JSON.stringify(wanted)]
        if (is !== should) faults.push(`${surface}: ${is}, not ${should}`)
      }
      for (const step of steps) await history.play(step)
      await history.settle()
      const resumed = await Promise.all(
        people.map(({ token }, n) => openChatStream(base, token, { after: history.cursors[n]! })),
      )
      await history.settle([...history.streams, ...resumed])
      const texts = (list: Message[]) => list.map(shownAs).toSorted()
      type Wire = { id: number; chat_id: number; sender_id: number; body: string; deleted: boolean }
      const ofHistory = (list: Wire[]) => list.filter((each) => own.has(each.chat_id) && each.sender_id > 0)
      for (const [n, who] of people.entries()) {
        const visible = visibleTo(who.id)
        for (const id of own) {
          const { status, body } = await as(who, 'GET', `/chats/${id}/messages?limit=100`)
          compare('list', status, isMember(who.id, { chat: id }) ? 200 : 404)
          if (status !== 200) continue
          const wanted = visible.filter((message) => message.chat === id)
          compare('list', ofHistory(body.data).map(shownAs).toSorted(), texts(wanted))
        }
        const found = (await as(who, 'GET', '/chats/messages?q=word&limit=100')).body.data
        compare(
          'search',
          ofHistory(found).map(shownAs).toSorted(),
          texts(visible.filter(({ deleted }) => !deleted)),
        )
        const lasts = (await as(who, 'GET', '/chats')).body.flatMap((each: { last_message: Wire | null }) =>
          each.last_message ? [each.last_message] : [],
        )
        for (const last of ofHistory(lasts))
          compare('last message', texts(visible).includes(shownAs(last)), true)

        const live = ofHistory(history.streams[n]!.messages).map(shownAs)
        for (const each of live) compare(`stream with ${each}`, allowed.get(who.id)?.has(each), true)
        for (const message of messages)
          if (lasting.get(who.id)?.has(message.id))
            compare(`stream with ${shownAs(message)}`, live.includes(shownAs(message)), true)
        const again = new Map(ofHistory(resumed[n]!.messages).map((each) => [each.id, shownAs(each)]))
        compare('resumed stream', [...again.values()].toSorted(), texts(visible))

        const exported: { id: number }[] = (await exportOf(who)).list('chat-messages')
        compare(
          'export',
          exported.map(({ id }) => id).toSorted(),
          messages
            .flatMap(({ id, sender, deleted }) => (sender === who.id && !deleted ? [id] : []))
            .toSorted(),
        )
        for (const message of messages) {
          const shows = isVisible(who.id, message)
          if (message.file !== undefined) {
            const { status } = await as(who, 'GET', `/files/${message.file}?json=1`)
            compare('file', status === 200, shows && !message.deleted)
          }
          if (message.sender === who.id) continue
          const path = `/chats/messages/${message.id}/reports`
          const report = await as(who, 'POST', path, { reason: 'rude' })
          compare('report', report.status, shows && !message.deleted ? 201 : 404)
        }
      }
      // A push names the newest of the messages that were sent within seconds, here of all.
      await sql`update chat_messages set created_at = now() where chat_id = any(${[...own]}::bigint[])`
      for (const { chat: id, position } of messages) {
        pushed = []
        await pushChat(ctx, { chat: id, position })
        const wanted: string[] = []
        for (const who of people) {
          if (!isMember(who.id, { chat: id })) continue
          const { read_position: read } = (await as(who, 'GET', `/chats/${id}`)).body
          const newest = visibleTo(who.id).findLast(
            (each) =>
              each.chat === id &&
              each.position <= position &&
              each.position > Math.max(read, position - 20) &&
              each.sender !== who.id &&
              !each.deleted,
          )
          if (newest) wanted.push(`device-${who.id} ${nameOf(newest.sender)}`)
        }
        compare(
          'push',
          pushed.map(({ token, title }) => `${token} ${title.split(' · ')[0]}`).toSorted(),
          wanted.toSorted(),
        )
      }
      for (const who of people)
        for (const message of messages) {
          if (!isMember(who.id, message)) continue
          const reply = await send(who, message.chat, { body: 'reply', reply_to: message.id })
          if (reply.status === 403) continue
          compare('reply', reply.status, isVisible(who.id, message) ? 201 : 422)
        }
      for (const stream of [...history.streams, ...resumed]) stream.close()
      assert.deepEqual(faults, [])
    }),
    { numRuns: 3, endOnFailure: true, examples: [[EVERY_REASON]] },
  )
})
