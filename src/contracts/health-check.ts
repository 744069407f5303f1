import type { Context } from '#platform/context.ts'

/** An external dependency of the server, with its health check. */
export type Probe = {
  part: string
  isUsed(ctx: Context): boolean
  /** The configured services of a part with several. */
  services?(ctx: Context): string[]
  check(ctx: Context): Promise<unknown>
}
