import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const root = await mkdtemp(join(tmpdir(), 'kith-console-'))
after(() => rm(root, { recursive: true, force: true }))

const MAKES = `
import { mkdirSync, writeFileSync } from 'node:fs'
const out = process.argv[process.argv.indexOf('--outDir') + 1]
mkdirSync(out + '/assets', { recursive: true })
writeFileSync(out + '/index.html', '<p>')
writeFileSync(out + '/assets/index.js', ' '.repeat(5000))`

const INSTALLS = 'mkdir -p node_modules/vite/bin && cp ../program node_modules/vite/bin/vite.js'

async function clone(name: string, { npm, vite = MAKES }: { npm?: string; vite?: string } = {}) {
  const folder = join(root, name)
  const home = join(folder, 'console')
  const program = join(folder, 'program')
  for (const each of ['scripts', 'bin', 'node_modules', 'console/src'])
    await mkdir(join(folder, each), { recursive: true })
  for (const script of ['prepare.mjs', 'build-packages.mjs', 'child.mjs', 'lock.mjs'])
    await copyFile(join('scripts', script), join(folder, 'scripts', script))
  await copyFile('bin/carried-node.mjs', join(folder, 'bin/carried-node.mjs'))
  for (const lock of ['package-lock.json', 'node_modules/.package-lock.json'])
    await writeFile(join(folder, lock), '{"packages": {}}')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(home, 'package-lock.json'), '{}')
  await writeFile(join(home, 'src/main.tsx'), 'one')
  await writeFile(program, vite)
  if (npm !== undefined) await writeFile(join(folder, 'bin/npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 })
  const begin = (args: string[], env: Record<string, string>) =>
    spawn(process.execPath, [join(folder, 'scripts', args[0] as string), ...args.slice(1)], {
      env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  const run = async (args: string[], env: Record<string, string> = {}) => {
    const child = begin(args, env)
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, said }
  }
  const start = (env: Record<string, string> = {}) =>
    run(['prepare.mjs'], { npm_lifecycle_event: 'prestart', ...env })
  const built = () => readFile(join(home, 'dist/built.json'), 'utf8')
  return { folder, home, program, begin, run, start, built }
}

test('builds the console only once for unchanged sources', async () => {
  const { home, start } = await clone('fresh', { npm: INSTALLS })
  const { code, said } = await start()
  assert.equal(code, 0)
  assert.match(said, /^kith: building the console.*\nkith: the console is built \(\d+ s\)\n$/)
  assert.deepEqual((await readdir(join(home, 'dist/assets'))).sort(), [
    'index.js',
    'index.js.br',
    'index.js.gz',
  ])
  assert.deepEqual(await start(), { code: 0, said: '' })
})

test('removes the packages of a build that a start installed, but not those of a developer', async () => {
  const { home, run, start } = await clone('removed', { npm: INSTALLS })
  assert.match((await start()).said, /is built/)
  assert.equal(existsSync(join(home, 'node_modules')), false)
  await writeFile(join(home, 'src/main.tsx'), 'two')
  assert.match((await run(['build-packages.mjs', 'console'])).said, /is built/)
  await writeFile(join(home, 'src/main.tsx'), 'three')
  assert.match((await start()).said, /is built/)
  assert.equal(existsSync(join(home, 'node_modules/vite')), true)
})

test('rebuilds the console when the content of a source changes', async () => {
  const { home, start } = await clone('changed', { npm: INSTALLS })
  await start()
  const source = join(home, 'src/main.tsx')
  await utimes(source, new Date(), new Date(Date.now() + 5000))
  assert.equal((await start()).said, '')
  await writeFile(source, 'two')
  // Sets an old time, because files unpacked from an archive keep times from before the build.
  await utimes(source, new Date(0), new Date(0))
  assert.match((await start()).said, /is built/)
  await writeFile(join(home, 'src/more.tsx'), '')
  assert.match((await start()).said, /is built/)
  await rm(join(home, 'src/more.tsx'))
  assert.match((await start()).said, /is built/)
})

test('builds no console when CONSOLE=off, before tests, or without a console lockfile', async () => {
  const { home, run, start } = await clone('nothing', { npm: INSTALLS })
  assert.deepEqual(await start({ CONSOLE: 'off' }), { code: 0, said: '' })
  assert.deepEqual(await run(['prepare.mjs'], { npm_lifecycle_event: 'pretest' }), {
    code: 0,
    said: '',
  })
  await rm(join(home, 'package-lock.json'))
  assert.deepEqual(await start(), { code: 0, said: '' })
  assert.equal(existsSync(join(home, 'dist')), false)
})

test('lets the server start without a console when npm has no network', async () => {
  const npm = `[ -e ../online ] && { ${INSTALLS}; exit 0; }
echo 'npm error code ENOTFOUND' >&2
echo 'npm error syscall getaddrinfo' >&2
echo 'npm error request to https://packages.example/react failed, reason: getaddrinfo ENOTFOUND' >&2
exit 1`
  const { folder, home, run, start } = await clone('offline', { npm })
  const { code, said } = await start()
  assert.equal(code, 0)
  assert.match(
    said,
    /the console could not be built: request to https:\/\/packages\.example\/react failed, .*Kith starts without it\. `npm run dev -- console` tries again, CONSOLE=off turns it off\.\n$/,
  )
  assert.equal((await run(['build-packages.mjs', 'console'])).code, 1)
  assert.equal(existsSync(join(home, '.installing')), false)
  assert.equal(existsSync(join(home, 'dist')), false)
  await writeFile(join(folder, 'online'), '')
  assert.match((await start()).said, /is built/)
})

test('keeps the previous build when the disk is full', async () => {
  const { home, program, start, built } = await clone('full', { npm: INSTALLS })
  await start()
  const before = await built()
  await writeFile(join(home, 'src/main.tsx'), 'changed')
  await writeFile(
    program,
    `console.error('error during build:\\nENOSPC: no space left on device, write'); process.exit(1)`,
  )
  const { code, said } = await start()
  assert.equal(code, 0)
  assert.match(said, /could not be built: .*(error during build|ENOSPC).*as it was built before/)
  assert.equal(await built(), before)
})

test('reports a missing npm', async () => {
  const { folder, start } = await clone('bare')
  const { code, said } = await start({ PATH: join(folder, 'bin') })
  assert.equal(code, 0)
  assert.match(said, /could not be built: npm was not found\. /)
})

test('stops the start when a signal interrupts the build', async () => {
  const { home, begin } = await clone('stopped', { npm: 'echo begun > ../begun; exec sleep 60' })
  const child = begin(['prepare.mjs'], { npm_lifecycle_event: 'prestart' })
  const ended = once(child, 'exit')
  while (!existsSync(join(home, '../begun'))) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [130, null])
  assert.deepEqual(
    (await readdir(home)).filter((name) => name.startsWith('.')),
    [],
  )
})

test('keeps the packages that a developer installed by hand when a start builds the console', async () => {
  const { home, start } = await clone('by hand', { npm: INSTALLS })
  await mkdir(join(home, 'node_modules'))
  await writeFile(join(home, 'node_modules/.package-lock.json'), '{}')
  assert.equal((await start()).code, 0)
  assert.ok(existsSync(join(home, 'node_modules/.package-lock.json')))
})

test('installs the packages of a build for tests that run after a start', async () => {
  const { home, run, start } = await clone('tests', { npm: INSTALLS })
  assert.equal((await start()).code, 0)
  assert.ok(!existsSync(join(home, 'node_modules')))
  assert.deepEqual(await run(['build-packages.mjs', 'console']), {
    code: 0,
    said: 'kith: installing the packages of console/\n',
  })
  assert.ok(existsSync(join(home, 'node_modules/vite')))
  assert.deepEqual(await run(['build-packages.mjs', 'console']), { code: 0, said: '' })
  assert.deepEqual(await start(), { code: 0, said: '' })
  assert.ok(existsSync(join(home, 'node_modules/vite')))
})
