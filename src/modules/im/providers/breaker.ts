import { ImError, type ImProvider } from './provider.ts'

const FAILURES = 3
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/**
 * The provider behind a breaker: after some failures in a row calls fail at once for a while, so that requests do not
 * wait for a service that is down. One call tries again after each pause.
 */
export function withBreaker(provider: ImProvider, now: () => number = Date.now): ImProvider {
  let failures = 0
  let closedUntil = 0
  let pause = FIRST_PAUSE_MS
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (failures >= FAILURES) {
        const left = closedUntil - now()
        if (left > 0)
          throw new ImError('unavailable', `${provider.name} does not answer`, {
            retryAfterSeconds: left / 1000,
          })
        // This call is the trial; others wait for what it finds.
        closedUntil = now() + pause
      }
      try {
        const result = await call(...args)
        failures = 0
        pause = FIRST_PAUSE_MS
        return result
      } catch (error) {
        if (error instanceof ImError && error.fault === 'unavailable') {
          failures += 1
          if (failures > FAILURES) pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
          if (failures >= FAILURES) closedUntil = now() + pause
        } else failures = 0
        throw error
      }
    }
  return {
    name: provider.name,
    capabilities: provider.capabilities,
    settingsHeld: provider.settingsHeld,
    ensureUsers: guard(provider.ensureUsers),
    setPassword: guard(provider.setPassword),
    lock: guard(provider.lock),
    unlock: guard(provider.unlock),
    createGroup: guard(provider.createGroup),
    findGroup: guard(provider.findGroup),
    updateGroup: guard(provider.updateGroup),
    transferOwner: guard(provider.transferOwner),
    addMembers: guard(provider.addMembers),
    removeMembers: guard(provider.removeMembers),
    getGroups: guard(provider.getGroups),
    listMembers: guard(provider.listMembers),
    deleteGroup: guard(provider.deleteGroup),
    sendSystem: guard(provider.sendSystem),
    // Asked by people who want to know now.
    health: provider.health,
  }
}
