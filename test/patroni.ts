import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, suite, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eventually, type Machine, startPatroni } from '#test/fixtures/patroni.ts'
import { assertSound, type Payment, randomOf, retry, type Site, settle } from '#test/fixtures/payments.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { openStream, type Reader } from '#test/fixtures/streams.ts'
import { type Post, startTraffic } from '#test/fixtures/traffic.ts'

// Tests two nodes on the cluster of deploy/patroni while its primary fails. Needs root on Linux and Debian's
// patroni, etcd-server, haproxy, iproute2 and postgresql-15.
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
const INSIDE = 'KITH_PATRONI_INSIDE'
const PROGRAMS = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/sbin/haproxy',
  '/usr/lib/postgresql/15/bin/postgres',
]

function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux'
  const missing = PROGRAMS.filter((program) => !existsSync(program))
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`
  const { status } = spawnSync('unshare', [...NAMESPACES, 'ip', 'link', 'add', 'trial', 'type', 'bridge'])
  return status === 0 ? undefined : 'this machine does not allow network namespaces'
}

// Runs in namespaces, which avoid address collisions and kill all processes of the test at its end.
if (!process.env[INSIDE]) {
  const why = whyNot()
  if (why) console.log(`Patroni is not tested here: ${why}.`)
  if (why) process.exit(process.env.CI === 'true' ? 1 : 0)
  // The shell is process 1 of the namespace and reaps orphans, whose exit Patroni waits for.
  const own = ['sh', '-c', '"$@"; exit $?', 'sh', process.execPath, fileURLToPath(import.meta.url)]
  const env = { ...process.env, [INSIDE]: '1' }
  process.exit(spawnSync('unshare', [...NAMESPACES, ...own], { stdio: 'inherit', env }).status ?? 1)
}

const MOST_CONNECTIONS = 70
const ENOUGH = 20

function follow(node: string, token: string) {
  const seen: string[] = []
  let resumed = -1
  let isOver = false
  let reader: Reader | undefined
  const read = async () => {
    let last: number | undefined
    while (!isOver) {
      reader = await openStream(node, token, last).catch(() => undefined)
      if (reader) resumed += 1
      await reader?.ended
      seen.push(...(reader?.events ?? []).map((event) => JSON.stringify(event)))
      last = reader?.last() || last
      if (!isOver) await pause(500)
    }
  }
  const reading = read()
  return {
    resumed: () => resumed,
    count: (text: string) =>
      [...seen, ...(reader?.events ?? []).map((event) => JSON.stringify(event))].filter((event) =>
        event.includes(`"${text}"`),
      ).length,
    async close() {
      isOver = true
      reader?.close()
      await reading
    },
  }
}

suite('a Patroni cluster of three', () => {
  let cluster: Awaited<ReturnType<typeof startPatroni>>
  const nodes: string[] = []
  let site: Site
  let streams: ReturnType<typeof follow>[] = []
  const payments: Payment[] = []
  const posts: Post[] = []
  const notices: string[] = []
  const random = randomOf(1)
  let next = 0

  before(async () => {
    cluster = await startPatroni()
    const env = {
      PROCESSES: '1',
      WORKER: 'inside',
      APP_SECRET: 'a secret of both nodes',
      CONSOLE: 'off',
      WEB: 'off',
    }
    for (const name of ['kith-one', 'kith-two'])
      nodes.push(await startServer(join(cluster.folder, name), { ...env, DATABASE_URL: cluster.url }).address)
    site = await settle(nodes[0] as string, cluster.query)
    streams = nodes.flatMap((node) => [site.author, site.founder].map(({ token }) => follow(node, token)))
  })
  after(async () => {
    for (const stream of streams) await stream.close()
    killAll()
    cluster?.stop()
    if (cluster && hasPassed) await rm(cluster.logs, { recursive: true })
    else if (cluster) console.error(`The logs of Patroni and etcd are in ${cluster.logs}.`)
  })
  let hasPassed = true
  afterEach((t) => {
    hasPassed &&= (t as TestContext).passed
  })

  async function notify(node: string | undefined): Promise<void> {
    const contents = `notice ${notices.length}`
    await eventually('a notice', async () => {
      const body = { contents, all: true }
      const answer = await send(node ?? '', site.founder.token, 'POST', '/admin/notices', body, contents)
      return answer.status === 201 || undefined
    })
    notices.push(contents)
  }

  async function failWith(
    t: TestContext,
    fault: (primary: Machine) => Promise<void> | void,
    repair: (former: Machine) => void,
  ) {
    const former = await cluster.untilWhole()
    const traffic = startTraffic(nodes, site, random, next)
    const untilServing = async () => {
      const before = traffic.states.map(({ acknowledged }) => acknowledged)
      await eventually(
        'writes on both nodes',
        () =>
          traffic.states.every((state, n) => state.acknowledged >= (before[n] ?? 0) + ENOUGH) || undefined,
      )
    }
    await untilServing()
    await notify(nodes[0])
    for (const state of traffic.states) state.longestGapMs = 0
    await fault(former)
    t.after(() => repair(former))
    await notify(nodes[1])
    const successor = await cluster.primary(former)
    const watching = watchPrimary()
    await untilServing()
    await notify(nodes[0])
    next = await traffic.stop()
    payments.push(...traffic.payments)
    posts.push(...traffic.posts)
    const gaps = traffic.states.map(({ longestGapMs }) => longestGapMs.toFixed(0))
    const { connections, commitsAlone } = await watching.stop()
    t.diagnostic(
      `${former.name} to ${successor.name}: ${gaps.join(' and ')} ms without a write, answers ${JSON.stringify(traffic.statuses)}, at most ${connections} connections`,
    )
    await assertNothingLost(traffic.payments, traffic.posts)
    assert.equal(commitsAlone, false, 'the new primary committed without a standby')
    assert.ok(connections <= MOST_CONNECTIONS, `${connections} connections`)
    assert.equal(traffic.statuses[500] ?? 0, 0)
  }

  function watchPrimary() {
    let connections = 0
    let commitsAlone = false
    let isOver = false
    const look = async () => {
      while (!isOver) {
        const [found] = await cluster
          .query(
            (sql) => sql<{ count: number; isAlone: boolean }[]>`
            select count(*)::int as count, current_setting('synchronous_standby_names') = '' as "isAlone"
            from pg_stat_activity where usename = 'kith'`,
          )
          .catch(() => [])
        connections = Math.max(connections, found?.count ?? 0)
        commitsAlone ||= found?.isAlone ?? false
        await pause(500)
      }
    }
    const looking = look()
    return {
      async stop() {
        isOver = true
        await looking
        return { connections, commitsAlone }
      },
    }
  }

  const sendingOf = (notice: string) =>
    cluster.query(
      (sql) => sql`
        select n.status, n.sent,
          (select json_agg(json_build_array(user_id, seq)) from notifications where cause_type = 'notices' and cause_id = n.id) as told,
          (select json_agg(json_build_array(user_id, last_seq)) from notification_cursors) as cursors,
          (select json_agg(j) from graphile_worker._private_jobs j) as jobs,
          (select json_agg(q) from graphile_worker._private_job_queues q) as queues,
          (select json_agg(w) from worker_lease w) as lease, now()
        from notices n where n.contents = ${notice}`,
    )

  async function assertNothingLost(paid: Payment[], posted: Post[]): Promise<void> {
    const [node = ''] = nodes
    await retry(node, paid)
    await assertSound(node, cluster.query, site, payments)
    for (const { token, path, body, answer } of posted) {
      const again = await send(node, token, 'POST', path, body)
      assert.equal(again.status, 201)
      if (answer?.status === 201) assert.deepEqual(again.body, answer.body)
    }
    const rows = await cluster.query(
      (sql) => sql<{ text: string; count: number }[]>`
        select feed_content as text, count(*)::int as count from feeds
        where feed_content like 'post %' group by feed_content`,
    )
    const found = new Map(rows.map(({ text, count }) => [text, count]))
    const wrong = posts.filter(({ key }) => found.get(key) !== 1)
    assert.deepEqual(
      wrong.map(({ key, answer }) => [key, answer?.status, found.get(key)]),
      [],
    )
    for (const notice of notices)
      await eventually(
        `${notice} on every stream`,
        () => streams.every((stream) => stream.count(notice) > 0) || undefined,
      ).catch(async (error) => {
        const counts = streams.map((stream) => stream.count(notice))
        throw new Error(`${notice}: on the streams ${counts}, ${JSON.stringify(await sendingOf(notice))}`, {
          cause: error,
        })
      })
    for (const notice of notices)
      assert.deepEqual(
        streams.map((stream) => stream.count(notice)),
        streams.map(() => 1),
        notice,
      )
    const told = await cluster.query(
      (sql) => sql`
        select 1 from notifications where cause_type = 'notices' group by user_id, cause_id having count(*) > 1`,
    )
    assert.equal(told.length, 0)
  }

  test('loses no writes when the operator switches the primary', async (t) => {
    await failWith(
      t,
      () => cluster.switchover(),
      () => {},
    )
  })

  test('loses no writes when the machine of the primary dies', async (t) => {
    await failWith(
      t,
      (primary) => primary.kill(),
      (former) => former.start(),
    )
  })

  test('loses no writes when the machine of the primary freezes', async (t) => {
    await failWith(
      t,
      (primary) => primary.signal('SIGSTOP'),
      (former) => former.signal('SIGCONT'),
    )
  })

  test('loses no writes when the primary loses its network', async (t) => {
    await failWith(
      t,
      (primary) => primary.unplug(),
      (former) => former.plugIn(),
    )
    t.diagnostic(`${streams.reduce((sum, stream) => sum + stream.resumed(), 0)} streams resumed`)
  })
})
