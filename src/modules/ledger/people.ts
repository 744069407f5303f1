import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import type { DeclaredError } from '#platform/errors.ts'
import { type Payer, RawText, Type } from '#platform/http'

/** The body field of the payment password. */
export const password = Type.Optional(RawText(128, { description: 'While the site asks for it when paying' }))

/** User functions that the higher module of accounts injects. */
export type UserFunctions = {
  /** Rejects a request without the payment password when the site requires one (conventions-29). */
  checkPassword(ctx: Context, payer: Payer): Promise<void>
  /** The errors that `checkPassword` throws. */
  passwordErrors: readonly DeclaredError[]
  /** True when the user exists and is enabled. */
  isUser(sql: Db, id: number): Promise<boolean>
  /** Rejects a payment to a user who blocks the payer (conventions-26). */
  requireNotBlocked(sql: Db, payerId: number, recipients: number[]): Promise<void>
}
