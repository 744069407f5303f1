/** Gives the repository the version of a release, with its section of the changelog, a commit and a tag. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readChangelog, upgradeNotes, withRelease } from './release-notes.ts'

const PACKAGES = ['.', 'sdk', 'console', 'web', 'site']

/** A release that nothing was done for. */
export class Refusal extends Error {}

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

/** Other files that name the version, with the text around it. */
const NAMING: [path: string, before: string, after: string][] = [
  ['deploy/kubernetes/kustomization.yaml', 'newTag: ', ''],
  ['src/platform/http/api-page/examples.json', '"server:version":"', '"'],
]

function writeVersion(version: string): void {
  for (const [path, before, after] of NAMING) {
    if (!existsSync(path)) continue
    const text = readFileSync(path, 'utf8')
    const written = text.replaceAll(
      new RegExp(`${before}\\d+\\.\\d+\\.\\d+${after}`, 'g'),
      `${before}${version}${after}`,
    )
    writeFileSync(path, written)
  }
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

/** Writes the version and the changelog, commits and tags. A dry run prints the section of the changelog. */
export function releaseVersion(wanted: string | undefined, isDry: boolean): void {
  const version = check(wanted)
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
  console.log(`${section}
Tagged v${version}. \`npm run release\` makes its files, \`git push --follow-tags\` publishes it.`)
}
