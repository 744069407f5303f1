import type { Context } from '#platform/context.ts'

/** An external dependency of the server, with its health check. */
export type Probe = {
  part: string
  /** Whether it is configured. */
  isUsed(ctx: Context): boolean
  /** The configured services, where a part has several. */
  services?(ctx: Context): string[]
  /** Throws when it is unhealthy. */
  check(ctx: Context): Promise<unknown>
}
