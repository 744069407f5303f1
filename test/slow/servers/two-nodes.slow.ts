import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openMachine } from '#test/fixtures/machines.ts'
import { ROOT, surroundingsIn } from '#test/fixtures/programs.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-two-nodes-'))
const started = new Set<ChildProcess>()
after(async () => {
  for (const each of started) if (each.exitCode === null && each.signalCode === null) each.kill('SIGTERM')
  await Promise.all([...started].map((each) => each.exitCode ?? each.signalCode ?? once(each, 'exit')))
  await rm(folder, { recursive: true, force: true })
})

const { person, sql, connection } = await createWorld()
const machine = await openMachine(connection)
const lacks = (program: string) =>
  spawnSync(program, ['-v']).error === undefined ? false : `${program} is not installed`

async function startNode(port: number): Promise<ChildProcess> {
  const node = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    env: {
      ...surroundingsIn(folder),
      DATABASE_URL: `postgres://${connection.user}@${machine.address}/${connection.database}`,
      ...{
        DATA_DIR: join(folder, 'data'),
        APP_SECRET: 'a secret of the tests, long enough',
        TRUST_PROXY: '127.0.0.1',
      },
      ...{ PROCESSES: '1', CONSOLE: 'off', WEB: 'off', PORT: String(port), LOG_LEVEL: 'warn' },
      DRAIN_NOTICE_MS: '6000',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  started.add(node)
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, node)
  return node
}

/** Blocks of a fenced language in a document. */
async function blockOf(path: string, language: string, sign: string): Promise<string> {
  const text = await readFile(join(ROOT, path), 'utf8')
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
  const found = blocks.map(([, block]) => block ?? '').find((block) => block.includes(sign))
  assert.ok(found, `${path} has no block of ${language} with ${sign}`)
  return found
}

/** Starts nginx with the configuration of docs and deploy, without TLS. */
async function startNginx(port: number, nodes: number[]): Promise<ChildProcess> {
  const own = join(folder, 'nginx')
  await mkdir(own, { recursive: true })
  const given = await readFile(join(ROOT, 'deploy/nginx/kith.conf'), 'utf8')
  const [upstream = '', retries = ''] = (await blockOf('docs/running.md', 'nginx', 'max_fails')).split(
    /(?<=^}\n)/m,
  )
  const site = given
    .replace(/^upstream [\s\S]*?^}\n/m, upstream)
    .replace(/^server \{\n {4}listen 80;[\s\S]*?^}\n/m, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};\n${retries}`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replaceAll('/var/log/nginx', own)
    .replace('10.0.0.11:8080', `127.0.0.1:${nodes[0]}`)
    .replace('10.0.0.12:8080', `127.0.0.1:${nodes[1]}`)
  assert.match(site, /proxy_next_upstream_tries 2;/)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${own}/${name};`)
    .join(' ')
  const config = join(own, 'nginx.conf')
  await writeFile(config, `events {}\nhttp { ${temporary}\n${site} }\n`)
  const proxy = spawn(
    'nginx',
    ['-p', own, '-e', join(own, 'error.log'), '-c', config, '-g', `daemon off; pid ${own}/pid;`],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  started.add(proxy)
  await waitForAnswer(`http://127.0.0.1:${port}/health/live`, proxy)
  return proxy
}

/** Starts Caddy with the configuration of deploy, without TLS. */
async function startCaddy(port: number, nodes: number[]): Promise<ChildProcess> {
  const proxy = spawn(
    'caddy',
    ['run', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/caddy/Caddyfile')],
    {
      env: {
        ...{ PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        KITH_SITE: `http://127.0.0.1:${port}`,
        KITH_UPSTREAM: nodes.map((node) => `127.0.0.1:${node}`).join(' '),
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  )
  started.add(proxy)
  await waitForAnswer(`http://127.0.0.1:${port}/health/live`, proxy)
  return proxy
}

const CLIENTS = 4
/** Longer than `health_interval` of the Caddyfile. */
const CHECKED_MS = 6_000
/** Time between two requests of a client, which holds all clients together to 200 requests a second. */
const PAUSE_MS = 20
/** With this many members, each stays below the standard limit of 600 requests a minute on any machine. */
const MEMBERS = 24
/** Time between two reads of the guest, which stays below 60 requests a minute. */
const GUEST_PAUSE_MS = 1_500

for (const [program, startProxy] of [
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const)
  test(`answers every request while two nodes behind ${program} restart one after the other`, {
    skip: lacks(program),
  }, async (t) => {
    const ports = [await findFreePort(), await findFreePort()]
    const nodes = [await startNode(ports[0] as number), await startNode(ports[1] as number)]
    const port = await findFreePort()
    const proxy = await startProxy(port, ports)
    const members = await Promise.all(Array.from({ length: MEMBERS }, () => person()))
    const failures: string[] = []
    const served = { GET: 0, POST: 0, guest: 0 }
    let isOver = false
    const ask = async (n: number) => {
      const method = n % 4 === 3 ? 'POST' : 'GET'
      const { token } = members[Math.floor(n / 4) % MEMBERS] as (typeof members)[0]
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/${method === 'GET' ? 'user' : 'feeds'}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === 'POST'
            ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
            : {}),
        },
        ...(method === 'POST'
          ? {
              body: JSON.stringify({
                feed_content: `post ${n}`,
                feed_from: 1,
                feed_mark: Date.now() * 1000 + n,
              }),
            }
          : {}),
      }).catch((error) => error as Error)
      if (answer instanceof Error) failures.push(`${method} ${answer.message} ${answer.cause}`)
      else if (answer.ok) served[method] += 1
      else failures.push(`${method} ${answer.status}`)
      if (!(answer instanceof Error)) await answer.arrayBuffer()
    }
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = client; !isOver; n += CLIENTS) {
        await ask(n)
        await pause(PAUSE_MS)
      }
    })
    const guest = async () => {
      while (!isOver) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v2/feeds`).catch((error) => error as Error)
        if (answer instanceof Error) failures.push(`guest ${answer.message} ${answer.cause}`)
        else if (answer.ok) served.guest += 1
        else failures.push(`guest ${answer.status}`)
        if (!(answer instanceof Error)) await answer.arrayBuffer()
        await pause(GUEST_PAUSE_MS)
      }
    }
    clients.push(guest())
    try {
      for (const [index, node] of nodes.entries()) {
        // The proxy takes a restarted node back with its next check, before the other one may end.
        await pause(CHECKED_MS)
        node.kill('SIGTERM')
        await once(node, 'exit')
        nodes[index] = await startNode(ports[index] as number)
      }
      await pause(2_000)
    } finally {
      isOver = true
      await Promise.all(clients)
    }
    t.diagnostic(
      `${program}: ${served.GET} reads, ${served.POST} posts and ${served.guest} reads of a guest answered, ${failures.length} failed`,
    )
    assert.deepEqual(failures, [])
    assert.ok(served.GET > 120 && served.POST > 40, JSON.stringify(served))
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count from feeds where user_id = any(${members.map(({ id }) => id)})`
    assert.equal(row.count, served.POST)
    for (const each of [proxy, ...nodes]) {
      each.kill('SIGTERM')
      await once(each, 'exit')
    }
  })
