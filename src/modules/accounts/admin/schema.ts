import { listingQuery } from '#platform/listing.ts'
import {
  Address,
  Flag,
  Id,
  Nullable,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
} from '#platform/schema.ts'
import { NewPassword } from '../registration/schema.ts'
import { Verified } from '../schema.ts'

/** An account as those who manage accounts see it. Never with its password, hashed or not. */
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
  created_at: Time,
  updated_at: Time,
})
export type ManagedUser = Static<typeof ManagedUser>

/** Accounts by what is known of them; `q` is a part of the name. */
export const ManagedUserQuery = Type.Object({
  ...listingQuery(['id', 'name', 'created_at']),
  id: Type.Optional(Id),
  email: Type.Optional(Text(128)),
  phone: Type.Optional(Text(32)),
  role: Type.Optional(Text(100)),
  disabled: Type.Optional(Flag()),
})
export type ManagedUserQuery = Static<typeof ManagedUserQuery>

const Roles = TextList(20, 100)
const Certificate = Shared('VerifiedInput', {
  type: Text(20),
  icon: Type.Optional(Nullable(Address())),
  description: Type.Optional(Nullable(Text(255))),
})

/** An account that is made for somebody. */
export const UserInput = Shared('NewManagedUser', {
  name: Text(100),
  password: NewPassword,
  email: Type.Optional(Text(128)),
  phone: Type.Optional(Text(32)),
  roles: Type.Optional(Roles),
})
export type UserInput = Static<typeof UserInput>

/** Changes of an account: any of the above, `disabled`, and the certified identity. */
export const UserChanges = Shared('ManagedUserChanges', {
  name: Type.Optional(Text(100)),
  password: Type.Optional(NewPassword),
  email: Type.Optional(Nullable(Text(128))),
  phone: Type.Optional(Nullable(Text(32))),
  roles: Type.Optional(Roles),
  disabled: Type.Optional(Flag()),
  verified: Type.Optional(Nullable(Certificate)),
})
export type UserChanges = Static<typeof UserChanges>
