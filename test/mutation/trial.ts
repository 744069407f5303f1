import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** How a test file ended. */
export type Ending = 'green' | 'red' | 'stuck'

/** Runs a test file in a folder until its end, or its first red test. */
export async function runTest(folder: string, file: string, patienceMs: number): Promise<Ending> {
  const run = spawn(process.execPath, ['--test-reporter=tap', file], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
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
