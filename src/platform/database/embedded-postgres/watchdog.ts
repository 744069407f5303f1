import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Binaries } from './binaries.ts'
import type { SystemUser } from './identity.ts'

/**
 * Runs as the parent of the postmaster, and shuts the database down when the pipe from the server closes,
 * even when SIGKILL ended the server. The trap ignores signals that a service manager sends to the whole
 * process group.
 */
const watchdog = `
trap '' HUP INT QUIT TERM
exec 3<&0
"$@" 3<&- </dev/null >&2 &
postmaster=$!
(
  read -r word <&3
  tries=0
  while kill -0 $postmaster 2>/dev/null; do
    if [ $tries -ge 650 ]; then kill -KILL $postmaster
    elif [ $tries -ge 600 ]; then kill -QUIT $postmaster
    elif [ $((tries % 10)) -eq 0 ]; then kill -INT $postmaster
    fi
    tries=$((tries + 1))
    sleep 0.1
  done
) >&2 &
echo $postmaster
exec >&2
wait $postmaster
code=$?
kill -KILL $! 2>/dev/null
exit $code
`

export type Running = { pid: number; exited: Promise<number>; hasExited(): boolean; stop(): Promise<number> }

/** Passes no secrets of the server and no PG* variables to the database. */
export function databaseEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env
  return { LC_ALL: 'C', PATH, TMPDIR }
}

type PostmasterOptions = {
  binaries: Binaries
  identity: SystemUser
  folder: string
  cluster: string
  options: string[]
}

export async function launchPostmaster(
  { binaries, identity, folder, cluster, options }: PostmasterOptions,
  logFile: number,
): Promise<Running> {
  const shell = ['/bin/sh', '-c', watchdog, 'kith-watchdog']
  const postmaster = [binaries.postgres, '-D', cluster, ...options]
  const [command = '', ...args] = [...identity.prefix, ...shell, ...postmaster]
  const child = spawn(command, args, {
    ...identity.spawn,
    cwd: folder,
    env: databaseEnvironment(),
    detached: true,
    stdio: ['pipe', 'pipe', logFile],
  })
  // Ignores EPIPE from a watchdog that has exited.
  child.stdin?.on('error', () => {})
  const exited = once(child, 'exit').then(([code]): number => code ?? 1)
  const pid = await readPid(child, exited)
  return {
    pid,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    stop() {
      child.stdin?.end()
      return exited
    },
  }
}

async function readPid(child: ChildProcess, exited: Promise<number>): Promise<number> {
  const line = await Promise.race([
    once(child.stdout!, 'data').then(([output]) => String(output)),
    exited.then((code) => {
      throw new Error(`The watchdog of the embedded PostgreSQL exited with code ${code} at its start.`)
    }),
  ])
  child.stdout?.destroy()
  return Number.parseInt(line, 10)
}
