import type { Tx } from '#platform/database'
import { accountErased } from '#platform/errors.ts'

/** Throws 422 for an erased account. Locks the account, so that no erasure starts before the transaction ends. */
export async function requireNotErased(tx: Tx, userId: number): Promise<void> {
  const [row] = await tx<{ erased: boolean }[]>`
    select erased_at is not null as erased from users where id = ${userId} for no key update`
  if (row?.erased) throw accountErased()
}
