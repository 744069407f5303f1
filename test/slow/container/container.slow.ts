import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { containersIn, whyNoContainers } from '#test/fixtures/containers.ts'

// Builds the image of deploy/docker and runs it as compose.yml does. Needs root on Linux, buildah, podman,
// debootstrap and runc.
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DOCKERFILE = join(ROOT, 'deploy/docker/Dockerfile')
const IMAGE = 'kith-under-test'
const PATIENCE_MS = 90_000

type Service = {
  read_only: boolean
  tmpfs: string[]
  cap_drop: string[]
  security_opt: string[]
  shm_size: string
  volumes: string[]
}

function rulesOfCompose(): string[] {
  const { kith } = (
    parse(readFileSync(join(ROOT, 'deploy/docker/compose.yml'), 'utf8')) as { services: { kith: Service } }
  ).services
  return [
    ...(kith.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...kith.tmpfs.flatMap((each) => ['--tmpfs', each]),
    ...kith.cap_drop.flatMap((each) => ['--cap-drop', each]),
    ...kith.security_opt.flatMap((each) => ['--security-opt', each.replace(':true', '')]),
    ...kith.volumes.flatMap((each) => ['--volume', each]),
    ...['--shm-size', kith.shm_size],
  ]
}

const why = whyNoContainers()
if (why) console.log(`The container is neither built nor run here: ${why}.`)

describe('runs the image of deploy/docker', { skip: why ?? false }, () => {
  const containers = containersIn(mkdtempSync(join(tmpdir(), 'container-')))
  const { buildah, podman, tryPodman, start, makeBases, npmMounts, remove, driver } = containers
  after(remove)
  const inside = (...command: string[]) => podman('exec', running, ...command)
  let running = ''

  async function begin(name: string): Promise<void> {
    running = name
    start(name, [...rulesOfCompose(), IMAGE])
    for (const until = Date.now() + PATIENCE_MS; ; await pause(500)) {
      if (tryPodman('healthcheck', 'run', name).status === 0) return
      const { stdout, stderr } = tryPodman('logs', name)
      if (Date.now() > until) throw new Error(`It is not healthy: ${stdout}\n${stderr}`)
    }
  }
  /** Sends requests from inside the container, whose network is isolated. */
  const ask = (path: string, init: object = {}) =>
    JSON.parse(
      inside(
        'node',
        '-e',
        `fetch('http://127.0.0.1:8080' + ${JSON.stringify(path)}, ${JSON.stringify(init)})
          .then(async (r) => console.log(JSON.stringify({ status: r.status, text: await r.text() })))`,
      ),
    ) as { status: number; text: string }

  before(async () => {
    const [node = '', debian = ''] = [...readFileSync(DOCKERFILE, 'utf8').matchAll(/^FROM (\S+)/gm)].map(
      (match) => match[1],
    )
    const times = [Date.now()]
    const lap = () => times.push(Date.now())
    makeBases({ node, debian })
    lap()
    const from = ['--file', DOCKERFILE, '--ignorefile', `${DOCKERFILE}.dockerignore`, '--tag', IMAGE]
    const how = ['--isolation', 'chroot', '--pull-never', '--format', 'docker']
    buildah('bud', ...how, ...npmMounts(), ...from, ROOT)
    lap()
    await begin('first')
    lap()
    const [bases, image, start] = times.slice(1).map((time, n) => Math.round((time - (times[n] ?? 0)) / 1000))
    console.log(
      `Images to begin with: ${bases} s, the image: ${image} s, until it was healthy: ${start} s (${driver}).`,
    )
  })

  test('runs the server as an unprivileged user without capabilities', () => {
    assert.equal(inside('id', '-u'), '10001')
    const status = inside('cat', '/proc/1/status')
    assert.match(status, /^Uid:\s+10001\s+10001\s+10001\s+10001$/m)
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'))
    assert.match(status, /^NoNewPrivs:\s+1$/m)
  })

  test('runs with a read-only root file system and a writable data folder', () => {
    for (const path of ['/opt/kith/x', '/etc/x', '/var/x']) {
      const { status, stderr } = tryPodman('exec', '--user', '0', running, 'touch', path)
      assert.notEqual(status, 0)
      assert.match(stderr, /[Rr]ead-only/)
    }
    inside('touch', '/var/lib/kith/x')
    assert.match(inside('ls', '/var/lib/kith'), /postgres/)
    assert.equal(inside('stat', '-c', '%a %U', '/var/lib/kith'), '700 kith')
  })

  test('becomes ready with the embedded database', () => {
    assert.deepEqual(ask('/health/ready'), { status: 200, text: '{"status":"ok"}' })
    assert.equal(ask('/api/v2/bootstrappers').status, 200)
    const { status, text } = ask('/', { headers: { accept: 'text/html' } })
    assert.equal(status, 200)
    assert.match(text, /<script type="module" nonce="[^"]+" src="\/_\/assets\//)
    assert.equal(tryPodman('healthcheck', 'run', running).status, 0)
  })

  test('runs the operator commands of docs/running.md', () => {
    assert.match(inside('node', 'bin/kith.js', '--version'), /^Kith \d/)
    assert.match(inside('node', 'bin/kith.js', 'doctor'), /✓/)
    inside('node', 'bin/kith.js', 'backup', '/var/lib/kith/monday.backup')
    assert.match(inside('ls', '-l', '/var/lib/kith'), /-rw------- .* monday\.backup/)
  })

  test('serves the built console without its sources', () => {
    const { status, text } = ask('/admin', { headers: { accept: 'text/html' } })
    assert.equal(status, 200)
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(text) ?? []
    assert.equal(ask(script).status, 200)
    assert.equal(inside('ls', '-A', '/opt/kith/console'), 'dist')
    for (const absent of [
      '.git',
      '.ci',
      'test',
      'bench',
      'node_modules/typescript',
      'node_modules/@biomejs',
      'node_modules/playwright-core',
    ])
      assert.notEqual(tryPodman('exec', running, 'ls', `/opt/kith/${absent}`).status, 0, absent)
    const tools = 'command -v npm || command -v cc || command -v git'
    assert.notEqual(tryPodman('exec', running, 'sh', '-c', tools).status, 0)
  })

  test('keeps content when a second container replaces the first', async () => {
    const login = 'root'
    const password = inside('cat', '/var/lib/kith/founder-password')
    const json = { 'content-type': 'application/json' }
    const signedIn = ask('/api/v2/auth/login', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ login, password }),
    })
    const authorization = `Bearer ${JSON.parse(signedIn.text).access_token}`
    const feed = JSON.stringify({ feed_content: 'It lasts', feed_from: 1, feed_mark: 1 })
    assert.equal(
      ask('/api/v2/feeds', { method: 'POST', headers: { ...json, authorization }, body: feed }).status,
      201,
    )
    for (const next of ['second', undefined]) {
      podman('stop', '--time', '60', running)
      assert.equal(podman('inspect', '--format', '{{.State.ExitCode}}', running), '0')
      podman('rm', running)
      if (!next) return
      await begin(next)
      assert.match(ask('/api/v2/feeds').text, /It lasts/)
      assert.equal(inside('cat', '/var/lib/kith/founder-password'), password)
    }
  })
})
