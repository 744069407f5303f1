import type { Context } from '#platform/context.ts'

/** Something outside this process that the server depends on, and how to find out whether it does its work. */
export type Probe = {
  part: string
  /** Whether it is configured at all. */
  isUsed(ctx: Context): boolean
  /** Throws when it is not in order. */
  check(ctx: Context): Promise<unknown>
}
