import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

/**
 * Requests of a client while a page is open. It asks for the next part of a list as soon as the former was full, since
 * short rows do not fill the screen, and repeats a reply that it cannot decode. The facts name no interval of the
 * polls, so the table has a shorter one than any client needs.
 */
type Page = {
  client: string
  page: string
  opens: string[]
  polls: { call: string; everyMs: number }[]
  list: {
    call: string
    query?: Record<string, string>
    rows: string
    reads: string[]
    cursor: 'offset' | 'after' | 'index' | 'NaN'
    limit: number
    /** `meta`: asks for more only while the reply names later pages, and only when the user scrolls. */
    ends?: 'meta'
  }
}
type Send = (call: string) => Promise<{ status: number; body: unknown }>

const PAGES = JSON.parse(readFileSync('test/clients/pages.json', 'utf8')) as Page[]
const VISIT_MS = 10_000
const MOST_REQUESTS = 30
const REPLY_MS = 20
const SCROLL_MS = 1000
/** Stops a visit that asks without end. */
const ENOUGH = 400

const valueAt = (value: unknown, place: string): unknown =>
  place === ''
    ? value
    : place
        .split('.')
        .reduce<unknown>((found, name) => (found as Record<string, unknown> | null)?.[name], value)

/** Counts the requests of a visit by a clock of its own, so that the speed of the machine changes nothing. */
async function visit({ opens, polls, list }: Page, send: Send): Promise<string[]> {
  const sent: string[] = []
  const due: { at: number; act(at: number): Promise<void> }[] = []
  const ask = async (call: string) => {
    sent.push(call)
    return send(call)
  }
  for (const call of opens) due.push({ at: 0, act: async () => void (await ask(call)) })
  for (const { call, everyMs } of polls)
    for (let at = everyMs; at < VISIT_MS; at += everyMs)
      due.push({ at, act: async () => void (await ask(call)) })

  const readList = (seen: number, cursor: string | undefined) => async (at: number) => {
    const [method, path] = list.call.split(' ')
    const query = new URLSearchParams({ ...list.query, limit: String(list.limit) })
    if (cursor !== undefined) query.set(list.cursor === 'NaN' ? 'page' : list.cursor, cursor)
    else if (list.cursor === 'offset') query.set('offset', '0')
    const { body } = await ask(`${method} ${path}?${query}`)
    const rows = valueAt(body, list.rows)
    const isRead =
      Array.isArray(rows) && rows.every((row) => list.reads.every((name) => valueAt(row, name) !== undefined))
    if (!isRead) {
      due.push({ at: at + REPLY_MS, act: readList(seen, cursor) })
      return
    }
    if (rows.length < list.limit) return
    if (
      list.ends === 'meta' &&
      Number(valueAt(body, 'meta.current_page')) >= Number(valueAt(body, 'meta.last_page'))
    )
      return
    const all = seen + rows.length
    const next = {
      offset: String(all),
      after: String(rows.at(-1).id),
      index: String(rows.at(-1).id),
      NaN: 'NaN',
    }[list.cursor]
    due.push({ at: at + (list.ends === 'meta' ? SCROLL_MS : REPLY_MS), act: readList(all, next) })
  }
  due.push({ at: 0, act: readList(0, undefined) })

  while (due.length > 0 && sent.length < ENOUGH) {
    due.sort((one, other) => one.at - other.at)
    const next = due.shift()
    if (!next || next.at >= VISIT_MS) break
    await next.act(next.at)
  }
  return sent
}

const world = await createWorld()
const { publish } = feedsOf(world)
const { createTopic } = topicsOf(world)

/** A user with as many notifications of each kind, feeds and topics as given. */
async function memberWith(count: number): Promise<Person> {
  const [member, friend] = [await world.person(), await world.person()]
  for (let n = 0; n < count; n += 1) {
    const feed = await publish(member, { feed_content: `Number ${n}` })
    for (const [path, body] of [
      ['comments', { body: `Comment ${n}` }],
      ['like', {}],
    ] as const)
      assert.equal((await world.as(friend, 'POST', `/feeds/${feed}/${path}`, body)).status, 201)
    await createTopic(member)
  }
  await world.work()
  return member
}

for (const count of [0, 15, 40])
  describe(`sends at most ${MOST_REQUESTS} requests in ten seconds to a user with ${count} rows (conventions-14)`, async () => {
    const member = await memberWith(count)
    for (const page of PAGES)
      test(`${page.client}, ${page.page}`, async (t) => {
        const failed: string[] = []
        const sent = await visit(page, async (call) => {
          const [method, url] = call.split(' ') as ['GET', string]
          const answer = await world.as(member, method, url, method === 'GET' ? undefined : {})
          if (answer.status >= 300) failed.push(`${answer.status} ${call}`)
          return answer
        })
        t.diagnostic(`${sent.length} requests`)
        assert.deepEqual(failed, [])
        const lists = sent.filter((call) => call.startsWith(page.list.call))
        assert.ok(sent.length <= MOST_REQUESTS, `${sent.length} requests, such as ${lists.slice(-2)}`)
        assert.ok(lists.length > 0)
      })
  })

test('counts a visit beyond the budget when the reply has another form or the list does not end', async () => {
  const [messages, likes] = [PAGES[0], PAGES.find(({ page }) => page === 'received likes')]
  assert.ok(messages && likes)
  const paged = await visit(messages, async () => ({ status: 200, body: { data: [], links: {}, meta: {} } }))
  assert.equal(paged.length, ENOUGH)
  const row = { id: 1 }
  const endless = await visit(likes, async () => ({ status: 200, body: Array(15).fill(row) }))
  assert.equal(endless.length, ENOUGH)
  const short = await visit(likes, async () => ({ status: 200, body: [row] }))
  assert.equal(short.length, 1 + 1 + 9)
})
