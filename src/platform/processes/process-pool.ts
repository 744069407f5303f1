import cluster, { type Worker } from 'node:cluster'
import type { Log } from '#platform/observability'
import { type Channel, openChannel } from './channel.ts'

export type StartParameters = {
  slot: number
  /**
   * True for the first process of a server. The first process prepares the database before the other
   * processes start.
   */
  isFirst: boolean
}

type Member = {
  hasListened: boolean
  /** Resolves with false when the process exits before it accepts connections. */
  listens: Promise<boolean>
  stop(): Promise<void>
}

export type ProcessPoolOptions = {
  size: number
  program: string
  log: Log
  opening: Promise<object>
  drainNoticeMs?: number
  onJoin: (channel: Channel) => void
  onLeave: (channel: Channel) => void
}

const BEAT_MS = 1_000
/**
 * Unanswered beats after which the pool replaces a process. Counts beats instead of time, so that a pause of the
 * supervisor does not look like a frozen process.
 */
const MOST_UNANSWERED = 5
const BACKOFF_MS = 100
const MOST_BACKOFF_MS = 30_000
/** Minimum uptime in milliseconds after which the backoff of a process starts over. */
const STEADY_MS = 60_000
/** Longer than the time in milliseconds after which a stopping process exits by itself. */
const STOP_MS = 40_000
/**
 * Collects young objects less often and on one thread, because the collections of processes that share cores compete.
 * A request takes up to a tenth less processor time, and each process some 60 MB more under load.
 */
const MEMORY_OPTIONS = ['--max-semi-space-size=64', '--no-parallel-scavenge']
/**
 * Ignores `error` events of a running process, because the cluster module emits one for each connection that
 * it passes to an exiting process. A process that failed to start has no process id and emits no `exit`.
 */
const endOf = (worker: Worker): Promise<number> =>
  new Promise((resolve) => {
    worker.once('exit', (code) => resolve(Number(code ?? 1)))
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve(1)
    })
  })

/**
 * Runs `size` processes that share one listening address. Distributes connections in turn, because the kernel
 * distributes them unevenly.
 */
export function createProcessPool({
  size,
  program,
  log,
  opening,
  drainNoticeMs = 0,
  onJoin,
  onLeave,
}: ProcessPoolOptions) {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: program, args: [], execArgv: [...MEMORY_OPTIONS, ...process.execArgv] })
  const members = new Set<Member>()
  let isStopping = false
  let restarts = 0

  const add = (slot: number, isFirst: boolean, failures = 0): Member => {
    const worker = cluster.fork()
    const channel = openChannel((batch) => {
      if (worker.isConnected()) worker.send(batch as object, () => {})
    })
    worker.on('message', channel.receive)
    worker.on('error', (error) => log.warn({ err: error, process: slot }, 'process'))
    const listening = Promise.withResolvers<boolean>()
    const ended = endOf(worker)
    let hasBegun = false
    const member: Member = {
      hasListened: false,
      listens: listening.promise,
      async stop() {
        if (hasBegun) channel.tell('stop')
        else worker.process.kill('SIGKILL')
        const timer = setTimeout(() => {
          log.error({ process: slot }, 'a process does not stop and is killed')
          worker.process.kill('SIGKILL')
        }, STOP_MS + drainNoticeMs)
        await ended
        clearTimeout(timer)
      },
    }
    members.add(member)
    channel.on('begin', async () => {
      const given = await opening
      hasBegun = true
      return { ...given, isFirst, slot } satisfies StartParameters
    })
    channel.on('listening', () => {
      member.hasListened = true
      listening.resolve(true)
    })
    onJoin(channel)
    let unanswered = 0
    let isAsking = false
    const beats = setInterval(() => {
      if (!member.hasListened || isStopping) return
      if (isAsking) unanswered += 1
      if (unanswered >= MOST_UNANSWERED) {
        log.error({ process: slot }, 'a process does not answer and is replaced')
        clearInterval(beats)
        // A frozen process handles no other signal.
        worker.process.kill('SIGKILL')
      }
      if (isAsking) return
      isAsking = true
      channel.ask('alive').then(
        () => {
          isAsking = false
          unanswered = 0
        },
        () => {},
      )
    }, BEAT_MS)
    const since = performance.now()
    void ended.then((code) => {
      clearInterval(beats)
      members.delete(member)
      channel.close()
      onLeave(channel)
      listening.resolve(false)
      if (isStopping) return
      if (member.hasListened) restarts += 1
      log.error({ process: slot, code, signal: worker.process.signalCode }, 'a process exited unexpectedly')
      if (!member.hasListened && isFirst) return
      const failed = performance.now() - since > STEADY_MS ? 0 : failures
      const replace = () => {
        if (!isStopping) add(slot, false, failed + 1)
      }
      setTimeout(replace, Math.min(BACKOFF_MS * 2 ** failed, MOST_BACKOFF_MS))
    })
    return member
  }
  return {
    async start(): Promise<boolean> {
      if (!(await add(1, true).listens)) return false
      for (let slot = 2; slot <= size && !isStopping; slot += 1) add(slot, false)
      return true
    },
    async stop(): Promise<void> {
      isStopping = true
      await Promise.all([...members].map((member) => member.stop()))
    },
    state: () => ({ running: [...members].filter(({ hasListened }) => hasListened).length, restarts }),
  }
}
