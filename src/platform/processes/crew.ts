import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Log } from '#platform/log.ts'
import { type Channel, openChannel } from './channel.ts'

/** What a process is told before it begins. */
export type Begin = {
  /** Its number, from 1; the one that replaces it has the same. */
  slot: number
  /** Whether it prepares the database; the others begin afterwards. */
  prepares: boolean
  /** Whether it is the first since the server was started, and tells so. */
  isFirst: boolean
}

type Member = {
  slot: number
  worker: Worker
  channel: Channel
  /** Settles when it listens, or is false when it has ended before. */
  listens: Promise<boolean>
  ended: Promise<number>
  hasBegun: boolean
  hasListened: boolean
  /** It was told to go. */
  isLeaving: boolean
}

export type CrewOptions = {
  size: number
  /** The program that each process runs. */
  program: string
  log: Log
  /** Resolves once processes may begin; what they are told beside their place. */
  opening: Promise<object>
  /** Called for each new process, and after it has ended. */
  onJoin: (channel: Channel) => void
  onLeave: (channel: Channel) => void
}

const BACKOFF_MS = 100
const MOST_BACKOFF_MS = 30_000
/** A process that ran for so long has not failed at its start. */
const STEADY_MS = 60_000
/** Longer than a process gives itself to stop. */
const STOP_MS = 40_000

/** Keeps a number of processes running that serve on the same address; the system's own balancing is not relied upon. */
export function createCrew({ size, program, log, opening, onJoin, onLeave }: CrewOptions) {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: program, args: [] })
  const members = new Set<Member>()
  const failures = new Map<number, number>()
  const timers = new Set<NodeJS.Timeout>()
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
    const ended = once(worker, 'exit').then(([code]) => Number(code ?? 1))
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
      return { ...given, ...tasks, slot } satisfies Begin
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
        timers.delete(timer)
        add(slot, { prepares: false, isFirst: false })
      },
      Math.min(BACKOFF_MS * 2 ** failed, MOST_BACKOFF_MS),
    )
    timers.add(timer)
  }
  /** Tells a process to end, and ends it when it does not. */
  const dismiss = async (member: Member, word: 'stop' | 'retire') => {
    member.isLeaving = true
    if (member.hasBegun) member.channel.tell(word)
    else member.worker.process.kill('SIGKILL')
    const timer = setTimeout(() => {
      log.error({ process: member.slot }, 'a process does not stop and is killed')
      member.worker.process.kill('SIGKILL')
    }, STOP_MS)
    await member.ended
    clearTimeout(timer)
  }
  const reload = async () => {
    log.info('replacing the processes one by one')
    for (let slot = 1; slot <= size && !isStopping; slot += 1) {
      const old = [...members].filter((member) => member.slot === slot)
      const next = add(slot, { prepares: slot === 1, isFirst: false })
      // A replacement that fails leaves the one that serves where it is.
      next.isLeaving = true
      if (!(await next.listens)) {
        log.error({ process: slot }, 'a replacement did not start: the old processes go on')
        return
      }
      next.isLeaving = false
      for (const member of old) await dismiss(member, 'retire')
    }
    if (!isStopping) log.info('all processes were replaced')
  }
  // Until the start is over nobody is there who could be replaced.
  let isReloading = true

  return {
    /** Starts the first process at once, the others when it listens. False when it did not get so far. */
    async start(): Promise<boolean> {
      if (!(await add(1, { prepares: true, isFirst: true }).listens)) return false
      for (let slot = 2; slot <= size && !isStopping; slot += 1)
        add(slot, { prepares: false, isFirst: false })
      isReloading = false
      return true
    },
    /** Replaces each process by a new one, without an interruption. */
    reload(): void {
      if (isReloading) return
      isReloading = true
      void reload().finally(() => {
        isReloading = false
      })
    },
    async stop(): Promise<void> {
      isStopping = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all([...members].map((member) => dismiss(member, 'stop')))
    },
    /** The channels of those that listen: one that starts knows nothing yet that could be old. */
    serving: () => [...members].filter(({ hasListened }) => hasListened).map(({ channel }) => channel),
    state: () => ({ running: [...members].filter(({ hasListened }) => hasListened).length, restarts }),
  }
}
