import { getStoredNode, type StoredNode } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database'
import type { CountAttempt, Viewer } from '#platform/http'
import { alertAccountOwner } from '../alerts/service.ts'
import { accountOf, checkCode, storedAccount, useCode } from '../codes/service.ts'
import { checkOwnPassword, verifyPasswordOrCode } from '../owner-proof/owner.ts'
import { checkContact } from '../registration/rules.ts'
import { checkUserName } from '../registration/service.ts'
import { USER_CONSTRAINTS } from '../schema.ts'
import { bindAccount, findPrivateRow, saveProfile, unbindAccount } from './queries.ts'
import type { Binding, ProfilePatch, Unbinding } from './schema.ts'
import { notBound, proofRequired, wrongOldCode } from './schema.ts'

/** Updates the viewer's profile. Pictures must be the viewer's uploads. */
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

/** Binds a phone or e-mail verified by a code, and alerts the old contacts. */
export async function bind(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { verifiable_code: code, password, old_verifiable_code: old, ...target }: Binding,
): Promise<void> {
  const account = accountOf(target)
  await checkContact(ctx, account)
  const refusals = { missing: proofRequired, wrong: wrongOldCode }
  const proof = await verifyPasswordOrCode(ctx, countAttempt, viewer, { password, code: old }, refusals)
  await checkCode(ctx, account, 'register', code)
  await transaction(ctx.sql, async (tx) => {
    if (proof) await useCode(ctx, tx, proof, 'user', old as number)
    await useCode(ctx, tx, account, 'register', code)
    await alertAccountOwner(ctx, tx, viewer.id, account.field)
    await onConstraint(bindAccount(tx, viewer.id, account), USER_CONSTRAINTS)
  })
}

/** Unbinds the viewer's phone or e-mail with password and code. */
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
    await alertAccountOwner(ctx, tx, userId, field)
    await unbindAccount(tx, userId, account)
  })
}
