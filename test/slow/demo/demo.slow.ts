import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { assertWell, demoWorld, DEMO_PASSWORD as PASSWORD } from '#test/fixtures/demo.ts'
import { chanceOf } from '../../../demo/chance.ts'
import type { Member } from '../../../demo/community.ts'
import { plan } from '../../../demo/fill.ts'
import { hasDemo } from '../../../demo/journal.ts'
import { drawPhotograph, SCENES } from '../../../demo/pictures/photographs.ts'
import { drawPortrait } from '../../../demo/pictures/portraits.ts'
import { DealtWithOthers, removeRows } from '../../../demo/remove.ts'
import type { Site } from '../../../demo/site.ts'
import { playTune } from '../../../demo/sounds.ts'
import { createStory } from '../../../demo/story.ts'
import { planVisits } from '../../../demo/visits.ts'
import { PEOPLE } from '../../../demo/words.ts'

const one = await demoWorld()

/** Records the requests that generate the demo instead of sending them. */
async function recordRequests(seed: number): Promise<string[]> {
  const lines: string[] = []
  let id = 0
  const note = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
  const site: Site = {
    requests: 0,
    async as(person, method, path, body) {
      note(person.name, method, path, body)
      id += 1
      const made = { id, uri: '' }
      const lists = { data: [made], posts: [] }
      return Object.assign([], made, lists, {
        comment: made,
        group: made,
        question: made,
        answer: made,
        post: made,
      })
    },
    async upload(person, bytes, name) {
      note(person.name, name, hash('sha256', bytes))
      id += 1
      return id
    },
    async uploadNode(person, bytes, name) {
      note(person.name, name, hash('sha256', bytes))
      return 'node'
    },
    signIn: async (number, name) => ({ id: number, name, token: '' }),
  }
  const chance = chanceOf(seed)
  const story = createStory(chance.fork('hours'), 42)
  const members: Member[] = ['demo_mod', 'demo', ...PEOPLE.map(({ name }) => name)].map((name, n) => ({
    id: n + 2,
    name,
    token: '',
    speaks: PEOPLE[n - 2]?.speaks ?? 'en',
  }))
  plan({
    site,
    story,
    chance,
    root: { id: 1, name: 'demo_admin', token: '' },
    members,
    topics: new Map(),
    feeds: [],
    draw: {
      portrait: async (given) => Buffer.from(`portrait ${given.number()}`),
      emblem: async (given, scene) => Buffer.from(`${scene} ${given.number()}`),
      tune: (given, seconds) => Buffer.from(`tune ${given.number()} ${seconds}`),
    },
    apply: async (person) => {
      note('apply', person)
      return 0
    },
    photograph: async (person, scene) => {
      note(person.name, 'photograph', scene)
      return 0
    },
  })
  await story.tell((minute) => note(minute))
  return lines
}

test('generates the same demo for the same seed', async () => {
  const [one, two, other] = [await recordRequests(7), await recordRequests(7), await recordRequests(8)]
  assert.ok(one.length > 3_000, String(one.length))
  assert.deepEqual(one, two)
  assert.notDeepEqual(one, other)
  for (const scene of SCENES.slice(0, 3)) {
    const [first, second] = [
      await drawPhotograph(chanceOf(7), scene),
      await drawPhotograph(chanceOf(7), scene),
    ]
    assert.ok(first.equals(second), scene)
  }
  assert.ok((await drawPortrait(chanceOf(7))).equals(await drawPortrait(chanceOf(7))))
  assert.ok(playTune(chanceOf(7), 3).equals(playTune(chanceOf(7), 3)))
  assert.deepEqual(planVisits(chanceOf(7), 30, 42), planVisits(chanceOf(7), 30, 42))
  assert.notDeepEqual(planVisits(chanceOf(7), 30, 42), planVisits(chanceOf(8), 30, 42))
})

test('generates a demo in which `kith doctor` finds no faults', () => assertWell(one))

test('dates the activity of the demo within the last six weeks', async () => {
  const [row] = await one.sql<[{ days: number; ordered: boolean; young: boolean }]>`
    select extract(epoch from max(created_at) - min(created_at))::float8 / 86400 as days,
      bool_and(in_order) as ordered, bool_and(created_at < now()) as young
    from (select created_at, created_at >= coalesce(lag(created_at) over (order by id), created_at) as in_order from feeds) f`
  assert.ok(row.days > 35 && row.days < 43, String(row.days))
  assert.ok(row.ordered && row.young)
  const [{ early }] = await one.sql<[{ early: number }]>`
    select count(*)::int as early from comments c join feeds f on c.commentable_type = 'feeds' and f.id = c.commentable_id
    where c.created_at < f.created_at`
  assert.equal(early, 0)
})

test('fills every admin queue of the demo', async () => {
  const { guest, as } = one
  for (const login of ['demo', 'demo_mod', 'demo_admin'])
    assert.equal((await guest('POST', '/auth/login', { login, password: PASSWORD })).status, 200, login)
  const { body } = await guest('POST', '/auth/login', { login: 'demo_admin', password: PASSWORD })
  const root = { id: 0, name: 'demo_admin', token: body.access_token }
  for (const queue of [
    '/admin/feed-topics?status=waiting',
    '/admin/feed-pinneds?state=pending',
    '/admin/certifications?status=0',
    '/admin/groups?audit=0',
    '/admin/withdrawals?state=pending',
    '/admin/recharges?state=pending',
    '/admin/reports?status=0',
    '/admin/question-applications?state=pending',
    '/admin/question-topic-applications?state=pending',
    '/admin/news?audit_status=1',
    '/admin/conversations?type=feedback',
  ]) {
    const answer = await as(root, 'GET', queue)
    assert.equal(answer.status, 200, `${queue} ${JSON.stringify(answer.body)}`)
    assert.ok(answer.body.total > 0, queue)
  }
  const waiting = (await as(root, 'GET', '/admin/statistics/waiting')).body.data
  assert.ok(waiting.length > 10)
  for (const { name, count } of waiting) assert.ok(count > 0, name)
})

test('computes the daily statistics of the demo', async () => {
  const { guest, as } = one
  const { body } = await guest('POST', '/auth/login', { login: 'demo_admin', password: PASSWORD })
  const root = { id: 0, name: 'demo_admin', token: body.access_token }
  const answer = await as(root, 'GET', '/admin/statistics/days?series=feeds,active-people')
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const series = answer.body.series as { name: string; values: (number | null)[] }[]
  const valuesOf = (name: string) => series.find((each) => each.name === name)?.values ?? []
  const values = valuesOf('feeds')
  assert.equal(values.length, 30)
  assert.ok(
    values.every((value) => value !== null),
    JSON.stringify(values),
  )
  const active = valuesOf('active-people')
  assert.equal(active.length, 30)
  assert.ok(
    active.every((value) => value! > 0 && value! < PEOPLE.length),
    JSON.stringify(active),
  )
  assert.ok(new Set(active).size > 3, JSON.stringify(active))
  assert.ok(values.filter((value) => value! > 0).length > 20, JSON.stringify(values))
})

test('sells texts, pictures and answers in the demo', async () => {
  const channels = await one.sql<{ channel: string; buyers: number }[]>`
    select channel, count(distinct p.user_id)::int as buyers from purchases p join paid_nodes n on n.id = p.node_id
    group by channel order by channel`
  assert.deepEqual(
    channels.map(({ channel }) => channel),
    ['feed', 'file'],
  )
  assert.ok(channels.every(({ buyers }) => buyers >= 3))
  const [{ looks }] = await one.sql<[{ looks: number }]>`select count(*)::int as looks from answer_onlookers`
  assert.equal(looks, 4)
  const [{ unread }] = await one.sql<[{ unread: number }]>`
    select count(*)::int as unread from notifications n join users u on u.id = n.user_id where u.name = 'demo_admin'`
  assert.ok(unread > 0)
})

test('counts plays of songs and views of feeds in the demo', async () => {
  const songs = await one.guest('GET', '/music/songs')
  assert.ok(songs.body.length >= 8)
  const { body } = await one.guest('GET', '/feeds?limit=100')
  assert.ok(body.feeds.some((feed: { images: unknown[] }) => feed.images.length > 0))
  assert.ok(body.feeds.every((feed: { feed_view_count: number }) => feed.feed_view_count > 3))
  assert.ok(songs.body.some((song: { taste_count: number }) => song.taste_count > 3))
})

test('refuses to delete a demo in which a real user has paid a demo user', async () => {
  const { sql, as, guest, person } = one
  const { body } = await guest('POST', '/auth/login', { login: 'demo_admin', password: PASSWORD })
  const root = { id: 0, name: 'demo_admin', token: body.access_token }
  const ann = await person()
  assert.equal(
    (await as(root, 'POST', `/admin/users/${ann.id}/points`, { amount: 50, reason: 'Hello' })).status,
    201,
  )
  const [{ id: member }] = await sql<[{ id: number }]>`select id from users where name = 'demo'`
  assert.equal((await as(ann, 'POST', `/user/${member}/new-rewards`, { amount: 5 })).status, 201)
  await assert.rejects(removeRows(sql), DealtWithOthers)
  assert.equal(await hasDemo(sql), true)
  await assertWell(one)
})
