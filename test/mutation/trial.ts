import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importing } from '#test/bundle.ts'

export type Ending = 'green' | 'red' | 'stuck'

export async function runTests(
  folder: string,
  files: readonly string[],
  patienceMs: number,
): Promise<Ending> {
  const together = join(folder, 'together.mjs')
  writeFileSync(together, importing(files.map((file) => join(folder, file))))
  const run = spawn(
    process.execPath,
    ['--test-reporter=tap', files.length > 1 ? together : (files[0] ?? '')],
    {
      cwd: folder,
      // Saves compiling hundreds of files and building the console in every process.
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, '.compiled'), CONSOLE: 'off', WEB: 'off' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  let ending: Ending = 'green'
  const end = (as: Ending) => {
    ending = as
    run.kill('SIGKILL')
  }
  const timer = setTimeout(end, patienceMs, 'stuck')
  run.stdout.on('data', (chunk: Buffer) => {
    if (/^\s*not ok /m.test(chunk.toString())) end('red')
  })
  const [code] = await once(run, 'exit')
  clearTimeout(timer)
  return ending === 'green' && code !== 0 ? 'red' : ending
}
