import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import type { DeclaredError } from '#platform/errors.ts'
import type { Payer } from '#platform/http.ts'
import { RawText, Type } from '#platform/schema.ts'

/** The field of a body that carries it. */
export const password = Type.Optional(RawText(128, { description: 'While the site asks for it when paying' }))

/** What the ledger is told of people by the module of accounts, a layer above. */
export type People = {
  /** Refuses a request without the payment password while the site asks for one (conventions-29). */
  checkPassword(ctx: Context, payer: Payer): Promise<void>
  /** What `checkPassword` throws. */
  passwordErrors: readonly DeclaredError[]
  /** Whether there is such a person, whose account is not disabled. */
  isUser(sql: Db, id: number): Promise<boolean>
}
