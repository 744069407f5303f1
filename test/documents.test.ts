import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MAIL_NAMES, mailDefinition } from '#modules/mail/catalogue.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts
/** Files by command of `npm run dev`. */
const devCommands = new Map(
  [...read('scripts/dev.mjs').matchAll(/^ {2}'?([\w:-]+)'?: \[\s*'([^']+)'/gm)].map(
    ([, name = '', program = '']) => [name, program],
  ),
)
const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: ROOT }).sort()

const codeOf = (text: string) => [
  ...[...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n')),
  ...[...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
]
const commands = documents.flatMap((path) =>
  codeOf(read(path)).map((code) => ({ path, code: code.replace(/\s+/g, ' ').trim() })),
)

const NOT_RUN: Record<string, string> = {
  'npm run dev -- web': 'test/web-pages.test.ts builds the site',
  'npm test': 'runs this test',
  'npm run test:slow': 'takes long',
  'npm run test:slow -- databases': 'takes long',
  'npm run check': 'is the first line of .ci/run',
  'npm run fix': 'writes files; `npm run check` finds the same faults without writing',
  'npm run dev -- tables': 'writes files, which `npm run check` compares',
  'npm run dev -- openapi': 'writes files, which `npm run check` compares',
  'npm run dev -- settings': 'writes files, which `npm run check` compares',
  'npm run dev -- fuzz': 'takes long',
  'npm run dev -- mutate': 'takes long',
  'npm run dev -- examples': 'writes missing fields of examples, which test/api-examples.test.ts checks',
  'npm run dev -- examples /tmp/examples': 'writes examples, which `npm run check` validates',
  'npm run dev -- compare-wire A B': 'compares two runs of all tests',
  'npm run torture': 'takes long',
  'npm run dev -- site': 'test/slow/commands/docs-site.slow.ts runs it',
  'npm run dev -- screenshots': 'writes pictures into docs/images',
  'npm run dev -- test:upgrade --from=COMMIT': 'needs an earlier version',
  'npm run release -- 1.1.0':
    'commits and tags; test/slow/commands/release.slow.ts runs it in temporary repositories',
  'npm run release': 'test/slow/release runs it',
  'npm run release -- --check': 'test/slow/release runs it',
}

test('names only existing npm scripts in documents', () => {
  let seen = 0
  for (const { path, code } of commands) {
    const [, script, command] = /^npm (?:run )?([\w:-]+)(?: -- ([\w:-]+))?/.exec(code) ?? []
    if (!script || ['ci', 'install', 'pack'].includes(script)) continue
    seen += 1
    assert.ok(script in scripts, `${path} names \`${code}\``)
    if (script === 'dev' && command !== 'NAME' && code !== 'npm run dev')
      assert.ok(command && devCommands.has(command), `${path} names \`${code}\``)
  }
  assert.ok(seen > 10, `saw only ${seen} commands`)
})

test('points every npm script to an existing file', () => {
  for (const [name, line] of Object.entries(scripts))
    for (const [, file = ''] of line.matchAll(/\bnode (?:scripts\/run\.mjs )?(?:--\S+ )*(\S+)/g))
      assert.ok(existsSync(join(ROOT, file)), `${name}: ${file}`)
  for (const [name, program] of devCommands)
    for (const [file] of program.matchAll(/\b(?:scripts|bench|test)\/\S+/g))
      assert.ok(existsSync(join(ROOT, file)), `${name}: ${file}`)
  assert.ok(devCommands.size > 20, `saw only ${devCommands.size} commands`)
})

test('documents only commands that run when the Node of the host cannot load TypeScript', async (t) => {
  for (const [name, line] of Object.entries(scripts)) {
    if (!/\.ts\b|^biome/.test(line)) continue
    const first = scripts[`pre${name}`] ?? line
    assert.match(first, /^node scripts\/(prepare|run)\.mjs/, `${name} runs on the Node of the host`)
  }
  for (const { path, code } of commands)
    assert.doesNotMatch(code, /^node \S+\.ts/, `${path} runs TypeScript on the Node of the host`)

  const folder = mkdtempSync(join(tmpdir(), 'kith-old-node-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const old = join(folder, 'node')
  writeFileSync(
    old,
    `#!/bin/sh\ncase "$1" in *.ts) echo 'Unknown file extension ".ts"' >&2; exit 9 ;; esac\nexec '${process.execPath}' "$@"\n`,
  )
  chmodSync(old, 0o755)
  // Removes the bundled Node, which is not in an operator's PATH.
  const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'))
  const env = { PATH: [folder, ...path].join(':'), HOME: folder }
  const say = (...args: string[]) => run(args[0] ?? '', args.slice(1), { cwd: ROOT, env })
  await assert.rejects(say('node', 'src/cli.ts', '--version'), /Unknown file extension/)
  for (const args of [
    ['npx', '--offline', 'kith', '--version'],
    ['node', 'bin/kith.js', '--version'],
  ])
    assert.match((await say(...args)).stdout, /^Kith \d/, args.join(' '))
})

test('documents only `kith` commands that `kith help` lists', async () => {
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

test('gives a reason for every npm command of CONTRIBUTING and ARCHITECTURE that no test runs', () => {
  const named = new Set(
    commands
      .filter(({ path, code }) => ['CONTRIBUTING.md', 'ARCHITECTURE.md'].includes(path) && /^npm /.test(code))
      .map(({ code }) => code),
  )
  const folders = [...named].flatMap((code) => /^npm test -- (\S+)$/.exec(code)?.[1] ?? [])
  for (const code of named)
    assert.ok(code in NOT_RUN || folders.some((path) => code.endsWith(path)), `nothing runs \`${code}\``)
  assert.ok(folders.length > 0, 'CONTRIBUTING does not say how to run a part of the tests')
  assert.match(read('.ci/run'), /npm run --silent check/)
  for (const name of ['tables', 'openapi', 'settings'])
    assert.match(scripts.check ?? '', new RegExp(`scripts/${name}.ts --check`))
})

test('links only to existing files in documents', () => {
  const names = new Set(
    globSync(
      [
        '{src,web/src,importers,demo,test,scripts,bench,docs,migrations}/**/*',
        '*',
        '.ci/*',
        'site/.vitepress/*',
      ],
      { cwd: ROOT },
    ),
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

test('repeats figures of docs/performance.md in README', () => {
  const [, figure] = /serves\s+([\d,]+) requests per second/.exec(read('README.md')) ?? []
  assert.ok(figure)
  const [row = ''] = /^\| 5 % writes \|.*$/m.exec(read('docs/performance.md')) ?? []
  assert.ok(row.includes(`(${figure}/s)`), `README says ${figure}, and the table: ${row}`)
})

test('lists every page of docs/ in the sidebar of the site', () => {
  const config = read('site/.vitepress/config.ts')
  for (const path of globSync('docs/**/*.md', { cwd: ROOT })) {
    const name = path.replace(/^docs\//, '').replace(/\.md$/, '')
    const short = name.replace(/^(rules|decisions)\//, '')
    if (!/(^|\/)(index|README)$/.test(name))
      assert.ok(config.includes(`'${name}'`) || config.includes(`'${short}'`), path)
  }
})

test('documents every mail in docs/mails.md', () => {
  const page = read('docs/mails.md')
  for (const mail of MAIL_NAMES) assert.ok(page.includes(mailDefinition(mail).subject.en), mail)
})

test('has the same commands in both languages of the guide of the move', () => {
  const commandsOf = (path: string) =>
    [...read(path).matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = '']) =>
      block
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    )
  const english = commandsOf('docs/migrate-from-thinksns.md')
  const chinese = commandsOf('docs/zh/migrate.md')
  assert.ok(chinese.length >= 12, chinese.join())
  assert.deepEqual(
    chinese.filter((command) => !english.includes(command)),
    [],
  )
  const switching = read('docs/migrate-from-thinksns.md').split('## Switching')[1]?.split('### 8')[0] ?? ''
  for (const command of english.filter((line) => line.startsWith('npx') && switching.includes(line)))
    assert.ok(chinese.includes(command), command)
})

test('uses every picture of docs/images', () => {
  const shown = documents.map(read).join('\n')
  for (const name of globSync('docs/images/*.png', { cwd: ROOT }))
    assert.ok(shown.includes(name.split('/').at(-1) ?? name), name)
})

for (const lock of ['package-lock.json', 'site/package-lock.json'])
  test(`lists packages for every platform in ${lock}`, () => {
    const text = read(lock)
    const packages: Record<string, { optionalDependencies?: object }> = JSON.parse(text).packages
    const present = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !present.has(name))
    assert.deepEqual(missing, [])
    assert.doesNotMatch(text, /"resolved": "http/)
  })
