import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openMachine } from '#test/fixtures/machines.ts'
import { programsIn, ROOT, surroundingsIn } from '#test/fixtures/programs.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-rolling-'))
after(() => rm(folder, { recursive: true, force: true }))
const run = programsIn(folder)
const { as, person, guest, sql, connection } = await createWorld()
const machine = await openMachine(connection)

const envOf = (settings: Record<string, string>) => ({
  DATABASE_URL: `postgres://${connection.user}@${machine.address}/${connection.database}`,
  DATA_DIR: join(folder, 'data'),
  APP_SECRET: 'a secret of this test',
  FOUNDER_PASSWORD: 'a founder password',
  PROCESSES: '1',
  CONSOLE: 'off',
  WEB: 'off',
  MIGRATE: 'off',
  ...settings,
})

async function useSite() {
  const [ann, ben] = [await person(), await person()]
  const posted = await as(ann, 'POST', '/feeds', {
    feed_content: 'in the middle of an update',
    feed_from: 5,
    feed_mark: Number(`${Date.now()}${ann.id}`) % 2 ** 31,
  })
  assert.equal(posted.status, 201, JSON.stringify(posted.body))
  const { id } = posted.body
  assert.equal((await as(ben, 'POST', `/feeds/${id}/like`)).status, 201)
  assert.equal((await as(ben, 'POST', `/feeds/${id}/comments`, { body: 'so it goes on' })).status, 201)
  assert.equal((await as(ben, 'PUT', `/user/followings/${ann.id}`)).status, 204)
  const { body: feed } = await as(ann, 'GET', `/feeds/${id}`)
  assert.deepEqual([feed.like_count, feed.feed_comment_count], [1, 1])
  const { body: comments } = await guest('GET', `/feeds/${id}/comments`)
  assert.equal(comments.comments[0].body, 'so it goes on')
  const { body: list } = await as(ben, 'GET', '/feeds?type=follow')
  assert.equal(list.feeds[0].id, id)
  for (const path of ['/user', '/user/followers', '/news', '/questions', '/music/specials'])
    assert.equal((await as(ann, 'GET', path)).status, 200, path)
}

test('refuses to start when MIGRATE=off and a migration is missing', async () => {
  const [last] = await sql<[{ name: string; hash: string }]>`
    delete from schema_migrations where name = (select max(name) from schema_migrations) returning name, hash`
  const told = `MIGRATE=off: the database lacks 1 migration, the first is ${last.name}: run \`npx kith migrate\``
  for (const args of [['src/main.ts'], ['src/cli.ts', 'worker']]) {
    const { code, output } = await run(args, envOf({ PORT: '0', LOG_LEVEL: 'fatal' }))
    assert.equal(code, 1, output)
    assert.ok(output.includes(told), output)
    assert.equal(output.trim().split('\n').length, 1, output)
  }
  assert.equal((await sql`select from schema_migrations where name = ${last.name}`).length, 0)
  await sql`insert into schema_migrations (name, hash) values (${last.name}, ${last.hash})`
})

test('serves requests with the previous version after a migration adds tables and columns', async () => {
  await useSite()
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`
  assert.ok(tables.length > 50, `found only ${tables.length} tables`)
  // Adds tables and columns, which the previous version ignores.
  await sql.unsafe(
    [
      ...tables.map(
        ({ name }) =>
          `alter table ${name} add column of_next text, add column of_next_count integer not null default 0`,
      ),
      'create table things_of_next (id bigint primary key)',
      `insert into schema_migrations (name, hash) values ('9999_next.sql', 'made up')`,
    ].join(';\n'),
  )
  await useSite()
  const at = await findFreePort()
  const server = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    env: { ...surroundingsIn(folder), ...envOf({ PORT: String(at) }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  server.stdout.on('data', (chunk) => {
    output += chunk
  })
  const ended = once(server, 'exit')
  try {
    await waitForAnswer(`http://127.0.0.1:${at}/health/ready`)
    const signedIn = await fetch(`http://127.0.0.1:${at}/api/v2/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'root', password: 'a founder password' }),
    })
    assert.equal(signedIn.status, 200)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
  assert.match(output, /9999_next\.sql.*the database belongs to a newer version of Kith/)
})

const BREAKING: [name: string, pattern: RegExp][] = [
  ['drops', /\bdrop\s+(table|column|view|materialized view|type|function|sequence|schema|trigger)\b/],
  ['renames', /\brename\b/],
  ['makes a column required', /\bset\s+not\s+null\b/],
  ['changes a type', /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/],
]

function breaksOf(text: string): string[] {
  const lower = text.replaceAll(/--.*$/gm, '').toLowerCase()
  return lower.split(';').flatMap((statement) => {
    if (!/^\s*(alter|drop)\b/.test(statement)) return []
    const [, trigger] = /^\s*drop trigger (\w+)/.exec(statement) ?? []
    if (trigger && lower.includes(`create trigger ${trigger} `)) return []
    const added = statement.split(/\badd\s+column\b/).slice(1)
    return [
      ...BREAKING.filter(([, pattern]) => pattern.test(statement)).map(([name]) => name),
      ...added
        .filter((column) => /\bnot\s+null\b/.test(column) && !/\b(default|generated)\b/.test(column))
        .map(() => 'adds a required column'),
    ]
  })
}

test('detects statements that would break the previous version', () => {
  for (const [text, found] of [
    ['alter table users add column age integer', []],
    ['alter table users add column age integer not null default 0, add column b text', []],
    ['create table a (id bigint not null, type text not null)', []],
    ['-- drop table users\ncreate index a on users (id)', []],
    ['alter table users add column age integer not null', ['adds a required column']],
    ['alter table users drop column age', ['drops']],
    ['drop table users', ['drops']],
    ['drop trigger kept on users', ['drops']],
    ['drop trigger kept on users; create trigger kept after insert on users', []],
    ['alter table users rename to people', ['renames']],
    ['alter table users alter column age type bigint', ['changes a type']],
    ['alter table users alter age set data type bigint', ['changes a type']],
    ['alter table users alter column age set not null', ['makes a column required']],
  ] as const)
    assert.deepEqual(breaksOf(text), found, text)
})

test('has no migration after 0103 that breaks the previous version', () => {
  const names = globSync('migrations/*.sql', { cwd: ROOT }).filter((name) => name > 'migrations/0104')
  assert.ok(names.length >= 7, `found only ${names}`)
  for (const name of names) assert.deepEqual(breaksOf(readFileSync(join(ROOT, name), 'utf8')), [], name)
})
