import { getStoredNode, type StoredNode } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database.ts'
import type { CountAttempt } from '#platform/http.ts'
import { accountOf, checkCode, storedAccount, useCode } from '../codes/service.ts'
import { USER_CONSTRAINTS } from '../errors.ts'
import { checkOwnPassword } from '../passwords/service.ts'
import { checkUserName } from '../registration/service.ts'
import { notBound } from './errors.ts'
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

/** Gives a person a new phone or e-mail, proved by a code that was sent there. */
export async function bind(ctx: Context, userId: number, { verifiable_code: code, ...target }: Binding) {
  const account = accountOf(target)
  await checkCode(ctx, account, 'register', code)
  await transaction(ctx.sql, async (tx) => {
    await useCode(ctx, tx, account, 'register', code)
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
    await unbindAccount(tx, userId, account)
  })
}
