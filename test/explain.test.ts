import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillTables } from '#test/fixtures/crowd.ts'
import { explainer, type Statement } from '#test/fixtures/plans.ts'
import { createWorld } from '#test/world.ts'

/** The stream never ends, and the other two requests end the session. */
const SKIPPED = new Set(['/user/notifications/stream', '/auth/refresh', '/auth/logout'])
/** Allows a month of half-hourly rows, but no scan of a large table. */
const ROWS_MAX = 1500
const EXEMPT: { route: string; part: string | string[]; because: string }[] = [
  {
    route: '/feeds',
    part: 'select target_id as author from',
    because: 'reads one row for each user that the viewer follows',
  },
  {
    route: '/feeds',
    part: 'from newest f',
    because: 'checks the newest feeds against the list of followed users',
  },
  {
    route: '/chats',
    part: 'as chat_id',
    because: 'sorts all conversations of the viewer by their last message',
  },
  {
    route: '/chats/messages',
    part: 'm.body ilike',
    because: 'searches at most 500 messages of each conversation of the viewer',
  },
  {
    route: '/chats/:chat/positions',
    part: 'read_position',
    because: 'reads the members of one conversation',
  },
  { route: '/user/push/key', part: 'from web_push_keys', because: 'the table has one row' },
  { route: '/feeds/:feed', part: 'from rewards', because: 'sums the rewards of one feed' },
  { route: '/feeds/ranks', part: 'sum(c.n)', because: 'counts the feeds of a month until stored sums exist' },
  {
    route: '/question-topics/:topic/questions',
    part: 'subject_grams',
    because: 'searches the questions of one topic',
  },
  {
    route: '/question-topics/:topic/questions',
    part: '1 month',
    because: 'sorts the questions of one topic by the number of answers',
  },
  {
    route: '/question-topics/:topic/questions',
    part: 'q.id = any',
    because: 'filters the questions of one topic by id',
  },
  {
    route: '/question-topics/:topic/questions',
    part: 'select question_id from question_watchers',
    because: 'compares the questions of one topic with those that the viewer watches',
  },
  {
    route: '/questions',
    part: ['question_watchers w', 'subject_grams'],
    because: 'searches the questions that the viewer watches',
  },
  {
    route: '/user/questions',
    part: 'from question_invitations',
    because: 'filters the questions of the viewer by type',
  },
  { route: '/news/ranks', part: 'sum(c.hits)', because: 'sums the views of the articles of a month' },
  {
    route: '/ranks/balance',
    part: 'from ledger_accounts',
    because: 'ranks all wallets, and the result is cached',
  },
  {
    route: '/ranks/income',
    part: 'from ledger_postings',
    because: 'ranks the income of all users, and the result is cached',
  },
  { route: '/music/paids', part: 'from purchases', because: 'sorts the purchases of the viewer by song' },
  {
    route: '/music-specials/paids',
    part: 'from purchases',
    because: 'sorts the purchases of the viewer by album',
  },
  {
    route: '/user',
    part: 'as friends_count',
    because: 'counts the followed users who follow the viewer back',
  },
  {
    route: '/user/follow-mutual',
    part: 'from user_follows',
    because: 'finds mutual follows among the users that the viewer follows',
  },
  {
    route: '/feeds/collections',
    part: 'and collectible_id = ',
    because: 'finds the row of the cursor among the collections of the viewer',
  },
  {
    route: '/user/socialite',
    part: 'from linked_accounts',
    because: 'reads at most one row for each provider',
  },
]

const BESIDES: { route: string; queries: string[]; followings?: number }[] = [
  {
    route: '/feeds',
    queries: ['search=x123&id=500,501&after=500', 'type=hot&hot=500&after=500', 'type=hot&hot=1&after=500'],
  },
  { route: '/feeds', queries: ['type=follow', 'type=follow&after=500'], followings: 1000 },
  {
    route: '/user/notifications',
    queries: ['type=system', 'type=comment&page=9', 'type=at&offset=500', 'offset=500'],
  },
]

/** Statistics of the console's start page, which may read many rows by an index, but may not scan a large table. */
const COUNTED = ['/admin/statistics/waiting', '/admin/statistics/days']

let route: string | null = null
const statements = new Map<string, Statement & { route: string }>()
const { app, as, guest, person, sql } = await createWorld(
  {},
  {
    onQuery: (statement) => {
      if (route !== null && /^\s*(select|with)\b/i.test(statement.text) && !statements.has(statement.text))
        statements.set(statement.text, { ...statement, route })
    },
  },
)

type Property = { type?: string | string[]; enum?: unknown[]; minimum?: number; maximum?: number }

function valuesOf({ type, enum: listed, minimum = 0, maximum = 1000 }: Property): string[] {
  if (listed) return listed.filter((value) => value !== null).map(String)
  const types = [type].flat()
  if (types.includes('integer')) return [String(Math.min(maximum, Math.max(minimum, 500)))]
  if (types.includes('number')) return ['10']
  if (types.includes('boolean')) return ['1']
  return types.includes('array') ? ['500,501'] : ['x123']
}

type Query = { properties?: Record<string, Property>; required?: string[] }

function queriesOf({ properties = {}, required = [] }: Query): { each: string[]; pairs: string[] } {
  const needed = required.map((name) => [name, valuesOf(properties[name] ?? {})[0] ?? ''])
  const single = Object.entries(properties)
    .filter(([name]) => name !== 'limit')
    .map(([name, property]) => valuesOf(property).map((value) => [name, value]))
  const pairs = single.flatMap((first, n) =>
    single.slice(n + 1).flatMap((second) => first.flatMap((one) => second.map((two) => [one, two]))),
  )
  const written = (given: (typeof single)[number]) =>
    new URLSearchParams(Object.fromEntries([...needed, ...given])).toString()
  return { each: [[], ...single.flat().map((one) => [one])].map(written), pairs: pairs.map(written) }
}

// Skips administrative routes. test/console-lists.test.ts checks their lists with other limits.
const routes = app.routeTable.filter(
  ({ method, url }) =>
    method === 'GET' &&
    url.startsWith('/api/v2/') &&
    !url.startsWith('/api/v2/admin/') &&
    !SKIPPED.has(url.slice(7)),
)

test('scans no large table when a request has any one or two parameters', async (t) => {
  const viewer = await person()
  const founder = await person({ roles: ['founder'] })
  const large = await fillTables(sql)
  assert.ok(large.size > 20, `filled only ${large.size} tables`)
  const missed: string[] = []
  for (const { url, schema } of routes) {
    const { each, pairs } = queriesOf((schema?.querystring ?? {}) as Query)
    let found = false
    // Tries several ids, because some rows are hidden or deleted.
    for (const id of url.includes(':') ? [7, 8, 9, 11, 12, 13] : [0]) {
      const path = url.replace(/:\w+(\([^)]*\))?/g, String(id))
      route = url.slice(7)
      found = (await as(viewer, 'GET', `${path}?${each[0]}`)).status < 400
      if (!found) continue
      // Combines no parameters in guest requests, because a guest's statements differ only in the viewer id.
      for (const parameters of each) await guest('GET', `${path}?${parameters}`)
      for (const parameters of [...each, ...pairs]) await as(viewer, 'GET', `${path}?${parameters}`)
      break
    }
    if (!found) missed.push(url.slice(7))
  }
  for (const { route: asked, queries, followings } of BESIDES) {
    if (followings !== undefined)
      await sql`update user_counts set followings_count = ${followings} where user_id = ${viewer.id}`
    route = asked
    for (const parameters of queries)
      assert.equal((await as(viewer, 'GET', `${asked}?${parameters}`)).status, 200, parameters)
  }
  for (const asked of COUNTED) {
    route = asked
    assert.equal((await as(founder, 'GET', asked)).status, 200, asked)
  }
  route = null
  if (missed.length > 0) t.diagnostic(`found nothing to read at ${missed.join(', ')}`)
  assert.ok(
    statements.size > routes.length,
    `saw only ${statements.size} statements of ${routes.length} routes`,
  )

  assert.ok(
    [...statements.keys()].some((text) => text.includes('from newest f')),
    'nobody followed many',
  )
  const explain = explainer(sql)
  const faults: string[] = []
  for (const statement of statements.values()) {
    const isExempt = EXEMPT.some(
      ({ route, part }) =>
        route === statement.route && [part].flat().every((each) => statement.text.includes(each)),
    )
    if (isExempt) continue
    for (const { node, table, rows } of await explain(statement)) {
      const isBounded = rows <= ROWS_MAX || COUNTED.includes(statement.route)
      if (!large.has(table) || (node !== 'Seq Scan' && isBounded)) continue
      faults.push(`${statement.route}: ${node} of ${rows} rows of ${table}\n${statement.text.trim()}`)
    }
  }
  t.diagnostic(`explained ${statements.size} statements of ${routes.length} routes`)
  assert.equal(faults.length, 0, `${faults.length} faults\n\n${faults.join('\n\n')}`)
})
