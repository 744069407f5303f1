/**
 * A process of its own: installs the console's packages and builds it, at the lowest priority, unless what is built is
 * made from the present sources. Run by the server in the background, and by `npm run console`.
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
import { BUILT_FOLDER, CONSOLE_FOLDER, hashSources, readBuilt } from '#platform/console/folder.ts'
import { FAULTS, type Progress, writeProgress } from '#platform/console/progress.ts'

const [dataDir] = process.argv.slice(2)
const began = Date.now()
const running = new Set<number>()
const lock = join(CONSOLE_FOLDER, '.building')
let isLocked = false

setPriority(constants.priority.PRIORITY_LOW)
process.on('exit', () => {
  for (const pid of running) endGroup(pid)
  if (isLocked) rmSync(lock, { force: true })
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
// The server is gone, however it went: so is this.
process.on('disconnect', () => process.exit(1))

try {
  await withLock(async () => {
    const sources = hashSources()
    if (readBuilt()?.sources === sources) return
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
      writeProgress(dataDir, progress)
    } catch {
      // The server hears of it all the same.
    }
  if (process.send) process.send(progress)
  else console.error(`console: ${[progress.phase, progress.reason].filter(Boolean).join(': ')}`)
}

/** Two servers in one checkout must not both build: the second waits, and finds it built. */
async function withLock(work: () => Promise<void>) {
  const draft = `${lock}.${process.pid}`
  try {
    writeFileSync(draft, String(process.pid))
  } catch {
    throw new Error(`${FAULTS.folder.en} / ${FAULTS.folder.zh}: ${CONSOLE_FOLDER}`)
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
  const stamp = join(CONSOLE_FOLDER, 'node_modules', '.kith-install')
  const wanted = createHash('sha256')
    .update(readFileSync(join(CONSOLE_FOLDER, 'package-lock.json')))
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
  const fresh = join(CONSOLE_FOLDER, '.dist-new')
  const old = join(CONSOLE_FOLDER, '.dist-old')
  for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
  const vite = join(CONSOLE_FOLDER, 'node_modules', 'vite', 'bin', 'vite.js')
  await run(process.execPath, [vite, 'build', '--outDir', fresh, '--logLevel', 'error'], FAULTS.build)
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
  if (existsSync(BUILT_FOLDER)) renameSync(BUILT_FOLDER, old)
  renameSync(fresh, BUILT_FOLDER)
  rmSync(old, { recursive: true, force: true })
}

/** Runs a program in a process group of its own, so that whatever it starts ends with it. */
async function run(program: string, args: string[], fault: { en: string; zh: string }) {
  const path = (process.env.PATH ?? process.env.Path ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(`node_modules${sep}.bin`))
    .join(delimiter)
  const child = spawn(program, args, {
    cwd: CONSOLE_FOLDER,
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

/** The line that says most of what a program said last. */
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
    // It has ended by itself.
  }
}
