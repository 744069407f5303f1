import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'
import { explainError, HealthFault } from '#platform/health'

/** A check of a configured service, address or promise of the installation. */
export type Probe = {
  part: string
  /** Settings that a fault usually comes from, for faults that the catalogue does not know. */
  settings: string
  /** True for a check that takes minutes. A job of its own runs it each week. */
  isWeekly?: true
  /** True when nothing answers the check, because it compares or measures. */
  isSilent?: true
  /** True when the check works while the database does not. */
  worksAlone?: true
  isUsed(ctx: Context): boolean
  services?(ctx: Context): string[]
  /** Throws a `HealthFault`, or another error with a message for operators. */
  check(ctx: Context): Promise<unknown>
}

type Checked = Readonly<Record<string, { check?(): Promise<void> }>>

/** Checks all services at once. Returns a fault for each service that fails. */
export async function findServiceFaults(services: Checked): Promise<string[]> {
  const faults = Object.entries(services).map(async ([name, service]) => {
    try {
      await service.check?.()
      return []
    } catch (error) {
      return [`${name}: ${explainError(error, name)?.message ?? messageOf(error)}`]
    }
  })
  return (await Promise.all(faults)).flat().sort()
}

const LONGEST = 300

/** The fault of a probe that threw `error`. */
export const probeFault = ({ settings }: Pick<Probe, 'settings'>, error: unknown): HealthFault => {
  if (error instanceof HealthFault) return error
  const reason =
    messageOf(error)
      .slice(0, LONGEST)
      .replace(/[.\s]+$/, '') || 'The check failed'
  return explainError(error, settings) ?? new HealthFault('service_answer', { reason, settings }, error)
}
