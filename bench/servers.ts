import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const LAST_LINES = 20

/**
 * Starts a program of a checkout. Prints its last lines and ends this process when the program fails, because this process
 * would wait for its replies.
 */
export function startProgram(
  script: string,
  args: string[] = [],
  {
    cwd = fileURLToPath(new URL('..', import.meta.url)),
    env = {},
  }: { cwd?: string; env?: Record<string, string | undefined> } = {},
): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > LAST_LINES) lines.shift()
    })
  child.once('close', (code, signal) => {
    if (code === 0 || child.killed) return
    console.error(`${script} in ${cwd} ended with ${code ?? signal}. Its last lines:\n${lines.join('\n')}`)
    process.exit(1)
  })
  return child
}
