import { isFreshSignIn } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import type { DeclaredError } from '#platform/errors.ts'
import type { CountAttempt, Viewer } from '#platform/http'
import { isCode, storedAccount } from './codes.ts'
import { verifyPassword } from './hashing.ts'
import { findPassword, findPrivateRow } from './queries.ts'
import { type Account, signInAgain, wrongPassword } from './schema.ts'

export async function checkOwnPassword(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  password: string,
): Promise<void> {
  await countAttempt()
  const current = (await findPassword(ctx.sql, userId)) ?? null
  if (!(await verifyPassword(current, password))) throw wrongPassword()
}

type Refusal = (() => Error) & DeclaredError

/**
 * Returns the phone or e-mail whose code the caller must consume. A user without password, phone and e-mail
 * needs a recent sign-in instead, because a stolen token is usually older (sign-in-8).
 */
export async function verifyPasswordOrCode(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { password, code }: { password: string | undefined; code: number | undefined },
  refusals: { missing: Refusal; wrong: Refusal },
): Promise<Account | undefined> {
  const owner = await findPrivateRow(ctx.sql, viewer.id)
  const bound = (['phone', 'email'] as const).flatMap((field) => {
    const value = owner?.[field]
    return value ? [storedAccount(field, value)] : []
  })
  if (bound.length === 0 && !owner?.initial_password) {
    if (!(await isFreshSignIn(ctx.sql, viewer))) throw signInAgain()
    return undefined
  }
  if (password !== undefined) {
    await checkOwnPassword(ctx, countAttempt, viewer.id, password)
    return undefined
  }
  if (code === undefined) throw refusals.missing()
  await countAttempt()
  for (const account of bound) if (await isCode(ctx, account, 'user', code)) return account
  throw refusals.wrong()
}
