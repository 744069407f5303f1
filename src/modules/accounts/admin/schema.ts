import { beyondOwnAbilities } from '#modules/abilities/index.ts'
import { apiError, type DeclaredError, forbidden } from '#platform/errors.ts'
import {
  Address,
  Flag,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
} from '#platform/http'
import { NewPassword } from '../registration/schema.ts'
import { emailTaken, NAME_ERRORS, phoneTaken, Verified } from '../schema.ts'

export const lastFounder = apiError(
  422,
  'last_founder',
  'This is the last founder: make another one first.',
  '这是最后一位创始人，请先指定其他创始人。',
)
export const notOneself = apiError(422, 'not_oneself', 'You cannot disable yourself.', '不能禁用自己。')

export const ACCOUNT_ERRORS: readonly DeclaredError[] = [
  forbidden,
  beyondOwnAbilities,
  ...NAME_ERRORS,
  emailTaken,
  phoneTaken,
]

/** Standing of an account (administration-24). */
export const STANDINGS = ['active', 'silenced', 'suspended', 'waiting', 'disabled'] as const
export type Standing = (typeof STANDINGS)[number]

/** An account for administrators. Never contains the password, not even its hash. */
export const ManagedUser = Shared('ManagedUser', {
  id: Type.Integer(),
  name: Type.String(),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  bio: Nullable(Type.String()),
  sex: Type.Integer(),
  location: Nullable(Type.String()),
  verified: Nullable(Verified),
  roles: Type.Array(Type.String()),
  has_password: Type.Boolean(),
  disabled: Type.Boolean(),
  standing: OneOf(STANDINGS, { description: '`waiting`: for the approval of the registration' }),
  created_at: Time,
  updated_at: Time,
})
export type ManagedUser = Static<typeof ManagedUser>

/** Filters of accounts. `q` is a part of the name. */
export const ManagedUserQuery = Type.Object({
  ...listingQuery(['id', 'name', 'created_at']),
  id: Type.Optional(Id),
  email: Type.Optional(Text(128)),
  phone: Type.Optional(Text(32)),
  role: Type.Optional(Text(100)),
  disabled: Type.Optional(Flag()),
  standing: Type.Optional(OneOf(STANDINGS)),
})
export type ManagedUserQuery = Static<typeof ManagedUserQuery>

const Roles = TextList(20, 100)
const Certificate = Shared('VerifiedInput', {
  type: Text(20),
  icon: Type.Optional(Nullable(Address())),
  description: Type.Optional(Nullable(Text(255))),
})

export const UserInput = Shared('NewManagedUser', {
  name: Text(100),
  password: NewPassword,
  email: Type.Optional(Text(128)),
  phone: Type.Optional(Text(32)),
  roles: Type.Optional(Roles),
})
export type UserInput = Static<typeof UserInput>

/** Changes of an account: any field of a new one, `disabled`, and the certified identity. */
export const UserChanges = Shared('ManagedUserChanges', {
  name: Type.Optional(Text(100)),
  password: Type.Optional(NewPassword),
  unlink_accounts: Type.Optional(Type.Boolean({ description: 'Ends the links of accounts outside' })),
  email: Type.Optional(Nullable(Text(128))),
  phone: Type.Optional(Nullable(Text(32))),
  roles: Type.Optional(Roles),
  disabled: Type.Optional(Flag()),
  verified: Type.Optional(Nullable(Certificate)),
})
export type UserChanges = Static<typeof UserChanges>
