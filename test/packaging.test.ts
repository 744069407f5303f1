import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const folder = await mkdtemp(join(tmpdir(), 'kith-packaging-'))
after(() => rm(folder, { recursive: true, force: true }))
const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const DOCUMENTED =
  readFileSync(join(ROOT, 'docs/running.md'), 'utf8') + readFileSync(join(ROOT, 'docs/im.md'), 'utf8')

/** Runs a program that CI installs; false where it is absent elsewhere. */
function has(program: string, t: TestContext): boolean {
  const paths = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']
  if (paths.some((path) => existsSync(join(path, program)))) return true
  if (process.env.CI) throw new Error(`CI installs ${program}: what it reads has to be checked`)
  t.diagnostic(`${program} is not installed`)
  return false
}
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

test('the service is one that systemd takes, and shuts itself in', async (t) => {
  if (!has('systemd-analyze', t)) return
  const unit = join(folder, 'kith.service')
  await writeFile(unit, read('systemd/kith.service').replaceAll('/opt/kith', ROOT))
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8', env: ENV })
  assert.deepEqual([verified.status, verified.stderr], [0, ''])
  const secured = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=25', '--no-pager', unit],
    {
      encoding: 'utf8',
      env: ENV,
    },
  )
  assert.equal(secured.status, 0, secured.stdout.split('\n').at(-2) ?? '')
})

test('Caddy passes requests on, each piece of a stream when it comes, and no metrics', async (t) => {
  if (!has('caddy', t)) return
  const [site, upstream] = [await findFreePort(), await findFreePort()]
  let sent: (() => void) | undefined
  const server = createServer((request, response) => {
    if (request.url !== '/stream') return response.end(JSON.stringify(request.headers))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    sent = () => response.end('data: last\n\n')
  }).listen(upstream, '127.0.0.1')
  const env = {
    ...ENV,
    HOME: folder,
    KITH_SITE: `http://127.0.0.1:${site}`,
    KITH_UPSTREAM: `127.0.0.1:${upstream}`,
  }
  const config = join(ROOT, 'deploy/caddy/Caddyfile')
  const valid = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', config], {
    env,
    encoding: 'utf8',
  })
  assert.equal(valid.status, 0, valid.stderr)
  const own = join(folder, 'Caddyfile')
  await writeFile(own, `{\n\tadmin off\n}\n${read('caddy/Caddyfile')}`)
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', own], { env, stdio: 'ignore' })
  try {
    const at = `http://127.0.0.1:${site}`
    await waitForAnswer(`${at}/`)
    const seen = (await (
      await fetch(`${at}/`, { headers: { 'x-forwarded-for': '192.0.2.7' } })
    ).json()) as Record<string, string>
    assert.equal(seen['x-forwarded-for'], '127.0.0.1', 'what a client says of itself is not believed')
    assert.ok(seen['x-request-id'])
    assert.equal((await fetch(`${at}/metrics`)).status, 404)
    const stream = (await fetch(`${at}/stream`)).body?.getReader()
    assert.equal(new TextDecoder().decode((await stream?.read())?.value), 'data: first\n\n')
    sent?.()
    assert.equal(new TextDecoder().decode((await stream?.read())?.value), 'data: last\n\n')
  } finally {
    caddy.kill('SIGTERM')
    await once(caddy, 'exit')
    server.closeAllConnections()
    server.close()
  }
})

test('nginx takes its sample, which names the stream as it is', async (t) => {
  const sample = read('nginx/kith.conf')
  const [, stream] = /location = (\/api\S+stream)/.exec(sample) ?? []
  const contract = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as { paths: object }
  assert.ok(Object.keys(contract.paths).includes(stream ?? ''))
  if (!has('nginx', t)) return
  const made = spawnSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=x',
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
    ],
    { cwd: folder, stdio: 'ignore' },
  )
  assert.equal(made.status, 0)
  const own = sample
    .replace('listen 80;', `listen ${await findFreePort()};`)
    .replace('listen 443', `listen ${await findFreePort()}`)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${folder}/key.pem;`)
  const whole = join(folder, 'nginx.conf')
  await writeFile(
    whole,
    `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${own}\n}\n`,
  )
  const valid = spawnSync('nginx', ['-t', '-q', '-p', folder, '-c', whole], { encoding: 'utf8', env: ENV })
  assert.equal(valid.status, 0, valid.stderr)
})

test('the container runs as nobody special, on a disk it cannot write to, and what it copies and runs is there', () => {
  const text = read('docker/Dockerfile')
  const lines = text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  assert.deepEqual(
    last.filter((line) => line.startsWith('USER ')),
    ['USER kith'],
  )
  assert.ok(last.some((line) => line.startsWith('HEALTHCHECK ')))
  for (const line of lines.filter((each) => each.startsWith('COPY ') && !each.includes('--from')))
    for (const source of line.split(' ').slice(1, -1)) assert.ok(existsSync(join(ROOT, source)), source)
  const [, command = ''] = /^CMD (\[.+\])$/m.exec(text) ?? []
  assert.ok(existsSync(join(ROOT, (JSON.parse(command) as string[])[1] ?? '')))
  for (const name of ['docker/compose.yml', 'docker/compose.full.yml']) {
    const [, kith = ''] = /\n {2}kith:\n([\s\S]*?)\n(?: {2}\w|\w)/.exec(read(name)) ?? []
    for (const rule of [
      'read_only: true',
      'cap_drop: [ALL]',
      'no-new-privileges:true',
      'restart: unless-stopped',
    ])
      assert.ok(kith.includes(rule), `${name}: ${rule}`)
    for (const [, path = ''] of read(name).matchAll(/'(\.\.\/[^:']+):/g))
      assert.ok(existsSync(join(ROOT, 'deploy/docker', path)), path)
  }
})

test('every setting that a file of deploy names is one that Kith reads', () => {
  const known = (name: string) => DOCUMENTED.includes(`\`${name}\``) || DOCUMENTED.includes(`${name}\``)
  const full = /\n {4}environment:\n((?: {6}.*\n)+)/.exec(read('docker/compose.full.yml'))?.[1] ?? ''
  const one = /\n {4}environment:\n((?: {6}.*\n)+)/.exec(read('docker/compose.yml'))?.[1] ?? ''
  const names = [...`${full}${one}`.matchAll(/^ {6}([A-Z_]+):/gm)].map((match) => match[1] as string)
  assert.ok(names.length > 10)
  for (const name of names) assert.ok(known(name), name)
  const example = read('docker/full.env.example')
  for (const [, name] of read('docker/compose.full.yml').matchAll(/\$\{([A-Z_]+)/g))
    assert.ok(example.includes(`${name}=`), `full.env.example does not say ${name}`)
})

test('every file of deploy is spoken of', () => {
  const spoken =
    DOCUMENTED +
    read('docker/Dockerfile') +
    read('docker/compose.full.yml') +
    readFileSync(join(ROOT, 'docs/running.md'), 'utf8')
  for (const part of readdirSync(join(ROOT, 'deploy'))) assert.ok(spoken.includes(`deploy/${part}`), part)
})
