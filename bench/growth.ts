/**
 * `npm run dev -- bench:growth --keep=DIR` counts the database buffers that each request reads. The counts do not
 * depend on the load of the machine. Needs a database from `bench:scale --keep=DIR`.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { grams } from '#lib/text.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { migrate, openDatabase, type Sql, startEmbeddedPostgres } from '#platform/database'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { readOptions } from './options.ts'
import { peopleOf } from './requests.ts'
import { startProgram } from './servers.ts'

requireRuntime()
const { values: options } = readOptions({
  options: {
    keep: { type: 'string' },
    statements: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
if (!options.keep) throw new Error('set --keep=DIR to the folder that bench:scale filled')
const FOLLOWED = 5_000

const database = await startEmbeddedPostgres({
  dataDir: join(options.keep, 'postgres'),
  settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'top' },
  log: () => {},
})
const sql = openDatabase({ connection: database.connection, poolSize: 2, statementTimeoutMs: 0 })
await migrate(sql)
await sql`update user_counts set friends_count = 0 where friends_count is null`
const root = openDatabase({
  connection: { ...database.connection, user: 'postgres' },
  poolSize: 1,
  statementTimeoutMs: 0,
})
await root`create extension if not exists pg_stat_statements`
const [filled] = await sql`select from users where name_key = 'growth-sparse'`
if (!filled) await fillGrowth(sql)
await measure(sql)
await Promise.all([sql.end(), root.end()])
await database.stop()

async function fillGrowth(db: Sql): Promise<void> {
  const [{ people, first, feeds, oldest }] = await db<
    [{ people: number; first: number; feeds: number; oldest: number }]
  >`select (select count(*) from users where name_key like 'person%') as people,
      (select min(id) from users) as first, (select count(*) from feeds) as feeds, (select min(id) from feeds) as oldest`
  await db`insert into users (name, name_key) values ('growth-dense', 'growth-dense'), ('growth-sparse', 'growth-sparse')`
  await db`insert into users (name, name_key) select 'asleep' || n, 'asleep' || n from generate_series(1, ${FOLLOWED}) n`
  await db`insert into user_counts (user_id) select id from users where name_key like 'growth-%' or name_key like 'asleep%'`
  await db`insert into user_follows (user_id, target_id)
    select (select id from users where name_key = 'growth-dense'), ${first} + (n::bigint * ${Math.floor(people / FOLLOWED)}) % ${people}
    from generate_series(1, ${FOLLOWED}) n on conflict do nothing`
  await db`insert into user_follows (user_id, target_id)
    select (select id from users where name_key = 'growth-sparse'), id from users where name_key like 'asleep%'`
  await db`update user_counts c set followings_count = (select count(*) from user_follows f where f.user_id = c.user_id)
    where user_id in (select id from users where name_key like 'growth-%')`
  await db`with asleep as (select array_agg(id) as ids from users where name_key like 'asleep%')
    update feeds set user_id = ids[1 + id % ${FOLLOWED}] from asleep
    where id % ${Math.floor(feeds / 2 / (FOLLOWED * 10)) || 1} = 3 and id < ${oldest + feeds / 2}`
  const words = grams('today number')
  const threes = (text: string) =>
    db.unsafe(`array(select substr(${text}, i, 3) from generate_series(1, length(${text}) - 2) i)`)
  await db`drop index feed_search_grams`
  await db`insert into feed_search (feed_id, content_key, content_grams)
    select id, 'something that happened today, number ' || (id - ${oldest} + 1), ${words}::text[] || ${threes(`(id - ${oldest} + 1)::text`)}
    from feeds on conflict do nothing`
  await db.unsafe("set maintenance_work_mem = '1GB'")
  await db`create index feed_search_grams on feed_search using gin (content_grams)`
  await db`drop index users_search`
  await db`update users set name_grams = ${threes('name_key')} where name_key like 'person%'`
  await db`create index users_search on users using gin (name_grams) where deleted_at is null`
  await db.unsafe('vacuum (analyze)')
}

async function measure(db: Sql): Promise<void> {
  const known = await peopleOf(db)
  const named = async (name: string) => {
    const [{ id }] = await db<[{ id: number }]>`select id from users where name_key = ${name}`
    return (await issueToken(db, id)).access_token
  }
  const [dense, sparse] = [await named('growth-dense'), await named('growth-sparse')]
  const [{ people, popular, oldest, last }] = await db<
    [{ people: number; popular: number; oldest: number; last: number }]
  >`select (select max(id) from users where name_key like 'person%') as people,
      (select id from users where name_key = 'growth-dense') as popular,
      (select min(id) from feeds) as oldest, (select max(id) from feeds) as last`
  const { viewer, many } = known
  const requests: [string, string, string][] = [
    ['timeline, 5,000 followed', '/feeds?type=follow', dense],
    ['the same, far back', `/feeds?type=follow&after=${Math.floor((oldest + last) / 2)}`, dense],
    ['timeline, 5,000 followed who posted last long ago', '/feeds?type=follow', sparse],
    ['timeline, 100 followed', '/feeds?type=follow', viewer.token],
    ['search of feeds: all match', '/feeds?search=number', viewer.token],
    ['search of feeds: an old one', `/feeds?search=${encodeURIComponent('number 4711')}`, viewer.token],
    ['search of feeds: nothing', `/feeds?search=${encodeURIComponent('number 999999999')}`, viewer.token],
    ['console, all feeds', '/admin/feeds', viewer.token],
    ['console, search of feeds: all match', '/admin/feeds?q=number', viewer.token],
    [
      'console, search of feeds: an old one',
      `/admin/feeds?q=${encodeURIComponent('number 4711')}`,
      viewer.token,
    ],
    [
      'console, search of feeds: nothing',
      `/admin/feeds?q=${encodeURIComponent('number 999999999')}`,
      viewer.token,
    ],
    ['console, search of people: all match', '/admin/users?q=person', viewer.token],
    ['search of people: all match', '/user/search?keyword=person', viewer.token],
    ['search of people: an old one', '/user/search?keyword=person4711', viewer.token],
    ['search of people: nothing', '/user/search?keyword=person999999999', viewer.token],
    ['followings of a user who follows 5,000 users', `/users/${popular}/followings`, viewer.token],
    ['the same, offset 4,000', `/users/${popular}/followings?offset=4000`, viewer.token],
    ['the same, after the 4,000th', `/users/${popular}/followings?after=AFTER`, viewer.token],
    ['a person', `/users/${people}`, viewer.token],
    ['me, who follows 5,000', '/user', dense],
    ['notifications, page 1', '/user/notifications?type=like', many.token],
    ['notifications, page 900', '/user/notifications?type=like&page=900', many.token],
    ['new feeds', '/feeds?type=new', viewer.token],
    ['hot feeds', '/feeds?type=hot', viewer.token],
  ]
  const [{ after }] = await db<[{ after: number }]>`
    select target_id as after from user_follows where user_id = ${popular} order by id desc offset 3999 limit 1`
  const port = await findFreePort()
  const { host, user, database: name } = database.connection
  const server = startProgram('src/main.ts', [], {
    env: {
      ...{
        DATABASE_URL: `postgres:///${name}`,
        PGHOST: String(host),
        PGPORT: String(database.connection.port),
      },
      PGUSER: String(user),
      ...{
        DATA_DIR: join(String(options.keep), 'growth'),
        PORT: String(port),
        PROCESSES: '1',
        WEB: 'off',
        WORKER: 'separate',
      },
      ...{ LOG_LEVEL: 'error', RATE_LIMIT_USER: '1000000', APP_SECRET: 'bench'.repeat(8) },
    },
  })
  process.on('exit', () => server.kill('SIGTERM'))
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, server)
  console.log('| request | buffers | rows | ms in the database |\n|---|--:|--:|--:|')
  for (const [what, path, token] of requests) {
    if (!what.includes(options.only)) continue
    const url = `http://127.0.0.1:${port}/api/v2${path.replace('AFTER', String(after))}`
    const request = async () => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as unknown
    }
    const body = await request()
    await root`select pg_stat_statements_reset()`
    await request()
    const read = await root<{ query: string; buffers: number; ms: number }[]>`
      select query, (shared_blks_hit + shared_blks_read)::int as buffers, total_exec_time as ms from pg_stat_statements
      where query not like '%pg_stat_statements%' order by 2 desc`
    const sum = (key: 'buffers' | 'ms') => read.reduce((total, row) => total + Number(row[key]), 0)
    const list = Array.isArray(body)
      ? body
      : Object.values(body as object).find((value) => Array.isArray(value) && value.length > 0)
    console.log(
      `| ${what} | ${sum('buffers')} | ${(list as unknown[] | undefined)?.length ?? ''} | ${sum('ms').toFixed(1)} |`,
    )
    if (options.statements)
      for (const { query, buffers } of read.slice(0, 4))
        console.log(`    ${buffers} ${query.replace(/\s+/g, ' ').slice(0, 300)}`)
  }
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}
