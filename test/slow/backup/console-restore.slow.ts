import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-console-restore-'))
const started = new Set<ChildProcess>()
after(async () => {
  for (const server of started) if (server.exitCode === null) server.kill('SIGTERM')
  await Promise.all([...started].map((server) => server.exitCode ?? once(server, 'exit')))
  await rm(folder, { recursive: true, force: true })
})

const PHRASE = 'a passphrase of the tests'
const backups = join(folder, 'backups')
await mkdir(backups)
const NAME = 'kith-20260301T033000Z.backup'

type Site = { address: string; dataDir: string; server: ChildProcess; output(): string }

async function start(name: string, env: Record<string, string> = {}): Promise<Site> {
  const port = await findFreePort()
  const dataDir = join(folder, name)
  const server = spawn(process.execPath, ['src/main.ts'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...{ DATA_DIR: dataDir, PORT: String(port), WEB: 'off', CONSOLE: 'off', METRICS_PORT: '0' },
      ...{ FOUNDER_PASSWORD: `founder of ${name}`, BACKUP_TO: backups, BACKUP_PASSPHRASE: PHRASE },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(server)
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const address = `http://127.0.0.1:${port}`
  await waitForAnswer(`${address}/health/ready`, server)
  return { address, dataDir, server, output: () => output }
}

async function stop({ server }: Site): Promise<void> {
  server.kill('SIGTERM')
  await once(server, 'exit')
}

async function call({ address }: Site, token: string | undefined, path: string, body?: object) {
  const answer = await fetch(`${address}/api/v2${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
}

async function signIn(site: Site, password: string): Promise<string> {
  const { status, body } = await call(site, undefined, '/auth/login', { login: 'root', password })
  assert.equal(status, 200, JSON.stringify(body))
  return body.access_token
}

/** Waits until the restore has ended, whether it changed the site or not. */
async function waitForEnd(site: Site): Promise<void> {
  const file = join(site.dataDir, 'restore', 'request.json')
  for (let turn = 0; turn < 1800 && existsSync(file); turn += 1) await pause(100)
  assert.equal(existsSync(file), false, site.output())
  await waitForAnswer(`${site.address}/health/ready`, site.server)
}

const restore = (site: Site, token: string, name: string, given: object = {}) =>
  call(site, token, '/admin/restore', { password: `founder of ${name}`, ...given })

let feed = 0

test('makes the backup of a site', async () => {
  const site = await start('old')
  const token = await signIn(site, 'founder of old')
  const posted = await call(site, token, '/feeds', {
    feed_content: 'before the move',
    feed_from: 1,
    feed_mark: Date.now() * 1000,
  })
  assert.equal(posted.status, 201)
  feed = posted.body.id
  assert.equal((await call(site, token, '/admin/backups', {})).status, 204)
  for (let turn = 0; turn < 1800; turn += 1) {
    const { running, data } = (await call(site, token, '/admin/backups')).body
    if (!running && data.length > 0) break
    await pause(100)
  }
  await stop(site)
  const [made] = await readdir(backups)
  assert.match(made ?? '', /^kith-\d{8}T\d{6}Z\.backup$/)
  await copyFile(join(backups, made ?? ''), join(folder, 'whole.backup'))
  await rm(join(backups, made ?? ''))
})

for (const processes of ['1', '2'])
  test(`restores an uploaded backup into a new site of ${processes} processes`, async () => {
    const name = `new-${processes}`
    const site = await start(name, { PROCESSES: processes })
    const token = await signIn(site, `founder of ${name}`)
    const bytes = await readFile(join(folder, 'whole.backup'))
    const upload = async (content: Buffer) => {
      const begun = await call(site, token, '/admin/restore/uploads', {})
      assert.equal(begun.status, 200, JSON.stringify(begun.body))
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
      const part = 100_000
      for (let at = 0; at < content.length; at += part) {
        const sent = await fetch(`${site.address}/storage/restore?offset=${at}`, {
          method: 'PUT',
          headers: { cookie, 'content-type': 'application/octet-stream' },
          body: content.subarray(at, at + part),
        })
        assert.equal(sent.status, 200, await sent.text())
      }
    }
    // A damaged backup leaves the site as it is.
    const damaged = Buffer.from(bytes)
    damaged[damaged.length - 100] = (damaged.at(-100) ?? 0) ^ 1
    await upload(damaged)
    const pid = site.server.pid
    assert.equal((await restore(site, token, name)).status, 204)
    await waitForEnd(site)
    const state = (await call(site, token, '/admin/restore')).body
    assert.match(state.outcome.fault, /damaged/)
    assert.deepEqual([state.possible, state.uploaded], [true, null])

    await upload(bytes)
    assert.equal((await restore(site, token, name)).status, 204)
    await waitForEnd(site)
    assert.deepEqual([site.server.pid, site.server.exitCode], [pid, null], site.output())
    assert.equal((await call(site, token, '/user')).status, 401)
    assert.equal(
      (await call(site, undefined, '/auth/login', { login: 'root', password: `founder of ${name}` })).status,
      422,
    )
    const restored = await signIn(site, 'founder of old')
    assert.equal((await call(site, restored, `/feeds/${feed}`)).body.feed_content, 'before the move')
    const { data } = (await call(site, restored, '/admin/audit-log?action=backups.restore')).body
    assert.equal(data.length, 1)
    assert.deepEqual((await readdir(join(site.dataDir, 'restore'))).sort(), ['outcome.json'])
    await stop(site)
  })

test('refuses the backup of BACKUP_TO when a member joins before the restart', async () => {
  await copyFile(join(folder, 'whole.backup'), join(backups, NAME))
  const site = await start('joined')
  const token = await signIn(site, 'founder of joined')
  const made = await call(site, token, '/admin/users', { name: 'member', password: 'the words of a member' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const refused = await restore(site, token, 'joined', { backup: NAME })
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [422, 'site_has_members'])
  await stop(site)
  // The server had written the request before the member joined.
  await mkdir(join(site.dataDir, 'restore'), { recursive: true })
  await writeFile(
    join(site.dataDir, 'restore', 'request.json'),
    JSON.stringify({ from: join(backups, NAME) }),
  )
  const third = await start('joined')
  const state = (await call(third, token, '/admin/restore')).body
  assert.match(state.outcome.fault, /this site has members/)
  assert.equal((await call(third, token, '/admin/users?q=member')).body.total, 1)
  await stop(third)
})

test('ends an interrupted restore that has changed nothing, and repeats one that has', async () => {
  const site = await start('interrupted')
  const token = await signIn(site, 'founder of interrupted')
  await stop(site)
  const file = join(site.dataDir, 'restore', 'request.json')
  await mkdir(join(site.dataDir, 'restore'), { recursive: true })
  await writeFile(file, JSON.stringify({ from: join(backups, NAME), tried: true }))
  const kept = await start('interrupted')
  const state = (await call(kept, token, '/admin/restore')).body
  assert.match(state.outcome.fault, /interrupted before it changed anything/)
  await stop(kept)
  await writeFile(file, JSON.stringify({ from: join(backups, NAME), tried: true, begun: true }))
  const restored = await start('interrupted')
  await signIn(restored, 'founder of old')
  assert.equal(existsSync(file), false)
  await stop(restored)
})
