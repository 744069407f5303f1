import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openDatabase, type Sql } from '#platform/database'
import {
  endServers,
  type Postgres,
  skipPostgres,
  startPostgres,
  startReplica,
} from '#test/fixtures/postgres.ts'
import { programsIn } from '#test/fixtures/programs.ts'
import { until } from '#test/fixtures/streams.ts'

suite('faults of the database in the doctor', { skip: skipPostgres }, () => {
  let folder = ''
  let primary: Postgres
  let replica: Postgres
  let foreign: Postgres

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kith-database-health-'))
    primary = await startPostgres({ max_connections: '60' })
    const other = await startPostgres()
    replica = await startReplica(primary)
    foreign = await startReplica(other)
    const { code, output } = await kith(['migrate'])
    assert.equal(code, 0, output)
    await primary.ask('create role guest login in role pg_read_all_data, pg_monitor')
    await primary.ask('grant insert, update, delete on all tables in schema public to guest')
  })
  after(async () => {
    await endServers()
    await rm(folder, { recursive: true, force: true })
  })

  const kith = (args: string[], env: Record<string, string> = {}) =>
    programsIn(folder)(['src/cli.ts', ...args], {
      DATABASE_URL: primary.url,
      DATA_DIR: join(folder, 'data'),
      APP_SECRET: 'a secret of the tests, long enough',
      ...env,
    })
  const says = async (env: Record<string, string>, expected: RegExp, also?: RegExp) => {
    const { output } = await kith(['doctor'], env)
    assert.match(output, expected)
    if (also) assert.match(output, also)
  }

  test('accepts a database and its replica', () =>
    says({ DATABASE_REPLICA_URLS: replica.url }, /✓ database answers/, /✓ replicas answers/))

  test('names rights that the next upgrade needs', () =>
    says(
      { DATABASE_URL: primary.url.replace('kith@', 'guest@') },
      /! database: The user of the database may not create tables, so the next upgrade will fail\.\n {4}Make it the owner/,
    ))

  test('names a closed port, a primary and a replica of another database among the replicas', async () => {
    const at = (server: Postgres) => `127\\.0\\.0\\.1:${server.port}`
    await says(
      { DATABASE_REPLICA_URLS: 'postgres://kith@127.0.0.1:1/kith' },
      /✗ replicas: The replica 127\.0\.0\.1:1 cannot be used: nothing answers at 127\.0\.0\.1:1/,
    )
    await says(
      { DATABASE_REPLICA_URLS: primary.url },
      new RegExp(`✗ replicas: ${at(primary)} accepts writes, so it is no replica\\.\\n {4}Name a streaming`),
    )
    await says(
      { DATABASE_REPLICA_URLS: foreign.url },
      new RegExp(`✗ replicas: ${at(foreign)} is a replica of another database\\.\\n {4}Name replicas`),
    )
  })

  test('names connections that are almost used up', async () => {
    const clients: Sql[] = []
    const [{ used }] = (await primary.ask(
      "select count(*)::int as used from pg_stat_activity where backend_type = 'client backend'",
    )) as [{ used: number }]
    for (let n = used; n < 54; n += 1) {
      const client = openDatabase({ connection: primary.url, poolSize: 1, statementTimeoutMs: 60_000 })
      await client`select 1`
      clients.push(client)
    }
    try {
      await says(
        {},
        /! database: \d+ of 60 connections of the database are in use\.\n {4}Raise max_connections/,
      )
    } finally {
      for (const client of clients) await client.end()
    }
  })

  test('names a replica that stopped applying changes', async () => {
    await replica.ask('select pg_wal_replay_pause()')
    await primary.ask('create table unseen ()')
    try {
      await until(async () => {
        const [row] = await replica.ask(
          "select pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() and now() - pg_last_xact_replay_timestamp() > interval '31 seconds' as late",
        )
        return row?.late === true
      }, 'the replica is late')
      await says(
        { DATABASE_REPLICA_URLS: replica.url },
        new RegExp(
          `! replicas: The replica 127\\.0\\.0\\.1:${replica.port} is \\d+ seconds behind\\.\\n {4}Check its load`,
        ),
      )
    } finally {
      await replica.ask('select pg_wal_replay_resume()')
    }
  })
})
