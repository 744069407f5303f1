/**
 * Tests that a node of an earlier version serves requests while this version migrates the database. Needs
 * git, npm and Debian's postgresql-15.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Random, randomOf } from '#test/fixtures/payments.ts'
import { endServers, startPostgres } from '#test/fixtures/postgres.ts'
import { ROOT } from '#test/fixtures/programs.ts'
import { type Answer, killAll, send, startServer } from '#test/fixtures/sites.ts'

const PASSWORD = 'founder password'
const PEOPLE = 4
const FEEDS = 20
const WORKERS = 6
const PHASE_MS = 6_000

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
const { values } = parseArgs({ options: { from: { type: 'string' } } })
const from = values.from ?? git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0]
if (!from) throw new Error('there is no release to upgrade from: name a commit with --from=COMMIT')

const folder = await mkdtemp(join(tmpdir(), 'kith-upgrade-serving-'))
await chmod(folder, 0o755)
const earlier = join(folder, 'earlier')
git('worktree', 'add', '--quiet', '--detach', earlier, from)
after(async () => {
  killAll()
  await endServers()
  git('worktree', 'remove', '--force', earlier)
  await rm(folder, { recursive: true, force: true })
})
execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
  cwd: earlier,
  stdio: 'ignore',
})

const database = await startPostgres()
const env = {
  DATABASE_URL: database.url,
  APP_SECRET: 'a secret of both versions',
  PROCESSES: '1',
  WORKER: 'inside',
  CONSOLE: 'off',
  WEB: 'off',
}
const old = startServer(join(folder, 'old'), env, earlier)

type Person = { id: number; token: string }
type Write = { path: string; token: string; body: object; key: string; answer: Answer }

async function signIn(address: string, login: string): Promise<string> {
  const { status, body } = await send(address, '', 'POST', '/auth/login', { login, password: PASSWORD })
  assert.equal(status, 200, JSON.stringify(body))
  return (body as { access_token: string }).access_token
}

async function demand(...request: Parameters<typeof send>): Promise<{ id: number }> {
  const { status, body } = await send(...request)
  assert.ok(status < 300, `${request[3]} ${status} ${JSON.stringify(body)}`)
  return body as { id: number }
}

async function fill(address: string) {
  const founder = await signIn(address, 'root')
  const people: Person[] = []
  for (let n = 0; n < PEOPLE; n += 1) {
    const name = `person${n}`
    const { id } = await demand(address, founder, 'POST', '/admin/users', { name, password: PASSWORD })
    people.push({ id, token: await signIn(address, name) })
    for (const area of ['points', 'wallet'])
      await demand(address, founder, 'POST', `/admin/users/${id}/${area}`, { amount: 1e6, reason: 'start' })
  }
  // Creates a user for sign-ins, because repeated sign-ins end the oldest sessions.
  await demand(address, founder, 'POST', '/admin/users', { name: 'visitor', password: PASSWORD })
  const [author] = people as [Person]
  const feeds: number[] = []
  for (let n = 0; n < FEEDS; n += 1) {
    const feed = { feed_content: `feed ${n}`, feed_from: 1, feed_mark: n }
    feeds.push((await demand(address, author.token, 'POST', '/feeds', feed)).id)
  }
  return { founder, people, feeds }
}

type Site = Awaited<ReturnType<typeof fill>>

/** Omits `/auth`, because one of its reads signs out the caller. */
async function findReads(address: string, { founder, people, feeds }: Site): Promise<string[]> {
  const description = (await (await fetch(`${address}/api/v2/openapi.json`)).json()) as {
    paths: Record<string, { get?: object }>
  }
  const paths = Object.entries(description.paths)
    .filter(([path, { get }]) => get && !/stream|openapi|auth/.test(path))
    .map(([path]) =>
      path
        .replace(/^\/api\/v2/, '')
        .replace('{feed}', String(feeds[0]))
        .replace('{user}', String(people[1]?.id)),
    )
    .filter((path) => !path.includes('{'))
  const found: string[] = []
  for (const path of paths)
    if ((await send(address, founder, 'GET', path).catch(() => undefined))?.status === 200) found.push(path)
  return found
}

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

function nextWrite({ people, feeds }: Site, n: number, random: Random): [string, string, object?] {
  const person = pick(random, people).id
  const feed = pick(random, feeds)
  return pick<() => [string, string, object?]>(random, [
    () => [
      'POST',
      '/feeds',
      { feed_content: `while it is upgraded ${n}`, feed_from: 1, feed_mark: 1000 + n },
    ],
    () => ['POST', `/feeds/${feed}/comments`, { body: `comment ${n}`, comment_mark: 1000 + n }],
    () => ['POST', `/feeds/${feed}/like`],
    () => ['DELETE', `/feeds/${feed}/unlike`],
    () => ['POST', `/feeds/${feed}/collections`],
    () => ['DELETE', `/feeds/${feed}/uncollect`],
    () => ['PUT', `/user/followings/${person}`],
    () => ['DELETE', `/user/followings/${person}`],
    () => ['PATCH', '/user', { bio: `bio ${n}` }],
    () => ['POST', '/plus-pay/transfer', { user: person, amount: 1 }],
    () => ['POST', `/user/${person}/new-rewards`, { amount: 1 }],
    () => ['POST', `/feeds/${feed}/new-rewards`, { amount: 1 }],
    () => ['POST', '/questions', { subject: `Question ${n}?`, body: 'why', topics: [], amount: 0 }],
    () => ['POST', `/feeds/${feed}/reports`, { reason: `reason ${n}` }],
    () => ['POST', '/auth/login', { login: 'visitor', password: PASSWORD }],
  ])()
}

function startLoad(nodes: string[], site: Site, reads: string[]) {
  const random = randomOf(1)
  const written: Write[] = []
  const counts: Record<string, Record<number, number>> = {}
  const faults: string[] = []
  const state = { phase: 'before', isOver: false }
  let n = 0
  const work = async () => {
    while (!state.isOver) {
      const at = n++
      const node = pick(random, nodes)
      const { phase } = state
      const isRead = random() < 0.7
      const token = isRead && random() < 0.5 ? site.founder : pick(random, site.people).token
      const key = `upgrade ${at}`
      const [method, path, body] = isRead
        ? (['GET', pick(random, reads)] as [string, string, object?])
        : nextWrite(site, at, random)
      const isKept = /transfer|rewards/.test(path) && method === 'POST'
      const answer = await send(node, token, method, path, body, isKept ? key : undefined).catch(
        () => undefined,
      )
      const status = answer?.status ?? 0
      counts[phase] ??= {}
      const counted = counts[phase]
      counted[status] = (counted[status] ?? 0) + 1
      if (status === 0 || status >= 500) faults.push(`${phase}: ${status} ${method} ${path}`)
      if (isKept && answer && status === 201) written.push({ path, token, body: body ?? {}, key, answer })
    }
  }
  const working = Promise.all(Array.from({ length: WORKERS }, work))
  return {
    counts,
    faults,
    written,
    enter: (phase: string) => {
      state.phase = phase
    },
    async stop() {
      state.isOver = true
      await working
    },
  }
}

async function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env, DATA_DIR: join(folder, 'new') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  assert.equal(code, 0, output)
}

test(`serves requests while a node of this version replaces a node of ${from}`, async (t) => {
  const address = await old.address
  const site = await fill(address)
  const reads = await findReads(address, site)
  assert.ok(reads.length > 60, `found only ${reads.length} reads`)
  const nodes = [address]
  const load = startLoad(nodes, site, reads)
  await pause(PHASE_MS)
  load.enter('migration')
  const begun = performance.now()
  await run('migrate')
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  load.enter('the earlier version on the new schema')
  await pause(PHASE_MS)
  const next = startServer(join(folder, 'new'), { ...env, MIGRATE: 'off' })
  nodes.push(await next.address)
  load.enter('both versions')
  await pause(PHASE_MS)
  nodes.shift()
  load.enter('the new version, while the earlier one stops')
  old.child.kill('SIGTERM')
  await old.ended
  await pause(PHASE_MS)
  await load.stop()
  t.diagnostic(
    `${reads.length} reads, ${seconds} s of migration, replies by phase ${JSON.stringify(load.counts)}`,
  )
  assert.deepEqual([...new Set(load.faults)], [])
  for (const [phase, counted] of Object.entries(load.counts)) assert.ok(counted[201], `no write ${phase}`)
  assert.ok(load.written.length > 20, `only ${load.written.length} payments`)
  for (const { path, token, body, key, answer } of load.written) {
    const again = await send(nodes[0] ?? '', token, 'POST', path, body, key)
    assert.deepEqual([again.status, again.replayed, again.body], [201, true, answer.body], `${path} ${key}`)
  }
  next.child.kill('SIGTERM')
  await next.ended
  await run('doctor')
})
