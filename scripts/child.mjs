// Runs npm and the programs of a build. Plain JavaScript for Node 20, because it runs before an install.
import { spawn } from 'node:child_process'
import { sep } from 'node:path'
import { hostEnvironment } from '../bin/carried-node.mjs'
import { ENDING } from './lock.mjs'

/** Failure of a child process. `code` is the exit code for this process, 130 after a signal. */
class ChildError extends Error {
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

/** Signal that ended a program. No further program starts after it. */
let interrupted

/** Runs npm with the options that every install shares. */
export function npm(args, { cwd, isShown = false }) {
  const { npm_execpath: path, npm_node_execpath: node } = process.env
  const isDirect = path?.endsWith('npm-cli.js') && node && !node.includes(`${sep}node_modules${sep}node-`)
  // Hides npm's warnings, such as those about the host's Node version, but not its errors.
  const all = [...args, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  return run(isDirect ? node : 'npm', isDirect ? [path, ...all] : all, { cwd, isShown })
}

/** Runs a program until it ends. `isShown` sends its output to standard error. Passes signals on to the program. */
export async function run(program, args, { cwd, isShown = false, env = {} }) {
  if (interrupted) throw new ChildError(interrupted, 130)
  let child
  // Handles signals before the program starts, because a signal in between would stop only this process.
  const pass = (signal) => {
    interrupted = signal
    child?.kill(signal)
  }
  for (const signal of ENDING) process.on(signal, pass)
  child = spawn(program, args, {
    cwd,
    env: { ...hostEnvironment(), ...env },
    // Standard output belongs to the command that follows.
    stdio: isShown ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && program === 'npm',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
    })
  try {
    await new Promise((resolve, reject) => {
      child.once('error', (error) =>
        reject(new ChildError(error.code === 'ENOENT' ? `${program} was not found` : error.message, 1)),
      )
      child.once('close', (code, signal) => {
        if (interrupted) reject(new ChildError(interrupted, 130))
        else if (code === 0) resolve()
        else reject(new ChildError(sentenceOf(output) || signal || `exit code ${code}`, code ?? 1))
      })
    })
  } finally {
    for (const signal of ENDING) process.off(signal, pass)
  }
}

/** Returns the line of an output that names the fault. */
function sentenceOf(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|warn) ?/, '').trim())
    .filter((line) => line !== '' && !/^(code|errno|syscall|path|dest) /.test(line))
  const told = lines.find((line) => /error|request to|ENOTFOUND|EACCES|ENOSPC/i.test(line))
  return (told ?? lines.at(-1) ?? '').slice(0, 300)
}
