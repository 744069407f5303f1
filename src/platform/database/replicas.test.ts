import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '#platform/observability'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { openMachine } from '#test/fixtures/machines.ts'
import { until } from '#test/fixtures/streams.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { settingsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { openReplicas } from './replicas.ts'

/** `other` acts as a replica of `world` that never receives new rows. */
const world = await createWorld()
const other = await createWorld()
await other.sql.unsafe(`
  create table replayed as select 'FFFFFFFF/0'::pg_lsn as position, true as reads,
    '${world.connection.database}'::name as database;
  create function public.pg_is_in_recovery() returns boolean language sql as 'select reads from public.replayed';
  create function public.current_database() returns name language sql as 'select database from public.replayed';
  create function public.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select position from public.replayed';
  alter database ${other.connection.database} set search_path = public, pg_catalog`)
const machine = await openMachine(other.connection)
const replicas = openReplicas(
  [`postgres://${other.connection.user}@${machine.address}/${other.connection.database}`],
  world.sql,
  {
    options: { poolSize: 2, statementTimeoutMs: 60_000 },
    metrics: world.ctx.metrics,
    log: createLog({ level: 'silent' }),
  },
)
after(replicas.close)
world.ctx.replicas = replicas

const { publish } = feedsOf(world)
const ann = await world.person()
const feeds = [await publish(ann)]
const feedsSeenBy = async (read: typeof world.guest) => {
  const { status, body } = await read('GET', '/feeds?type=new')
  assert.equal(status, 200)
  return body.feeds.map(({ id }: { id: number }) => id)
}
const asGuest = () => feedsSeenBy(world.guest)
const asAnn = () => feedsSeenBy((...request) => world.as(ann, ...request))
const untilGuestsUseIt = () =>
  until(async () => (await asGuest()).length === 0, 'a guest reads from the replica')
const untilUsable = (usable: number) => until(() => replicas.state().usable === usable, `${usable} usable`)
const pretend = (change: string) => other.sql.unsafe(`update replayed set ${change}`)

test('serves only guests from the replica', async () => {
  await untilGuestsUseIt()
  assert.deepEqual(await asAnn(), feeds)
  feeds.unshift(await publish(ann))
  assert.deepEqual(await asAnn(), feeds)
  await untilGuestsUseIt()
  await until(
    async () => (await world.ctx.metrics.render()).includes('database_replica_usable{replica="0"} 1'),
    'the metric',
  )
})

test('uses the primary for writes by guests', async () => {
  await untilGuestsUseIt()
  const refreshed = await world.guest('GET', `/auth/refresh?token=${ann.token}`)
  assert.equal(refreshed.status, 200)
  ann.token = refreshed.body.access_token
})

test('loads cached settings from the primary for a guest', async () => {
  await untilGuestsUseIt()
  await settingsOn(world)({ 'site:currency-name': 'shells' }, async () =>
    assert.match(JSON.stringify((await world.guest('GET', '/bootstrappers')).body), /shells/),
  )
})

test('serves a picture to guests right after its upload', async () => {
  await untilGuestsUseIt()
  const file = await uploadPicture(world, ann)
  feeds.unshift(await publish(ann, { images: [{ id: file }] }))
  assert.equal((await world.guest('GET', `/files/${file}`)).status, 302)
})

for (const [fault, is, was] of [
  ['is more than a second behind', "position = '0/0'", "position = 'FFFFFFFF/0'"],
  ['is promoted', 'reads = false', 'reads = true'],
  ['belongs to another database', "database = 'elsewhere'", `database = '${world.connection.database}'`],
] as const)
  test(`serves guests from the primary when the replica ${fault}`, async () => {
    await untilGuestsUseIt()
    await pretend(is)
    await untilUsable(0)
    assert.deepEqual(await asGuest(), feeds)
    await pretend(was)
    await untilGuestsUseIt()
  })

test('serves guests from the primary when the replica is unreachable', async () => {
  await untilGuestsUseIt()
  machine.cut()
  // This request is the first to detect the replica's failure.
  assert.deepEqual(await asGuest(), feeds)
  assert.equal(replicas.state().usable, 0)
  machine.speak()
  await untilGuestsUseIt()
})
