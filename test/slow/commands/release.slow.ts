import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const SCRIPT = fileURLToPath(new URL('../../../scripts/release.ts', import.meta.url))
const scratch = await mkdtemp(join(tmpdir(), 'kith-release-'))
await chmod(scratch, 0o755)
after(() => rm(scratch, { recursive: true, force: true }))
let repositories = 0

function repository({ changes = '- A first thing.\n', green = true, migrations = ['0001_first'] } = {}) {
  repositories += 1
  const root = join(scratch, String(repositories))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const git = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout.trim()
  }
  const scripts = {
    check: green ? 'true' : 'false',
    dev: 'sh dev.sh',
  }
  write(
    'package.json',
    `${JSON.stringify({ name: 'x', version: '0.1.0', scripts, files: ['a'] }, null, 2)}\n`,
  )
  write(
    'package-lock.json',
    '{\n  "version": "0.1.0",\n  "packages": {\n    "": { "version": "0.1.0" },\n    "a": { "version": "0.1.0" }\n  }\n}\n',
  )
  write(
    'dev.sh',
    `case "$1" in
      openapi) cp package.json openapi.json ;;
      release:site) mkdir -p test/fixtures/upgrade && printf 'a site' > "$2" ;;
      *) mkdir -p "$1/dist" && echo {} > "$1/dist/built.json" ;;
    esac`,
  )
  write('CHANGELOG.md', `# Changes\n\n## Unreleased\n\n${changes}`)
  for (const name of migrations) write(`migrations/${name}.sql`, 'select 1')
  write('src/main.ts', 'export {}\n')
  write('console/package-lock.json', '{ "version": "0.1.0", "packages": { "": { "version": "0.1.0" } } }\n')
  write('test/some.test.ts', 'export {}\n')
  write('.gitignore', 'console/dist/\nweb/dist/\nrelease/\n')
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'A tester')
  git('config', 'user.email', 'tester@example.org')
  git('add', '--all')
  git('commit', '--quiet', '--message=Begin')
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
      cwd: root,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  return { root, write, git, read, release }
}

test('creates a tagged release with an archive', () => {
  const { root, git, read, release, write } = repository()
  const made = release('0.1.0')
  assert.deepEqual([made.status, made.stderr], [0, ''])
  const today = new Date().toISOString().slice(0, 10)
  assert.equal(
    read('CHANGELOG.md'),
    `# Changes\n\n## Unreleased\n\n## 0.1.0 (${today})\n\n- A first thing.\n`,
  )
  assert.equal(git('status', '--porcelain'), '')

  write(
    'CHANGELOG.md',
    read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n- More.\n- Upgrading: say `NEW=1`.\n'),
  )
  write('migrations/0002_second.sql', 'select 2')
  write('migrations/0003_third.sql', 'select 3')
  git('add', '--all')
  git('commit', '--quiet', '--message=Go on')
  const next = release('0.2.0')
  assert.deepEqual([next.status, next.stderr], [0, ''])
  const changelog = read('CHANGELOG.md')
  assert.match(
    changelog,
    /## Unreleased\n\n## 0\.2\.0 \([\d-]+\)\n\n- More\.\n\n### Upgrading\n\n- Back up first/,
  )
  assert.match(changelog, /- 2 migrations \(0002 to 0003\) run at the first start; 0\.1\.0 then refuses/)
  assert.match(changelog, /- say `NEW=1`\.\n\n## 0\.1\.0/)
  assert.match(read('package.json'), /"version": "0\.2\.0"/)
  assert.equal(read('package-lock.json').match(/0\.2\.0/g)?.length, 2)
  assert.match(read('package-lock.json'), /"a": \{ "version": "0\.1\.0" \}/)
  assert.match(read('openapi.json'), /0\.2\.0/)
  assert.equal(git('tag', '--list'), 'v0.1.0\nv0.2.0')
  assert.match(git('tag', '--list', '--format=%(contents)', 'v0.2.0'), /### Upgrading\n\n- Back up first/)
  assert.equal(git('log', '-1', '--format=%s', 'v0.2.0'), 'Release 0.2.0')
  assert.ok(git('ls-files').includes('test/fixtures/upgrade/kith-0.2.0.backup'))

  const listed = spawnSync('tar', ['tzf', join(root, 'release/kith-0.2.0.tar.gz')], {
    encoding: 'utf8',
  }).stdout
  for (const held of [
    'src/main.ts',
    'console/dist/built.json',
    'web/dist/built.json',
    'CHANGELOG.md',
    'package-lock.json',
  ])
    assert.ok(listed.includes(`kith-0.2.0/${held}\n`), held)
  // The archive omits the lockfiles of the console and the web site, because a server start would rebuild a package
  // that has one.
  for (const absent of ['console/package-lock.json', 'web/package-lock.json', 'test/', '.git/'])
    assert.ok(!listed.includes(`kith-0.2.0/${absent}`), absent)
  const summed = spawnSync('sha256sum', ['-c', 'kith-0.2.0.tar.gz.sha256'], { cwd: join(root, 'release') })
  assert.equal(summed.status, 0)
})

test('keeps the upgrade notes of the first release', () => {
  const { release } = repository({ changes: '- A first thing.\n- Upgrading: say `OLD=1` no more.\n' })
  const { status, stdout } = release('0.1.0', '--dry-run')
  assert.equal(status, 0)
  assert.match(stdout, /- A first thing\.\n\n### Upgrading\n\n- say `OLD=1` no more\.\n/)
})

test('changes nothing in a dry run', () => {
  const { root, git, release } = repository()
  const before = git('rev-parse', 'HEAD')
  const { status, stdout } = release('0.2.0', '--dry-run')
  assert.equal(status, 0)
  assert.match(stdout, /## 0\.2\.0[\s\S]*- A first thing\.[\s\S]*dry run/)
  assert.deepEqual([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')], [before, '', ''])
  assert.ok(!existsSync(join(root, 'release')))
})

test('rejects a release when a precondition fails', () => {
  const dirty = repository()
  dirty.write('left.txt', 'left')
  const tagged = repository()
  tagged.git('tag', 'v0.3.0')
  for (const [{ release, git }, version, reason] of [
    [dirty, '0.2.0', /tree is dirty/],
    [repository({ green: false }), '0.2.0', /check` is red/],
    [repository({ changes: '' }), '0.2.0', /nothing to release/],
    [repository(), '0.0.9', /not newer than 0\.1\.0/],
    [repository(), 'next', /Say the version/],
    [tagged, '0.3.0', /a tag v0\.3\.0 already/],
  ] as const) {
    const before = git('rev-parse', 'HEAD')
    const { status, stderr } = release(version)
    assert.equal(status, 2, stderr)
    assert.match(stderr, reason)
    assert.doesNotMatch(stderr, /\n {4}at /)
    assert.equal(git('rev-parse', 'HEAD'), before)
  }
})

test('restores the working tree when a release fails halfway', () => {
  const { git, release, write } = repository()
  write('dev.sh', 'exit 1')
  git('commit', '--quiet', '--all', '--message=Break')
  const { status, stderr } = release('0.2.0')
  assert.equal(status, 1)
  assert.match(stderr, /npm run --silent dev -- openapi failed/)
  assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', ''])
})

test('starts a server from the archive of the real repository', async () => {
  const { root, git, read, write, release } = repository()
  const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const path of listed.stdout.trim().split('\n'))
    if (!/^(test|bench|console|docs\/images)\//.test(path) && existsSync(join(ROOT, path))) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      copyFileSync(join(ROOT, path), join(root, path))
    }
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const stubs = { check: 'true', dev: 'sh dev.sh' }
  write('dev.sh', read('dev.sh').replace('cp package.json openapi.json', 'true'))
  write('package.json', `${JSON.stringify({ ...manifest, scripts: stubs }, null, 2)}\n`)
  mkdirSync(join(root, 'test/fixtures/upgrade'), { recursive: true })
  git('add', '--all')
  git('commit', '--quiet', '--message=Take the real tree')
  const made = release('0.9.0')
  assert.deepEqual([made.status, made.stderr], [0, ''])

  const unpacked = spawnSync('tar', ['xzf', 'release/kith-0.9.0.tar.gz'], { cwd: root })
  assert.equal(unpacked.status, 0)
  const folder = join(root, 'kith-0.9.0')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const port = await findFreePort()
  const server = spawn(process.execPath, ['src/main.ts'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: join(scratch, 'data'),
      PROCESSES: '1',
      CONSOLE: 'on',
      WEB: 'on',
    },
  })
  const ended = once(server, 'exit')
  try {
    await waitForAnswer(`http://127.0.0.1:${port}/health/ready`)
    const told = (await (await fetch(`http://127.0.0.1:${port}/api/v2/openapi.json`)).json()) as {
      info: { version: string }
    }
    assert.equal(told.info.version, '0.9.0')
    assert.equal((await fetch(`http://127.0.0.1:${port}/docs`)).status, 200)
    // The stubs build no page, so the server names the build command.
    for (const [path, command] of [
      ['/', 'npm run dev -- web'],
      ['/admin', 'npm run dev -- console'],
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })
      assert.equal(answer.status, 503)
      assert.ok((await answer.text()).includes(command))
    }
  } finally {
    server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  }
})
