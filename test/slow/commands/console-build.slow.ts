import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#platform/config.ts'
import { buildPackages } from '#platform/http'
import { readProgress } from '#platform/http/packages/progress.ts'
import type { Log } from '#platform/observability'

const root = await mkdtemp(join(tmpdir(), 'kith-console-'))
after(() => rm(root, { recursive: true, force: true }))

/** A checkout with the parts of Kith that the build needs, and with fake `npm` and `vite`. */
async function checkout(name: string, { npm, vite = '' }: { npm?: string; vite?: string }) {
  const folder = join(root, name)
  const home = join(folder, 'console')
  await cp('src/platform/http/packages', join(folder, 'src/platform/http/packages'), { recursive: true })
  await cp('scripts/build-packages.ts', join(folder, 'scripts/build-packages.ts'))
  await cp('package.json', join(folder, 'package.json'))
  await mkdir(join(home, 'node_modules/vite/bin'), { recursive: true })
  await mkdir(join(folder, 'data'))
  await mkdir(join(folder, 'bin'))
  await writeFile(join(home, 'package-lock.json'), '{}')
  await writeFile(join(home, 'node_modules/vite/bin/vite.js'), vite)
  if (npm !== undefined) {
    await writeFile(join(folder, 'bin/npm'), `#!/bin/sh\n${npm}\n`)
    await chmod(join(folder, 'bin/npm'), 0o755)
  }
  const build = async () => {
    const { npm_execpath: _, npm_node_execpath: __, ...env } = process.env
    const path = npm === undefined ? join(folder, 'bin') : `${join(folder, 'bin')}:/usr/bin:/bin`
    const child = spawn(
      process.execPath,
      [join(folder, 'scripts/build-packages.ts'), 'console', join(folder, 'data')],
      {
        env: { ...env, PATH: path },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    return { code, said, progress: readProgress(join(folder, 'data'), 'console') }
  }
  return { folder, home, build }
}

const MAKES = `
import { mkdirSync, writeFileSync } from 'node:fs'
const out = process.argv[process.argv.indexOf('--outDir') + 1]
mkdirSync(out + '/assets', { recursive: true })
writeFileSync(out + '/index.html', '<p>')
writeFileSync(out + '/assets/index.js', ' '.repeat(5000))`

test("reports npm's output when the network is down, and succeeds the next time", {
  skip: process.platform === 'win32',
}, async () => {
  const npm = `[ -e ../online ] && exit 0
echo 'npm error code ENOTFOUND' >&2
echo 'npm error syscall getaddrinfo' >&2
echo 'npm error request to https://packages.example/react failed, reason: getaddrinfo ENOTFOUND' >&2
exit 1`
  const { folder, home, build } = await checkout('offline', { npm, vite: MAKES })
  const failed = await build()
  assert.equal(failed.code, 1)
  assert.equal(failed.progress.phase, 'failed')
  assert.match(
    failed.progress.reason ?? '',
    /^the packages could not be installed \/ .*: request to https:\/\/packages\.example\/react failed/,
  )
  assert.match(failed.said, /console: failed: the packages could not be installed/)
  assert.equal(existsSync(join(home, '.building')), false, 'it keeps no lock')
  assert.equal(existsSync(join(home, 'dist')), false)
  await writeFile(join(folder, 'online'), '')
  assert.equal((await build()).code, 0)
  const built = JSON.parse(await readFile(join(home, 'dist/built.json'), 'utf8'))
  assert.deepEqual(built.files, ['assets/index.js', 'assets/index.js.br', 'assets/index.js.gz'])
})

test('reports a full disk and keeps the previous build', {
  skip: process.platform === 'win32',
}, async () => {
  const { home, build } = await checkout('full', { npm: 'exit 0', vite: MAKES })
  assert.equal((await build()).code, 0)
  const before = await readFile(join(home, 'dist/built.json'), 'utf8')
  await writeFile(join(home, 'src.txt'), 'changed')
  await writeFile(
    join(home, 'node_modules/vite/bin/vite.js'),
    `console.error('error during build:\\nENOSPC: no space left on device, write'); process.exit(1)`,
  )
  const failed = await build()
  assert.equal(failed.code, 1)
  assert.match(failed.progress.reason ?? '', /^the pages could not be built .*(error during build|ENOSPC)/)
  assert.equal(await readFile(join(home, 'dist/built.json'), 'utf8'), before)
})

test('reports a missing npm', { skip: process.platform === 'win32' }, async () => {
  const { build } = await checkout('bare', {})
  assert.deepEqual((await build()).progress, {
    phase: 'failed',
    reason: 'npm was not found / 找不到 npm',
  })
})

/** Runs a fake builder until it has built, and returns the log. */
async function run(name: string, program: string) {
  const dataDir = join(root, name)
  await mkdir(dataDir, { recursive: true })
  const builder = join(dataDir, 'builder.mjs')
  await writeFile(
    builder,
    `import { existsSync, writeFileSync } from 'node:fs'
const isFirst = !existsSync('${dataDir}/tried')
writeFileSync('${dataDir}/tried', '')
${program}
process.send({ phase: 'built', seconds: 1 }, () => process.exit(0))`,
  )
  const config = readConfig({ DATA_DIR: dataDir, CONSOLE: 'on', WEB: 'off' })
  const lines: { level: string; reason?: string; message: string }[] = []
  const failing: string[] = []
  const { stop } = await new Promise<{ stop(): void }>((resolve) => {
    const log = {
      info: (_: object, message: string) => {
        lines.push({ level: 'info', message })
        resolve(building)
      },
      warn: ({ reason }: { reason: string }, message: string) => {
        lines.push({ level: 'warn', reason, message })
        failing.push(readProgress(dataDir, 'console').phase)
      },
    } as unknown as Log
    const building = buildPackages(config, log, { builder, retryMs: 20 })
  })
  stop()
  return { lines, failing }
}

test('logs the reason of a failed build, shows it at /admin, and retries', async () => {
  const { lines, failing } = await run(
    'again',
    `if (isFirst) await new Promise((sent) => process.send({ phase: 'failed', reason: 'no network' }, sent)), process.exit(1)`,
  )
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [
      ['warn', 'no network'],
      ['info', undefined],
    ],
  )
  assert.deepEqual(failing, ['failed'])
})

test('reports and retries a build that was killed', async () => {
  const { lines } = await run('killed', `if (isFirst) process.kill(process.pid, 'SIGKILL')`)
  assert.match(lines[0]?.reason ?? '', /ended before its time .*SIGKILL/)
  assert.equal(lines[1]?.level, 'info')
})

test('builds nothing with CONSOLE=off and WEB=off', () => {
  const config = Object.defineProperty(readConfig({ CONSOLE: 'off', WEB: 'off' }), 'dataDir', {
    get() {
      throw new Error('a builder is told where to work')
    },
  })
  buildPackages(config, {} as Log).stop()
})
