import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'

export type Probe = {
  part: string
  isUsed(ctx: Context): boolean
  services?(ctx: Context): string[]
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
      return [`${name}: ${messageOf(error)}`]
    }
  })
  return (await Promise.all(faults)).flat().sort()
}
