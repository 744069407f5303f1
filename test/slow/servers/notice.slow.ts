import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findRunningPostgres, openDatabase } from '#platform/database'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-notice-'))
await chmod(folder, 0o755)
const dataDir = join(folder, 'data')
const port = await findFreePort()
const address = `http://127.0.0.1:${port}`
const started = new Set<ChildProcess>()
const PEOPLE = 30_000

after(async () => {
  for (const child of started) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

async function startServer() {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, FOUNDER_PASSWORD: 'founder password' },
  })
  started.add(child)
  child.once('exit', () => started.delete(child))
  await waitForAnswer(`${address}/health/ready`)
  const connection = await findRunningPostgres(join(dataDir, 'postgres'))
  assert.ok(connection)
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  const end = async (signal: NodeJS.Signals) => {
    await sql.end()
    child.kill(signal)
    const [code] = await once(child, 'exit')
    return code
  }
  return { sql, end }
}

async function send(path: string, body: object, token?: string) {
  const answer = await fetch(`${address}/api/v2${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  assert.ok(answer.ok, `${path} answered ${answer.status}`)
  return (await answer.json()) as { access_token: string; id: number }
}

type State = { status: string; sent: number }
type Running = Awaited<ReturnType<typeof startServer>>

async function stateOf({ sql }: Running, id: number): Promise<State> {
  const [row] = await sql<State[]>`select status, sent from notices where id = ${id}`
  assert.ok(row)
  return row
}

async function until(server: Running, id: number, isSo: (state: State) => boolean): Promise<State> {
  for (;;) {
    const state = await stateOf(server, id)
    if (isSo(state)) return state
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('delivers a system notification to every user once although the server is killed', async () => {
  let server = await startServer()
  await server.sql`
    insert into users (name, name_key) select 'crowd' || n, 'crowd' || n from generate_series(1, ${PEOPLE}::int) n`
  const { access_token: token } = await send('/auth/login', { login: 'root', password: 'founder password' })
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { id } = await send('/admin/notices', { contents: `before ${signal}`, all: true }, token)
    await until(server, id, ({ sent }) => sent > 0)
    const code = await server.end(signal)
    assert.equal(code, signal === 'SIGKILL' ? null : 0)
    server = await startServer()
    const sent = await until(server, id, ({ status }) => status === 'sent')
    const told = await server.sql<{ people: number; rows: number }[]>`
      select count(distinct user_id)::int as people, count(*)::int as rows from notifications
      where cause_type = 'notices' and cause_id = ${id}`
    assert.deepEqual([...told], [{ people: PEOPLE + 1, rows: PEOPLE + 1 }], signal)
    assert.equal(sent.sent, PEOPLE + 1)
  }
  assert.equal(await server.end('SIGTERM'), 0)
})
