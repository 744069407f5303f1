import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

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
  write('deploy/kubernetes/kustomization.yaml', 'images:\n  - name: kith\n    newTag: 0.1.0\n')
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

test('creates a tagged release', () => {
  const { git, read, release, write } = repository()
  const made = release('0.1.0')
  assert.deepEqual([made.status, made.stderr], [0, ''])
  const today = new Date().toISOString().slice(0, 10)
  assert.equal(
    read('CHANGELOG.md'),
    `# Changes\n\n## Unreleased\n\n## 0.1.0 - ${today}\n\n### Changed\n\n- A first thing.\n`,
  )
  assert.equal(git('status', '--porcelain'), '')

  write(
    'CHANGELOG.md',
    read('CHANGELOG.md').replace(
      '## Unreleased\n',
      '## Unreleased\n\n- Fixed: a fault.\n- More.\n- Added: a thing.\n- Upgrading: say `NEW=1`.\n',
    ),
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
    /## Unreleased\n\n## 0\.2\.0 - [\d-]+\n\n### Added\n\n- A thing\.\n\n### Changed\n\n- More\.\n\n### Fixed\n\n- A fault\.\n\n### Upgrading\n\n- Back up first/,
  )
  assert.match(changelog, /- 2 migrations \(0002 to 0003\) run at the first start; 0\.1\.0 then refuses/)
  assert.match(changelog, /- say `NEW=1`\.\n\n## 0\.1\.0/)
  assert.match(read('package.json'), /"version": "0\.2\.0"/)
  assert.equal(read('package-lock.json').match(/0\.2\.0/g)?.length, 2)
  assert.match(read('package-lock.json'), /"a": \{ "version": "0\.1\.0" \}/)
  assert.match(read('openapi.json'), /0\.2\.0/)
  assert.match(read('deploy/kubernetes/kustomization.yaml'), /newTag: 0\.2\.0\n/)
  assert.equal(git('tag', '--list'), 'v0.1.0\nv0.2.0')
  assert.match(git('tag', '--list', '--format=%(contents)', 'v0.2.0'), /### Upgrading\n\n- Back up first/)
  assert.equal(git('log', '-1', '--format=%s', 'v0.2.0'), 'Release 0.2.0')
  assert.ok(git('ls-files').includes('test/fixtures/upgrade/kith-0.2.0.backup'))
})

test('keeps the upgrade notes of the first release', () => {
  const { release } = repository({ changes: '- A first thing.\n- Upgrading: say `OLD=1` no more.\n' })
  const { status, stdout } = release('0.1.0', '--dry-run')
  assert.equal(status, 0)
  assert.match(stdout, /- A first thing\.\n\n### Upgrading\n\n- say `OLD=1` no more\.\n/)
})

test('keeps the headings of a text that has some', () => {
  const { release } = repository({
    changes: 'Kith is a network.\n\n### Upgrading\n\n- From a clone: pull.\n',
  })
  const { stdout } = release('0.1.0', '--dry-run')
  assert.match(
    stdout,
    /^## 0\.1\.0 - [\d-]+\n\nKith is a network\.\n\n### Upgrading\n\n- From a clone: pull\.\n/,
  )
})

test('refuses a dirty tree and an unknown platform', () => {
  const { release, write } = repository()
  assert.match(release('--platforms=plan9').stderr, /plan9 is none of linux-x64/)
  write('left.txt', 'left')
  const { status, stderr } = release()
  assert.equal(status, 2)
  assert.match(stderr, /tree is dirty/)
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
