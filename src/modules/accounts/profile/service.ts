import { getStoredNode, maxNodeBytes, type StoredNode } from '#modules/files/index.ts'
import { IN_FEN, IN_POINTS } from '#modules/ledger/index.ts'
import { alertAccountOwner } from '#modules/mail/index.ts'
import { invalidateSenderName } from '#modules/notifications/index.ts'
import { USER_CONSTRAINTS, UserView } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database'
import { fieldError } from '#platform/errors.ts'
import {
  type CountAttempt,
  Flag,
  Int,
  Nullable,
  RawText,
  Shared,
  type Static,
  Text,
  Type,
  type Viewer,
} from '#platform/http'
import { accountOf, checkCode, storedAccount, useCode } from '../identity/codes.ts'
import { checkOwnPassword, verifyPasswordOrCode } from '../identity/owner.ts'
import { bindAccount, findPrivateRow, saveProfile, unbindAccount } from '../identity/queries.ts'
import { checkUserName } from '../identity/registration.ts'
import { checkContact } from '../identity/registration-rules.ts'
import { Code, CodeTarget } from '../identity/schema.ts'

export const notBound = {
  email: fieldError('email', 'not_bound', 'Your account has no e-mail address.', '账号未绑定邮箱。'),
  phone: fieldError('phone', 'not_bound', 'Your account has no phone number.', '账号未绑定手机号。'),
}

/** A stolen token alone must not suffice to replace the phone or e-mail (sign-in-8). */
export const proofRequired = fieldError(
  'password',
  'proof_required',
  'Enter your password, or a code that was sent to your current phone or e-mail (old_verifiable_code).',
  '请提供密码，或绑定的手机号或邮箱收到的验证码（old_verifiable_code）。',
)
export const wrongOldCode = fieldError(
  'old_verifiable_code',
  'wrong_code',
  'The code is wrong or no longer valid.',
  '验证码错误或已失效。',
)

/** `wallet` and `new_wallet` contain the same balance, because clients read different fields (sign-in-10). */
export const Balances = Type.Object({
  wallet: Shared('Wallet', { id: Type.Integer(), user_id: Type.Integer(), balance: Type.Integer(IN_FEN) }),
  new_wallet: Shared('NewWallet', {
    owner_id: Type.Integer(),
    balance: Type.Integer(IN_FEN),
    total_income: Type.Integer(IN_FEN),
    total_expenses: Type.Integer(IN_FEN),
  }),
  currency: Shared('Points', {
    owner_id: Type.Integer(),
    type: Type.Integer({ description: '1: points' }),
    sum: Type.Integer(IN_POINTS),
  }),
})
export type Balances = Static<typeof Balances>

export const PrivateUser = Shared('PrivateUser', {
  ...UserView.properties,
  phone: Nullable(Type.String()),
  email: Nullable(Type.String()),
  ...Balances.properties,
  friends_count: Type.Integer({ description: 'Number of mutual followings' }),
  initial_password: Type.Boolean({ description: 'True when the account has a password' }),
  found_by_phone: Type.Boolean({
    description: 'True when users with my number in their address book can find me',
  }),
})
export type PrivateUser = Static<typeof PrivateUser>

export const ProfilePatch = Shared('ProfileChanges', {
  name: Type.Optional(Text(100)),
  bio: Type.Optional(Nullable(Text(255))),
  sex: Type.Optional(Nullable(Int(0, 2, { description: '0 unknown, 1 male, 2 female' }))),
  location: Type.Optional(Nullable(Text(255))),
  avatar: Type.Optional(Nullable(Text(255, { description: 'Node of a picture that I uploaded' }))),
  bg: Type.Optional(Nullable(Text(255, { description: 'Node of a picture that I uploaded' }))),
  found_by_phone: Type.Optional(Flag()),
})
export type ProfilePatch = Static<typeof ProfilePatch>

/** Documents the form in the API description. The handler reads the multipart body itself. */
export const BackgroundForm = Shared('BackgroundForm', {
  image: Type.Optional(
    Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      maxLength: maxNodeBytes,
      description: 'a JPEG, PNG, GIF or WebP picture',
    }),
  ),
})

export const Binding = Shared('AccountBinding', {
  ...CodeTarget.properties,
  verifiable_code: Code,
  password: Type.Optional(RawText(128)),
  old_verifiable_code: Type.Optional(Code),
})
export type Binding = Static<typeof Binding>

export const Unbinding = Shared('AccountUnbinding', { password: RawText(128), verifiable_code: Code })
export type Unbinding = Static<typeof Unbinding>

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
    if (name !== undefined) await invalidateSenderName(ctx, tx, userId)
  })
}

const picture = async (
  tx: Db,
  node: string | null,
  ownerId: number,
  field: string,
): Promise<StoredNode | null> => (node === null ? null : getStoredNode(tx, node, { ownerId, field }))

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
