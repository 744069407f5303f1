import type { Context } from '#platform/context.ts'

export type Probe = {
  part: string
  isUsed(ctx: Context): boolean
  services?(ctx: Context): string[]
  check(ctx: Context): Promise<unknown>
}
