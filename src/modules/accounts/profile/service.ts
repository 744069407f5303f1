import { getStoredNode, type StoredNode } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database.ts'
import type { CountAttempt } from '#platform/http.ts'
import { alertOwner } from '../alerts/service.ts'
import type { Account } from '../codes/schema.ts'
import { accountOf, checkCode, isCode, storedAccount, useCode } from '../codes/service.ts'
import { checkContact } from '../doors/service.ts'
import { USER_CONSTRAINTS } from '../errors.ts'
import { checkOwnPassword } from '../passwords/service.ts'
import { checkUserName } from '../registration/service.ts'
import { notBound, proofRequired, wrongOldCode } from './errors.ts'
import { bindAccount, findPrivateRow, saveProfile, unbindAccount } from './queries.ts'
import type { Binding, ProfilePatch, Unbinding } from './schema.ts'

/** Changes one's own profile; pictures must be uploads of one's own. */
export async function updateProfile(ctx: Context, userId: number, patch: ProfilePatch): Promise<void> {
  const { avatar, bg, name, sex, ...rest } = patch
  if (name !== undefined) await checkUserName(ctx, name, userId)
  await transaction(ctx.sql, async (tx) => {
    const changes = {
      ...rest,
      ...(name === undefined ? {} : { name }),
      ...(sex === undefined ? {} : { sex: sex ?? 0 }),
      ...(avatar === undefined ? {} : { avatar: await picture(tx, avatar, userId, 'avatar') }),
      ...(bg === undefined ? {} : { bg: await picture(tx, bg, userId, 'bg') }),
    }
    if (Object.keys(changes).length > 0)
      await onConstraint(saveProfile(tx, userId, changes), USER_CONSTRAINTS)
  })
}

const picture = async (
  tx: Db,
  node: string | null,
  ownerId: number,
  field: string,
): Promise<StoredNode | null> => (node === null ? null : getStoredNode(tx, node, { ownerId, field }))

/**
 * What proves that it is the owner who binds, not who found a token: the password, or a code to what is bound already.
 * Answers the account whose code is to be used up. An account with neither has nothing to lose.
 */
export async function proveOwner(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  { password, code }: { password: string | undefined; code: number | undefined },
  refusals = { missing: proofRequired, wrong: wrongOldCode },
): Promise<Account | undefined> {
  const owner = await findPrivateRow(ctx.sql, userId)
  const bound = (['phone', 'email'] as const).flatMap((field) => {
    const value = owner?.[field]
    return value ? [storedAccount(field, value)] : []
  })
  if (bound.length === 0 && !owner?.initial_password) return undefined
  if (password !== undefined) {
    await checkOwnPassword(ctx, countAttempt, userId, password)
    return undefined
  }
  if (code === undefined) throw refusals.missing()
  await countAttempt()
  for (const account of bound) if (await isCode(ctx, account, 'user', code)) return account
  throw refusals.wrong()
}

/** Gives a person a new phone or e-mail, proved by a code that was sent there; the old ones are told. */
export async function bind(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  { verifiable_code: code, password, old_verifiable_code: old, ...target }: Binding,
): Promise<void> {
  const account = accountOf(target)
  await checkContact(ctx, account)
  const proof = await proveOwner(ctx, countAttempt, userId, { password, code: old })
  await checkCode(ctx, account, 'register', code)
  await transaction(ctx.sql, async (tx) => {
    if (proof) await useCode(ctx, tx, proof, 'user', old as number)
    await useCode(ctx, tx, account, 'register', code)
    await alertOwner(ctx, tx, userId, account.field)
    await onConstraint(bindAccount(tx, userId, account), USER_CONSTRAINTS)
  })
}

/** Takes one's phone or e-mail from the account, on password and code. */
export async function unbind(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  field: 'email' | 'phone',
  { password, verifiable_code: code }: Unbinding,
): Promise<void> {
  const value = (await findPrivateRow(ctx.sql, userId))?.[field]
  if (!value) throw notBound[field]()
  await checkOwnPassword(ctx, countAttempt, userId, password)
  const account = storedAccount(field, value)
  await checkCode(ctx, account, 'user', code)
  await transaction(ctx.sql, async (tx) => {
    await useCode(ctx, tx, account, 'user', code)
    await alertOwner(ctx, tx, userId, field)
    await unbindAccount(tx, userId, account)
  })
}
