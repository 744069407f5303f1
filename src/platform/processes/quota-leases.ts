import pTimeout from 'p-timeout'
import type { Channel } from './channel.ts'

/** A quota per numbered time window. */
type Quota = { key: string; window: number; limit: number }
type Asked = Quota & { wanted: number }
/** The share granted to the process, and the quota left for the next request. */
type Granted = { granted: number; left: number }
type Recalled = { key: string; window: number }

/** State of a key after one more use. */
export type QuotaUse = { remaining: number; exceeded: boolean }

/** The process's share of one key. */
type Share = {
  window: number
  unused: number
  left: number
  isUsedUp: boolean
  waiting: ((use: QuotaUse) => void)[]
  isAsking: boolean
}

const USED_UP: QuotaUse = { remaining: 0, exceeded: true }

/**
 * Counts exactly across all processes of a machine. The supervisor leases shares of a quota, which a process
 * uses without asking. Shares shrink with the remaining quota, down to single uses, and unused shares are
 * recalled before a request is rejected.
 */
export function createQuotaLeases(parent: Channel) {
  let shares = new Map<string, Share>()
  let earlier = new Map<string, Share>()
  let newest = -1

  const shareOf = (key: string, window: number) => {
    if (window > newest) {
      earlier = window === newest + 1 ? shares : new Map()
      shares = new Map()
      newest = window
    }
    const of = window === newest ? shares : earlier
    let share = of.get(key)
    if (!share) {
      share = { window, unused: 0, left: 0, isUsedUp: false, waiting: [], isAsking: false }
      of.set(key, share)
    }
    return share
  }
  const useOne = (share: Share): QuotaUse => {
    share.unused -= 1
    return { remaining: share.left + share.unused, exceeded: false }
  }
  const ask = async (share: Share, key: string, limit: number): Promise<void> => {
    if (share.isAsking) return
    const wanted = share.waiting.length
    if (wanted === 0) return
    share.isAsking = true
    let answer: Granted
    try {
      answer = await parent.ask<Granted>('allowance', { key, window: share.window, limit, wanted })
    } catch {
      // Without the supervisor the process is about to exit, so it allows everything.
      answer = { granted: wanted, left: 0 }
    }
    share.isAsking = false
    share.unused += answer.granted
    share.left = answer.left
    // Fewer than the waiting requests: the window has no quota left.
    if (answer.granted < wanted) share.isUsedUp = true
    while (share.waiting.length > 0 && share.unused > 0) share.waiting.shift()?.(useOne(share))
    if (share.isUsedUp) for (const refuse of share.waiting.splice(0)) refuse(USED_UP)
    if (share.waiting.length > 0) await ask(share, key, limit)
  }

  parent.on<Recalled>('recall', ({ key, window }) => {
    const share = (window === newest ? shares : earlier).get(key)
    if (!share || share.window !== window) return 0
    const { unused } = share
    share.unused = 0
    return unused
  })

  return {
    /** Counts one use. */
    use({ key, window, limit }: Quota): QuotaUse | Promise<QuotaUse> {
      const share = shareOf(key, window)
      if (share.unused > 0 && share.waiting.length === 0) return useOne(share)
      if (share.isUsedUp) return USED_UP
      return new Promise<QuotaUse>((resolve) => {
        share.waiting.push(resolve)
        if (!share.isAsking) setImmediate(() => void ask(share, key, limit))
      })
    },
  }
}

/**
 * The remaining quota of a key in a window, the holders of unused shares, and the callers that wait during a
 * recall.
 */
type Account = { free: number; holders: Set<Channel>; recalling: Promise<void> | undefined }

/** Maximum share: this part of the remaining quota, divided by the number of processes. */
const PART = 8
const RECALL_MS = 500

/** Leases quotas to all processes, in the supervisor; at most `maxKeys` per window. */
export function leaseQuotas({ processes, maxKeys = 1_000_000 }: { processes: number; maxKeys?: number }) {
  const windows = new Map<number, Map<string, Account>>()

  const accountOf = ({ key, window, limit }: Quota): Account => {
    let accounts = windows.get(window)
    if (!accounts) {
      accounts = new Map()
      windows.set(window, accounts)
      for (const number of windows.keys()) if (number < window - 1) windows.delete(number)
    }
    let account = accounts.get(key)
    if (!account) {
      if (accounts.size >= maxKeys) evict(accounts)
      account = { free: limit, holders: new Set(), recalling: undefined }
      accounts.set(key, account)
    }
    return account
  }
  const recall = async (account: Account, { key, window }: Quota, asker: Channel) => {
    const holders = [...account.holders].filter((holder) => holder !== asker)
    account.holders.clear()
    await Promise.all(
      holders.map(async (holder) => {
        const returned = holder.ask<number>('recall', { key, window }).catch(() => 0)
        const unused = await pTimeout(returned, { milliseconds: RECALL_MS, fallback: () => 0 })
        account.free += unused
      }),
    )
  }
  const grant = async (asked: Asked, channel: Channel): Promise<Granted> => {
    const account = accountOf(asked)
    while (account.free < asked.wanted) {
      const isAnother = [...account.holders].some((holder) => holder !== channel)
      if (!account.recalling && !isAnother) break
      account.recalling ??= recall(account, asked, channel).finally(() => {
        account.recalling = undefined
      })
      await account.recalling
    }
    const share = Math.max(asked.wanted, Math.floor(account.free / (processes * PART)))
    const granted = Math.min(account.free, share)
    account.free -= granted
    if (granted > asked.wanted) account.holders.add(channel)
    return { granted, left: account.free }
  }

  return {
    /** Connects a process. */
    serve(channel: Channel): void {
      channel.on<Asked>('allowance', (asked) => grant(asked, channel))
    },
    /** Counts the unused share of an ended process as used. */
    leave(channel: Channel): void {
      for (const accounts of windows.values())
        for (const { holders } of accounts.values()) holders.delete(channel)
    },
  }
}

/** Frees a tenth of the keys, those without a leased share first. */
function evict(accounts: Map<string, Account>): void {
  let surplus = Math.ceil(accounts.size / 10)
  for (const onlyIdle of [true, false])
    for (const [key, { holders }] of accounts) {
      if (surplus === 0) return
      if (onlyIdle && holders.size > 0) continue
      accounts.delete(key)
      surplus -= 1
    }
}
