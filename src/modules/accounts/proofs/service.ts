import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import type { CountAttempt } from '#platform/http.ts'
import { useCode } from '../codes/service.ts'
import { proveOwner } from '../profile/service.ts'
import { isNameOf } from '../registration/queries.ts'
import { proveByFactor } from '../second-factor/service.ts'
import { proofMissing, wrongProof } from './errors.ts'
import type { Proof } from './schema.ts'

/** Uses up what was proved with, in the transaction of what it was for. */
export type UseProof = (tx: Tx) => Promise<void>

/** Proves that it is the owner who asks for what a token alone may not (rights-1, rights-9). */
export async function proveAccount(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  { password, verifiable_code: code, second_factor: factor, name = '' }: Proof,
): Promise<UseProof> {
  if (password === undefined && code === undefined && factor !== undefined) {
    await proveByFactor(ctx, countAttempt, userId, factor)
    return async () => {}
  }
  const refusals = { missing: proofMissing, wrong: wrongProof }
  const account = await proveOwner(ctx, countAttempt, userId, { password, code }, refusals)
  const isProved = password !== undefined || code !== undefined
  if (!isProved && !(await isNameOf(ctx.sql, userId, name))) throw proofMissing()
  return async (tx) => {
    if (account) await useCode(ctx, tx, account, 'user', code as number)
  }
}
