import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import type { CountAttempt, Viewer } from '#platform/http'
import { useCode } from './codes.ts'
import { verifyPasswordOrCode } from './owner.ts'
import { isNameOf } from './registration.ts'
import { type OwnerProof, proofMissing, wrongProof } from './schema.ts'
import { verifySecondFactor } from './second-factor.ts'

export type UseProof = (tx: Tx) => Promise<void>

/** Verifies a proof of ownership. The returned function consumes the proof in the caller's transaction. */
export async function verifyOwner(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { password, verifiable_code: code, second_factor: factor }: Omit<OwnerProof, 'name'>,
): Promise<UseProof> {
  if (password === undefined && code === undefined && factor !== undefined) {
    await verifySecondFactor(ctx, countAttempt, viewer.id, factor)
    return async () => {}
  }
  const refusals = { missing: proofMissing, wrong: wrongProof }
  const account = await verifyPasswordOrCode(ctx, countAttempt, viewer, { password, code }, refusals)
  return async (tx) => {
    if (account) await useCode(ctx, tx, account, 'user', code as number)
  }
}

/**
 * Requires the account name if the request contains no other proof. Only owners of accounts without credentials may
 * omit other proofs, after a recent sign-in (rights-1, rights-9).
 */
export async function verifyOwnerOrName(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { name = '', ...proof }: OwnerProof,
): Promise<UseProof> {
  const use = await verifyOwner(ctx, countAttempt, viewer, proof)
  const isProved = Object.values(proof).some((given) => given !== undefined)
  if (!isProved && !(await isNameOf(ctx.sql, viewer.id, name))) throw proofMissing()
  return use
}
