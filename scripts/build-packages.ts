/**
 * Runs in its own process at the lowest priority: installs what a package needs and builds it, unless the
 * build matches the sources. Used by the server in the background, by `npm run console` and by `npm run web`.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants, setPriority } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
// Not through the room's index: this program runs where the server's packages may be missing.
import {
  builtFolder,
  hashSources,
  PACKAGES,
  type PackageName,
  packageFolder,
  readBuilt,
} from '#platform/http/packages/folder.ts'
import { FAULTS, type Progress, writeProgress } from '#platform/http/packages/progress.ts'

const [given, dataDir] = process.argv.slice(2)
if (!PACKAGES.includes(given as PackageName)) throw new Error(`Say what to build: ${PACKAGES.join(' or ')}`)
const name = given as PackageName
const FOLDER = packageFolder(name)
const BUILT = builtFolder(name)
/** The build program of each package, after its folder of output. */
const BUILDS: Record<PackageName, (out: string) => string[]> = {
  web: (out) => ['build.mjs', out],
  console: (out) => [
    join('node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    '--outDir',
    out,
    '--logLevel',
    'error',
  ],
}
const began = Date.now()
const running = new Set<number>()
const lock = join(FOLDER, '.building')
let isLocked = false

setPriority(constants.priority.PRIORITY_LOW)
process.on('exit', () => {
  for (const pid of running) endGroup(pid)
  if (isLocked) rmSync(lock, { force: true })
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
// The server is gone, so this process exits too.
process.on('disconnect', () => process.exit(1))

try {
  await withLock(async () => {
    const sources = hashSources(name)
    if (readBuilt(name)?.sources === sources) return
    await install()
    await build(sources)
    process.send?.({ phase: 'built', seconds: Math.round((Date.now() - began) / 1000) })
  })
  process.exit(0)
} catch (error) {
  tell({ phase: 'failed', reason: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}

function tell(progress: Progress) {
  if (dataDir)
    try {
      writeProgress(dataDir, name, progress)
    } catch {
      // The server receives the failure too.
    }
  if (process.send) process.send(progress)
  else console.error(`${name}: ${[progress.phase, progress.reason].filter(Boolean).join(': ')}`)
}

/** Prevents two builds in one checkout: the second waits and finds the build complete. */
async function withLock(work: () => Promise<void>) {
  const draft = `${lock}.${process.pid}`
  try {
    writeFileSync(draft, String(process.pid))
  } catch {
    throw new Error(`${FAULTS.folder.en} / ${FAULTS.folder.zh}: ${FOLDER}`)
  }
  try {
    while (!isLocked) {
      try {
        linkSync(draft, lock)
        isLocked = true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        if (isStale()) rmSync(lock, { force: true })
        else await pause(500)
      }
    }
  } finally {
    rmSync(draft, { force: true })
  }
  await work()
}

function isStale(): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

async function install() {
  const stamp = join(FOLDER, 'node_modules', '.kith-install')
  const wanted = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  tell({ phase: 'installing' })
  const { npm_execpath: npm, npm_node_execpath: node } = process.env
  const args = [
    'ci',
    '--include=dev',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  if (npm?.endsWith('npm-cli.js') && node && !node.includes(`${sep}node_modules${sep}node-`))
    await run(node, [npm, ...args], FAULTS.install)
  else await run('npm', args, FAULTS.install)
  writeFileSync(stamp, wanted)
}

async function build(sources: string) {
  tell({ phase: 'building' })
  const fresh = join(FOLDER, '.dist-new')
  const old = join(FOLDER, '.dist-old')
  for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
  await run(process.execPath, BUILDS[name](fresh), FAULTS.build)
  mkdirSync(join(fresh, 'assets'), { recursive: true })
  for (const file of globSync('assets/*.{js,css,svg,json}', { cwd: fresh })) {
    const bytes = readFileSync(join(fresh, file))
    if (bytes.length < 1024) continue
    writeFileSync(join(fresh, `${file}.gz`), gzipSync(bytes, { level: 9 }))
    writeFileSync(join(fresh, `${file}.br`), brotliCompressSync(bytes))
  }
  const files = globSync('assets/*', { cwd: fresh })
    .map((file) => file.replaceAll(sep, '/'))
    .sort()
  writeFileSync(join(fresh, 'built.json'), JSON.stringify({ sources, files }))
  if (existsSync(BUILT)) renameSync(BUILT, old)
  renameSync(fresh, BUILT)
  rmSync(old, { recursive: true, force: true })
}

/** Runs a program in its own process group, so that all its children exit with it. */
async function run(program: string, args: string[], fault: { en: string; zh: string }) {
  const path = (process.env.PATH ?? process.env.Path ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(`node_modules${sep}.bin`))
    .join(delimiter)
  const child = spawn(program, args, {
    cwd: FOLDER,
    env: { ...process.env, PATH: path, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32' && program === 'npm',
  })
  if (child.pid) running.add(child.pid)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000)
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${FAULTS.npm.en} / ${FAULTS.npm.zh}`) : error),
    )
    child.on('close', resolve)
  })
  if (child.pid) running.delete(child.pid)
  if (code !== 0) throw new Error(`${fault.en} / ${fault.zh}: ${sentenceOf(said)}`)
}

/** Returns the most telling line of a program's last output. */
function sentenceOf(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm (error|warn) ?/, '').trim())
    .filter((line) => line !== '' && !/^(code|errno|syscall|path|dest) /.test(line))
  return (
    lines.find((line) => /error|request to|ENOTFOUND|EACCES|ENOSPC/i.test(line)) ??
    lines.at(-1) ??
    ''
  ).slice(0, 300)
}

function endGroup(pid: number) {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // The process has exited already.
  }
}
