import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '#platform/observability'
import { type Channel, openChannel } from './channel.ts'

/** Start parameters of a process. */
export type StartParameters = {
  /** Its number, from 1; a replacement has the same. */
  slot: number
  /** Whether it prepares the database, before the others start. */
  prepares: boolean
  /** Whether it is the first since the server started, and prints the start message. */
  isFirst: boolean
}

type Member = {
  slot: number
  worker: Worker
  channel: Channel
  /** Resolves with true when it listens, and with false when it exits before. */
  listens: Promise<boolean>
  ended: Promise<number>
  hasBegun: boolean
  hasListened: boolean
  /** It was told to stop. */
  isLeaving: boolean
}

export type ProcessPoolOptions = {
  size: number
  /** Program of each process. */
  program: string
  log: Log
  /** Resolves with further start parameters once processes may start. */
  opening: Promise<object>
  /** How long a stopping process still accepts connections. */
  drainNoticeMs?: number
  /** Called for each new process, and after it has exited. */
  onJoin: (channel: Channel) => void
  onLeave: (channel: Channel) => void
  startMs?: number
}

const BACKOFF_MS = 100
const MOST_BACKOFF_MS = 30_000
/** A process that lived longer has not failed at its start. */
const STEADY_MS = 60_000
/** Longer than the stop timeout of a process. */
const STOP_MS = 40_000
/** A replacement that does not listen by then is killed; one that prepares the database may migrate for longer. */
const START_MS = 120_000
/** Attempts to start a replacement: on a busy machine a timeout can end the first one. */
const MOST_STARTS = 3
const RETRY_MS = 1_000

/**
 * Resolves with the code that a process ends with. An error does not end it: the cluster module emits one for each
 * connection that it hands to a process which is about to go. A process that could not be started has no id, and no end.
 */
const endOf = (worker: Worker): Promise<number> =>
  new Promise((resolve) => {
    worker.once('exit', (code) => resolve(Number(code ?? 1)))
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve(1)
    })
  })

/** Keeps a number of processes running that serve one address, without relying on the system's balancing. */
export function createProcessPool({
  size,
  program,
  log,
  opening,
  drainNoticeMs = 0,
  onJoin,
  onLeave,
  startMs = START_MS,
}: ProcessPoolOptions) {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: program, args: [] })
  const members = new Set<Member>()
  const failures = new Map<number, number>()
  /** Restarts that are due, by slot. */
  const timers = new Map<number, NodeJS.Timeout>()
  let isStopping = false
  let restarts = 0

  const add = (slot: number, tasks: { prepares: boolean; isFirst: boolean }): Member => {
    const worker = cluster.fork()
    const channel = openChannel((batch) => {
      if (worker.isConnected()) worker.send(batch as object, () => {})
    })
    worker.on('message', channel.receive)
    worker.on('error', (error) => log.warn({ err: error, process: slot }, 'process'))
    const listening = Promise.withResolvers<boolean>()
    const ended = endOf(worker)
    const member: Member = {
      slot,
      worker,
      channel,
      listens: listening.promise,
      ended,
      hasBegun: false,
      hasListened: false,
      isLeaving: false,
    }
    members.add(member)
    channel.on('begin', async () => {
      const given = await opening
      member.hasBegun = true
      return { ...given, ...tasks, slot } satisfies StartParameters
    })
    channel.on('listening', () => {
      member.hasListened = true
      listening.resolve(true)
    })
    onJoin(channel)
    const since = Date.now()
    void ended.then((code) => {
      members.delete(member)
      channel.close()
      onLeave(channel)
      listening.resolve(false)
      if (isStopping || member.isLeaving) return
      if (member.hasListened) restarts += 1
      log.error({ process: slot, code, signal: worker.process.signalCode }, 'a process ended unexpectedly')
      if (member.hasListened || !tasks.isFirst) replace(slot, Date.now() - since)
    })
    return member
  }
  const replace = (slot: number, lastedMs: number) => {
    const failed = lastedMs > STEADY_MS ? 0 : (failures.get(slot) ?? 0)
    failures.set(slot, failed + 1)
    const timer = setTimeout(
      () => {
        timers.delete(slot)
        add(slot, { prepares: false, isFirst: false })
      },
      Math.min(BACKOFF_MS * 2 ** failed, MOST_BACKOFF_MS),
    )
    timers.set(slot, timer)
  }
  /** Stops a process, and kills it on timeout. */
  const dismiss = async (member: Member, word: 'stop' | 'retire') => {
    member.isLeaving = true
    if (member.hasBegun) member.channel.tell(word)
    else member.worker.process.kill('SIGKILL')
    const timer = setTimeout(() => {
      log.error({ process: member.slot }, 'a process does not stop and is killed')
      member.worker.process.kill('SIGKILL')
    }, STOP_MS + drainNoticeMs)
    await member.ended
    clearTimeout(timer)
  }
  /** Starts one more process of a slot; undefined when none of several attempts listens. */
  const startNext = async (slot: number): Promise<Member | undefined> => {
    for (let n = 1; n <= MOST_STARTS && !isStopping; n += 1) {
      if (n > 1) await pause(RETRY_MS)
      if (isStopping) return undefined
      const prepares = slot === 1
      const next = add(slot, { prepares, isFirst: false })
      // A replacement that fails leaves the old process running.
      next.isLeaving = true
      const late = prepares ? undefined : setTimeout(() => next.worker.process.kill('SIGKILL'), startMs)
      const listens = await next.listens
      clearTimeout(late)
      if (listens) {
        next.isLeaving = isStopping
        return next
      }
      if (!isStopping) log.warn({ process: slot, attempt: n }, 'a replacement ended before it listened')
    }
    return undefined
  }
  const reload = async () => {
    log.info('replacing the processes one by one')
    for (let slot = 1; slot <= size && !isStopping; slot += 1) {
      const next = await startNext(slot)
      if (isStopping) return
      if (!next) {
        log.error({ process: slot }, 'a replacement did not start: the old processes go on')
        return
      }
      // One that was lost meanwhile has a substitute by now, or one that is due.
      clearTimeout(timers.get(slot))
      timers.delete(slot)
      for (const member of [...members])
        if (member.slot === slot && member !== next) await dismiss(member, 'retire')
    }
    if (!isStopping) log.info('all processes were replaced')
  }
  // Until the start is over there is no process to replace.
  let isReloading = true

  return {
    /** Starts the first process, and the others when it listens. False when it fails to. */
    async start(): Promise<boolean> {
      if (!(await add(1, { prepares: true, isFirst: true }).listens)) return false
      for (let slot = 2; slot <= size && !isStopping; slot += 1)
        add(slot, { prepares: false, isFirst: false })
      isReloading = false
      return true
    },
    /** Replaces each process without an interruption. */
    reload(): void {
      if (isReloading || isStopping) {
        log.warn('the processes are being started, replaced or stopped: this signal changes nothing')
        return
      }
      isReloading = true
      void reload().finally(() => {
        isReloading = false
      })
    },
    async stop(): Promise<void> {
      isStopping = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all([...members].map((member) => dismiss(member, 'stop')))
    },
    /** Channels of the listening processes; one that is starting has no stale data yet. */
    serving: () => [...members].filter(({ hasListened }) => hasListened).map(({ channel }) => channel),
    state: () => ({ running: [...members].filter(({ hasListened }) => hasListened).length, restarts }),
  }
}
