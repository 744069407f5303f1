import { type Context, defineState } from '#platform/context.ts'
import { afterCommit, announce, type Db } from '#platform/database'

const SIGNAL = 'guest-replies'

/**
 * Drops the replies and pages that processes cached for guests, because content that guests saw became private.
 * A lost signal delays the change by at most `GUEST_CACHE_MS`.
 */
export const guestPurgeOf = defineState((ctx: Pick<Context, 'signals' | 'state'>) => {
  const handlers: (() => void)[] = []
  const drop = () => {
    for (const handler of handlers) handler()
  }
  ctx.signals.on(SIGNAL, drop)
  ctx.signals.onReconnect(drop)
  return {
    on: (handler: () => void) => void handlers.push(handler),
    /** Drops on every node when the transaction commits. */
    async announce(db: Db): Promise<void> {
      await announce(db, SIGNAL, ['*'])
      afterCommit(db, drop)
    },
  }
})
