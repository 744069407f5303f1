import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts
const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: ROOT }).sort()

/** What a document sets in code, in a line or in a block. */
const codeOf = (text: string) => [
  ...[...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n')),
  ...[...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
]
const commands = documents.flatMap((path) =>
  codeOf(read(path)).map((code) => ({ path, code: code.replace(/\s+/g, ' ').trim() })),
)

/** Commands that CONTRIBUTING and ARCHITECTURE name and that are not run below, and why. */
const NOT_RUN: Record<string, string> = {
  'npm test': 'is what runs this',
  'npm run check': 'is the first line of .ci/run',
  'npm run fix': 'writes; `npm run check` says the same and does not',
  'npm run tables': 'writes; `npm run check` compares',
  'npm run openapi': 'writes; `npm run check` compares',
  'npm run test:im-many': 'takes long, as it says',
  'npm run fuzz': 'takes long, as it says',
  'npm run demo:walk': 'starts a server of its own and prints all of it',
  'npm run mutate': 'takes long, as it says',
  'npm run torture': 'takes long, as it says',
  'npm run screenshots': 'writes pictures into docs/images',
  'npm run test:container': 'is a line of .ci/run of its own',
  'npm run release -- 0.2.0': 'commits and tags; test/release.test.ts runs it in repositories of its own',
}

test('every npm command in a document is one that there is', () => {
  let seen = 0
  for (const { path, code } of commands) {
    const [, script] = /^npm (?:run )?([\w:-]+)/.exec(code) ?? []
    if (!script || script === 'ci' || script === 'install') continue
    seen += 1
    assert.ok(script in scripts, `${path} names \`${code}\``)
  }
  assert.ok(seen > 10, `saw only ${seen} commands`)
})

test('every npm script runs a file that there is', () => {
  for (const [name, line] of Object.entries(scripts))
    for (const [, file = ''] of line.matchAll(/\bnode (?:--\S+ )*(\S+)/g))
      assert.ok(existsSync(join(ROOT, file)), `${name}: ${file}`)
})

test('every kith command in a document is one that `kith help` tells', async () => {
  const { stdout } = await run(process.execPath, ['src/cli.ts', 'help'], { cwd: ROOT })
  const told = new Set([...stdout.matchAll(/^ {2}(\w+)/gm)].map(([, command]) => command))
  let seen = 0
  for (const { path, code } of commands) {
    const [, command] = /^(?:npx )?kith (\w+)/.exec(code) ?? []
    if (!command) continue
    seen += 1
    assert.ok(told.has(command), `${path} names \`${code}\``)
  }
  assert.ok(seen > 5, `saw only ${seen} commands`)
})

test('what CONTRIBUTING and ARCHITECTURE say to run does run', { timeout: 120_000 }, async () => {
  const named = new Set(
    commands
      .filter(({ path, code }) => ['CONTRIBUTING.md', 'ARCHITECTURE.md'].includes(path) && /^npm /.test(code))
      .map(({ code }) => code),
  )
  const folders = [...named].flatMap((code) => /^npm test -- (\S+)$/.exec(code)?.[1] ?? [])
  for (const code of named)
    assert.ok(code in NOT_RUN || folders.some((path) => code.endsWith(path)), `nothing runs \`${code}\``)
  assert.ok(folders.length > 0, 'CONTRIBUTING does not say how to run a part of the tests')
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  for (const folder of folders) {
    // Every file is read; of their tests the first letters of one name pick a few.
    const { stdout } = await run(process.execPath, ['scripts/test.ts', folder, '--name=a '], {
      cwd: ROOT,
      env,
    })
    assert.match(stdout.trimEnd().split('\n').at(-1) ?? '', /^[1-9]\d* passed, 0 failed$/, folder)
  }
  assert.match(read('.ci/run'), /npm run --silent check/)
  for (const name of ['tables', 'openapi'])
    assert.match(scripts.check ?? '', new RegExp(`scripts/${name}.ts --check`))
})

test('every file that a document names or links to is there', () => {
  const names = new Set(
    globSync(['{src,test,scripts,bench,docs,migrations}/**/*', '*', '.ci/*'], { cwd: ROOT }),
  )
  const endings = new Set(
    [...names].flatMap((name) => name.split('/').map((_, n, parts) => parts.slice(n).join('/'))),
  )
  let seen = 0
  for (const path of documents) {
    const text = read(path)
    for (const [, target = ''] of text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      seen += 1
      assert.ok(existsSync(join(ROOT, dirname(path), target)), `${path} links to ${target}`)
    }
    if (!['CONTRIBUTING.md', 'ARCHITECTURE.md'].includes(path)) continue
    for (const code of codeOf(text)) {
      if (!/^[\w./-]+\.(ts|mjs|md|json|sql)$/.test(code)) continue
      seen += 1
      assert.ok(endings.has(code), `${path} names ${code}`)
    }
  }
  assert.ok(seen > 20, `saw only ${seen} names`)
})

test('every mail is named in docs/mails.md, and every picture of docs/images is shown somewhere', () => {
  const page = read('docs/mails.md')
  const sources = globSync('src/modules/accounts/**/*.ts', { cwd: ROOT }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const subjects = sources.flatMap((path) =>
    [...read(path).matchAll(/(?:subject:|SUBJECT =)\s+'[^'A-Z]*([A-Z][^']*)'/g)].map(
      ([, english = '']) => english,
    ),
  )
  assert.ok(subjects.length > 8, `saw only ${subjects.length} mails`)
  for (const subject of subjects) assert.ok(page.includes(subject), subject)
  const shown = documents.map(read).join('\n')
  for (const name of globSync('docs/images/*.png', { cwd: ROOT }))
    assert.ok(shown.includes(name.split('/').at(-1) ?? name), name)
})

test('package-lock.json has a package for every platform, and names no registry', () => {
  const text = read('package-lock.json')
  const packages: Record<string, { optionalDependencies?: object }> = JSON.parse(text).packages
  const present = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => !present.has(name))
  // `npm ci` refuses a lockfile with holes, wherever it runs.
  assert.deepEqual(missing, [])
  assert.doesNotMatch(text, /"resolved": "http/)
})
