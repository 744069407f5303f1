import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  notify,
  removeSender,
  restoreNotifications,
  withdrawFromReader,
  withdrawNotifications,
  withholdNotifications,
} from '#modules/notifications/index.ts'
import { noticesOf } from '#test/fixtures/notices.ts'
import { openStream, until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { notificationCounters } from './counters.ts'
import { DISTRIBUTED, DISTRIBUTION_SQL } from './distribution.ts'
import { countUnread } from './push/web-push.ts'
import { eraseNotificationsOf, findNotifications } from './queries.ts'
import {
  countExpiredNotifications,
  deleteExpiredNotifications,
  deleteSurplus,
  tidyNotifications,
} from './retention.ts'
import { strayNotifications } from './strays.ts'

const seen = new Set<string>()
let isWatching = false
const world = await createWorld(
  {},
  {
    onQuery: ({ text }) =>
      void (isWatching && namesTable(text) && seen.add(text.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' '))),
  },
)
const { app, as, ctx, person, sql, work } = world
const { tell } = noticesOf(world)

const WALKS = [
  'select n.user_id from notifications n join notification_counts c',
  'select n.user_id from notifications n where n.cause_type = $1',
  'select n.user_id, n.seq, n.type, n.cause_type, n.cause_id from notifications n',
  'select user_id, type, seq from notification_reads where read_at <',
  'select user_id, type, total > $1 or unread > 0',
  'select count(*)::int as count from ( select n.created_at',
  "select user_id || ' ' || type as key",
  'with wrong as (',
]

function namesTable(text: string): boolean {
  return new RegExp(`\\b(from|join|into|update) (${DISTRIBUTED.join('|')})\\b`).test(text)
}

function findFaults(text: string): string[] {
  const names = [...text.matchAll(/(?:with|,|\)) (\w+) as (?:materialized )?\(/g)].map(([, name]) => name)
  const withoutLocks = text.replaceAll('for update', '').replaceAll('do update set', '')
  const tables = [
    ...withoutLocks.matchAll(/\b(?:into (\w+)|(?:from|join|update|using) (\w+)\b(?! ?\())/g),
  ].map(([, into, other]) => into ?? other ?? '')
  const others = tables.filter(
    (name) => !['lateral', 'unnest', 'jsonb_to_recordset', ...DISTRIBUTED, ...names].includes(name),
  )
  const isWalk = WALKS.some((beginning) => text.trim().startsWith(beginning))
  const namesPeople =
    /user_id = (any\()?\$\d|unnest\(\$\d+::bigint\[\], \$\d+::uuid\[\]|select \$\d::bigint/.test(text)
  return [
    ...others.map((name) => `joins ${name}`),
    ...(isWalk || namesPeople ? [] : ['names no person']),
    ...(text.includes('for update') && !/user_id = \$\d/.test(text) ? ['locks rows of several people'] : []),
    ...(text.includes('lateral') && text.includes('unnest') ? ['limits by row of unnest'] : []),
    ...names
      .filter((name) =>
        new RegExp(`\\(select [^()]*from ${name}\\b[^()]*\\bwhere\\b`).test(text.replaceAll('( ', '(')),
      )
      .map((name) => `looks into ${name} for each row`),
  ]
}

test('sends only SQL that a distributed database supports', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  isWatching = true
  const cause = { type: 'feeds', id: 7 }
  const people = [ann.id, bob.id]
  await notify(sql, { type: 'at', recipients: people, senderId: eve.id, cause, data: {} })
  await notify(sql, { type: 'at', recipients: people, senderId: eve.id, cause, data: {} })
  const invitation = { type: 'qa:invitation', question: { id: 1 } } as const
  await notify(sql, {
    type: 'system',
    recipients: people,
    senderId: eve.id,
    cause: { type: 'questions', id: 1 },
    data: { ...invitation, invitation: null } as never,
  })
  await removeSender(sql, {
    senderId: eve.id,
    systemType: 'qa:invitation',
    cause: { type: 'questions', id: 1 },
  })
  const followed = await tell(ann, bob, 'follow')
  for (const type of ['like', 'comment'] as const) await tell(ann, bob, type)

  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await openStream(base, ann.token, 0)
  await until(() => stream.events.length >= 4, 'the notifications on the stream')
  stream.close()
  await stream.ended

  for (const path of [
    'notification-statistics',
    'notifications?type=at',
    'notifications?offset=0',
    'notifications?type=system&after=1',
    'message/atme',
    'counts',
    'unread-count',
  ])
    assert.equal((await as(ann, 'GET', `/user/${path}`)).status, 200, path)
  const { body } = await as(ann, 'GET', '/user/notifications?type=at')
  assert.equal(
    (await as(ann, 'GET', `/user/notifications/${body.data[0].id}`)).body.data.sender.name,
    eve.name,
  )
  assert.equal(
    (
      await findNotifications(ctx, [
        [ann.id, 1],
        [bob.id, 1],
      ])
    ).length,
    2,
  )

  await countUnread(sql, people)
  await withdrawNotifications(sql, { cause })
  await withdrawNotifications(sql, { type: 'like', recipients: [ann.id], cause })
  await withdrawFromReader(sql, ann.id, { type: 'feeds', ids: sql`select id from feeds` })
  const follow = { sender: bob.id, recipient: ann.id, cause: followed }
  const withheld = await withholdNotifications(sql, 'follow', [follow])
  assert.equal(withheld.length, 1)
  await restoreNotifications(sql, withheld)
  await as(ann, 'PATCH', '/user/notifications', { type: 'like' })
  await as(ann, 'PATCH', '/user/counts')
  await as(ann, 'PATCH', '/user/counts', { type: 'mutual' })
  await work()
  isWatching = false
  await sql`update notification_reads set read_at = now() - interval '1 year'`
  isWatching = true
  await tidyNotifications(ctx)
  await deleteExpiredNotifications(ctx)
  await deleteSurplus(sql, { user_id: ann.id, type: 'comment' }, { days: 1, most: 0 }, 10)
  await countExpiredNotifications(ctx, sql as never)
  for (const check of [strayNotifications, ...notificationCounters]) {
    await check.find(sql)
    await check.mend(sql)
  }
  await eraseNotificationsOf(sql, bob.id)
  isWatching = false

  for (const text of seen) assert.deepEqual(findFaults(text), [], text)
  // Every line of the module that names a distributed table must be part of a captured statement.
  const all = [...seen].join('\n')
  const files = globSync('src/modules/notifications/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  for (const file of files)
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const sent =
        line
          .split(/\$\{|-- /)[0]
          ?.replaceAll(/sql`|`$/g, '')
          .trim()
          .replaceAll(/\s+/g, ' ') ?? ''
      if (!namesTable(sent) || sent.startsWith('summary:')) continue
      assert.ok(
        all.includes(sent.slice(sent.search(/\b(from|join|into|update) /))),
        `${file}: not sent: ${sent}`,
      )
    }
})

test('detects SQL that a distributed database does not support', () => {
  assert.deepEqual(
    findFaults('select from notifications n join users u on u.id = n.sender_id where n.user_id = $1'),
    ['joins users'],
  )
  assert.deepEqual(findFaults('delete from notifications where cause_id = $1'), ['names no person'])
  assert.deepEqual(findFaults('select from notification_counts where user_id = any($1) for update'), [
    'locks rows of several people',
  ])
  assert.deepEqual(
    findFaults(
      'select from unnest($1) as t cross join lateral (select from notifications n where n.user_id = $2 limit 5) as n',
    ),
    ['limits by row of unnest'],
  )
  assert.deepEqual(
    findFaults(
      'with given as (select 1 as user_id), x as (delete from notifications n where n.user_id = $1 and seq = (select seq from given g where g.user_id = n.user_id)) select 1',
    ),
    ['looks into given for each row'],
  )
})

test('distributes only tables whose unique keys all contain the user id', async () => {
  for (const table of DISTRIBUTED) {
    assert.match(DISTRIBUTION_SQL, new RegExp(`create_distributed_table\\('${table}', 'user_id'`))
    const keys = await sql<{ columns: string[] }[]>`
      select array_agg(a.attname::text) as columns from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = ${table}::regclass and i.indisunique group by i.indexrelid`
    assert.ok(keys.length > 0)
    for (const { columns } of keys) assert.ok(columns.includes('user_id'), `${table}: ${columns}`)
    const references = await sql`
      select 1 from pg_constraint
      where contype = 'f' and (conrelid = ${table}::regclass or confrelid = ${table}::regclass)`
    assert.equal(references.length, 0, table)
  }
})
