import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MOST_MS = 300_000

export async function runFaultTests(...files: string[]): Promise<string> {
  const child = spawn(process.execPath, ['scripts/test.ts', ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: MOST_MS,
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(output)
  return output.trim().split('\n').at(-1) ?? ''
}
