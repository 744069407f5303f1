import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { readConfig } from '#platform/config'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const folder = await mkdtemp(join(tmpdir(), 'kith-packaging-'))
after(() => rm(folder, { recursive: true, force: true }))
const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const DOCUMENTED =
  readFileSync(join(ROOT, 'docs/running.md'), 'utf8') + readFileSync(join(ROOT, 'docs/im.md'), 'utf8')

function has(program: string, t: TestContext): boolean {
  const paths = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']
  if (paths.some((path) => existsSync(join(path, program)))) return true
  if (process.env.CI) throw new Error(`CI installs ${program}: what it reads has to be checked`)
  t.diagnostic(`${program} is not installed`)
  return false
}
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

test('sandboxes the server in a valid systemd service', async (t) => {
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

test('proxies streams through Caddy without buffering', async (t) => {
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
  await writeFile(own, read('caddy/Caddyfile').replace(/^\{$/m, '{\n\tadmin off'))
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

test('names an existing stream path in a valid nginx configuration', async (t) => {
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
    // Replaces 443 first, because the free port that replaces 80 may begin with 443.
    .replace('listen 443', `listen ${await findFreePort()}`)
    .replace('listen 80;', `listen ${await findFreePort()};`)
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

test('configures the container to run as an unprivileged user on a read-only file system', () => {
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

type Service = {
  image: string
  build?: { dockerfile: string }
  environment: Record<string, string | null>
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}
const COMPOSE = ['docker/compose.yml', 'docker/compose.full.yml']
const servicesOf = (name: string) =>
  Object.entries((parse(read(name)) as { services: Record<string, Service> }).services)

test('pins images and requires health checks in the compose files', () => {
  for (const name of COMPOSE)
    for (const [service, { image, build, healthcheck, depends_on }] of servicesOf(name)) {
      if (!build) assert.match(image, /^[\w./-]+:\d[\w.-]*$/, `${name}: ${image}`)
      // Kith's image contains a health check, so the compose file needs none.
      if (!build) assert.equal(healthcheck?.test[0], 'CMD', `${name}: ${service}`)
      for (const { condition } of Object.values(depends_on ?? {}))
        assert.equal(condition, 'service_healthy', service)
    }
  for (const [, image = ''] of read('docker/Dockerfile').matchAll(/^FROM (\S+)/gm))
    assert.match(image, /^[\w/-]+:(\d[\w.]*|bookworm)[\w.-]*$/)
})

test('sets only known environment variables in compose files', () => {
  const source = readFileSync(join(ROOT, 'src/platform/config/config.ts'), 'utf8')
  const example = read('docker/full.env.example')
  const given = Object.fromEntries(
    [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, key, value]) => [key, value || 'smtp://made-up:25']),
  )
  let seen = 0
  for (const name of COMPOSE) {
    for (const [, variable = ''] of read(name).matchAll(/\$\{([A-Z_]+):\?/g))
      assert.ok(variable in given, `full.env.example does not say ${variable}`)
    const { environment } = Object.fromEntries(servicesOf(name)).kith as Service
    const env: Record<string, string> = {}
    for (const [key, value] of Object.entries(environment)) {
      assert.ok(source.includes(`'${key}'`), `${name}: ${key}`)
      seen += 1
      const filled = (value ?? `\${${key}}`).replace(
        /\$\{([A-Z_]+)(?::[?-]([^}]*))?\}/g,
        (_, key, standard) => given[key] ?? standard ?? '',
      )
      if (filled !== '') env[key] = filled
    }
    const config = readConfig({
      ...env,
      DATABASE_URL: env.DATABASE_URL?.replace('smtp://made-up:25', 'secret'),
    })
    assert.equal(
      config.publicUrl,
      name.includes('full') ? 'https://social.example.org' : 'http://localhost:8080',
    )
  }
  assert.ok(seen > 10)
})

test('registers an account for Kith when ejabberd.sh starts ejabberd', async () => {
  const home = join(folder, 'ejabberd')
  for (const each of ['bin', 'conf']) await mkdir(join(home, each), { recursive: true })
  // Fakes `ejabberdctl`, which reports a started server at the second check.
  const fake = `#!/bin/sh
echo "$@" >> ${home}/told
case $1 in
  started) [ -e ${home}/once ] || { touch ${home}/once; exit 1; } ;;
  check_account) exit 1 ;;
  register) echo over >> ${home}/told ;;
  foreground) until grep -q over ${home}/told; do sleep 0.1; done ;;
esac
`
  await writeFile(join(home, 'bin/ejabberdctl'), fake, { mode: 0o755 })
  const env = {
    ...ENV,
    EJABBERD_HOME: home,
    KITH_SITE: 'social.example.org',
    EJABBERD_PASSWORD: 'of ejabberd',
    KITH_EJABBERD_YML: join(ROOT, 'docs/ejabberd.yml'),
  }
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'deploy/docker/ejabberd.sh')], {
    env,
    encoding: 'utf8',
  })
  assert.deepEqual([status, stderr], [0, ''])
  const told = readFileSync(join(home, 'told'), 'utf8').split('\n')
  assert.ok(
    told.includes('foreground') && told.includes('register kith social.example.org of ejabberd'),
    told.join('\n'),
  )
  const { kith } = Object.fromEntries(servicesOf('docker/compose.full.yml'))
  assert.equal(kith?.environment.IM_EJABBERD_USER, 'kith')
  const made = parse(readFileSync(join(home, 'conf/ejabberd.yml'), 'utf8')) as {
    hosts: string[]
    acl: { kith: { user: string } }
    listen: { ip: string }[]
  }
  assert.deepEqual([made.hosts, made.acl.kith.user], [['social.example.org'], 'kith@social.example.org'])
  assert.deepEqual(
    made.listen.map(({ ip }) => ip),
    ['::'],
  )
  assert.ok(!JSON.stringify(made).includes('chat.example.org'))
})

test('documents every folder of deploy', () => {
  const spoken =
    DOCUMENTED +
    read('docker/Dockerfile') +
    read('docker/compose.full.yml') +
    readFileSync(join(ROOT, 'docs/running.md'), 'utf8')
  for (const part of readdirSync(join(ROOT, 'deploy'))) assert.ok(spoken.includes(`deploy/${part}`), part)
})

test('configures Prometheus with a file that promtool accepts', (t) => {
  if (!has('promtool', t)) return
  const config = join(ROOT, 'deploy/prometheus/prometheus.yml')
  const { stdout, stderr, status } = spawnSync('promtool', ['check', 'config', config], {
    encoding: 'utf8',
    env: ENV,
  })
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /SUCCESS: 16 rules found/)
})
