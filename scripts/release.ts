/**
 * Creates a release with a tag and an archive: `npm run release -- 0.2.0`. With `--dry-run`, runs the checks and prints
 * the changelog section, but changes nothing.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readChangelog, upgradeNotes, withRelease } from './release-notes.ts'

const OUTPUT = 'release'
const BUILT = ['web/dist', 'console/dist']
const LEFT_OUT = ['.ci', 'bench', 'console', 'test', 'web']
const PACKAGES = ['.', 'sdk', 'console', 'web']

class Refusal extends Error {}

const refuse = (sentence: string): never => {
  throw new Refusal(sentence)
}

function run(command: string, args: string[], { loud = false, cwd = '.' } = {}): string {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', loud ? 'inherit' : 'pipe', 'inherit'],
  })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}.`)
  return (stdout ?? '').trim()
}
const git = (...args: string[]) => run('git', args)

const numbersOf = (version: string) => version.split('.').map(Number)
const isNewer = (version: string, than: string) => {
  const [a, b] = [numbersOf(version), numbersOf(than)]
  const at = a.findIndex((number, place) => number !== b[place])
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)
}

function lastTag(): string | undefined {
  return git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0] || undefined
}

function check(version: string | undefined): string {
  if (!version || !/^\d+\.\d+\.\d+$/.test(version))
    return refuse('Say the version to release, such as: npm run release -- 0.2.0')
  const { version: present } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const tag = lastTag()
  if (git('status', '--porcelain') !== '')
    refuse('The tree is dirty: commit or put away what `git status` lists first.')
  if (git('tag', '--list', `v${version}`) !== '') refuse(`There is a tag v${version} already.`)
  // The first release may have the version that package.json already has.
  if (!isNewer(version, present) && !(version === present && tag === undefined))
    refuse(`${version} is not newer than ${present}, which package.json has.`)
  if (readChangelog(readFileSync('CHANGELOG.md', 'utf8')).lines.length === 0)
    refuse('Nothing stands below "Unreleased" in CHANGELOG.md: there is nothing to release.')
  try {
    run('npm', ['run', '--silent', 'check'], { loud: true })
  } catch {
    refuse('`npm run check` is red: a release is green.')
  }
  return version
}

function writeVersion(version: string): void {
  for (const folder of PACKAGES)
    for (const [name, times] of [
      ['package.json', 1],
      ['package-lock.json', 2],
    ] as const) {
      const path = join(folder, name)
      if (!existsSync(path)) continue
      const pieces = readFileSync(path, 'utf8').split(/"version": "[^"]*"/)
      const found = [...readFileSync(path, 'utf8').matchAll(/"version": "[^"]*"/g)].map(([text]) => text)
      const written = found.map((text, place) => (place < times ? `"version": "${version}"` : text))
      writeFileSync(path, pieces.map((piece, place) => piece + (written[place] ?? '')).join(''))
    }
}

/** Files of earlier builds, which a build keeps for pages that are open during an upgrade. */
function retiredIn(built: string): Set<string> {
  const record = join(built, 'retired.json')
  const names = existsSync(record) ? Object.keys(JSON.parse(readFileSync(record, 'utf8'))) : []
  return new Set([...names, 'retired.json'])
}

function pack(version: string): string {
  const name = `kith-${version}`
  const folder = mkdtempSync(join(tmpdir(), 'kith-release-'))
  try {
    const tar = join(folder, 'tree.tar')
    const without = LEFT_OUT.map((path) => `:(exclude)${path}`)
    git('archive', `--prefix=${name}/`, `--output=${tar}`, `v${version}`, '--', '.', ...without)
    run('tar', ['xf', tar, '-C', folder])
    for (const built of BUILT) {
      const retired = retiredIn(built)
      const filter = (from: string) => !retired.has(basename(from))
      cpSync(built, join(folder, name, built), { recursive: true, filter })
    }
    mkdirSync(OUTPUT, { recursive: true })
    const archive = join(OUTPUT, `${name}.tar.gz`)
    const time = git('log', '-1', '--format=%cI', `v${version}`)
    const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=${time}`]
    run('tar', [...plain, '--use-compress-program=gzip -n', '-cf', archive, '-C', folder, name])
    const sum = createHash('sha256').update(readFileSync(archive)).digest('hex')
    writeFileSync(`${archive}.sha256`, `${sum}  ${name}.tar.gz\n`)
    return archive
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function release(version: string, isDry: boolean): void {
  const since = lastTag()
  const migrations = git('ls-files', 'migrations').split('\n').filter(Boolean)
  const known = since ? git('ls-tree', '-r', '--name-only', since, 'migrations').split('\n') : []
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  const today = new Date().toISOString().slice(0, 10)
  const notes = upgradeNotes({
    from: since?.slice(1),
    migrations: migrations.filter((path) => !known.includes(path)),
    lines: readChangelog(changelog).lines,
  })
  const { text, section } = withRelease(changelog, { version, today, notes })
  if (isDry) {
    console.log(`${section}\nNothing was changed: this was a dry run.`)
    return
  }
  const site = `test/fixtures/upgrade/kith-${version}.backup`
  try {
    writeVersion(version)
    writeFileSync('CHANGELOG.md', text)
    run('npm', ['run', '--silent', 'dev', '--', 'openapi'], { loud: true })
    for (const each of ['web', 'console']) run('npm', ['run', '--silent', 'dev', '--', each], { loud: true })
    for (const built of BUILT)
      if (!existsSync(join(built, 'built.json'))) throw new Error(`${built} was not built.`)
    if (!existsSync(site)) run('npm', ['run', '--silent', 'dev', '--', 'release:site', site], { loud: true })
    git('add', '--all')
    git('commit', '--quiet', `--message=Release ${version}`)
  } catch (error) {
    // The working tree was clean before the release, so the reset reverts only changes of the release.
    git('reset', '--quiet', '--hard')
    rmSync(site, { force: true })
    throw error
  }
  git('tag', '--annotate', '--cleanup=verbatim', `--message=${section}`, `v${version}`)
  const archive = pack(version)
  console.log(`${section}\nTagged v${version} and packed ${archive}. To publish: git push --follow-tags`)
}

const args = process.argv.slice(2)
try {
  release(check(args.find((arg) => !arg.startsWith('-'))), args.includes('--dry-run'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof Refusal ? 2 : 1
}
