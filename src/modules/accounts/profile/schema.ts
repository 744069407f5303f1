import { Int, Nullable, RawText, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { Code, CodeTarget } from '../codes/schema.ts'
import { UserView } from '../schema.ts'

/** What a person owns, in the three shapes that clients read (sign-in-10). */
export const Balances = Type.Object({
  wallet: Shared('Wallet', { id: Type.Integer(), user_id: Type.Integer(), balance: Type.Integer() }),
  new_wallet: Shared('NewWallet', {
    owner_id: Type.Integer(),
    balance: Type.Integer(),
    total_income: Type.Integer(),
    total_expenses: Type.Integer(),
  }),
  currency: Shared('Points', {
    owner_id: Type.Integer(),
    type: Type.Integer({ description: '1: points' }),
    sum: Type.Integer(),
  }),
})
export type Balances = Static<typeof Balances>

/** A person as they see themselves (sign-in-10). */
export const PrivateUser = Shared('PrivateUser', {
  ...UserView.properties,
  phone: Nullable(Type.String()),
  email: Nullable(Type.String()),
  ...Balances.properties,
  friends_count: Type.Integer({ description: 'people who follow me and whom I follow' }),
  initial_password: Type.Boolean({ description: 'whether the account has a password' }),
})
export type PrivateUser = Static<typeof PrivateUser>

/** Changes of the profile; null or an empty text clears a field. */
export const ProfilePatch = Shared('ProfileChanges', {
  name: Type.Optional(Text(100)),
  bio: Type.Optional(Nullable(Text(255))),
  sex: Type.Optional(Nullable(Int(0, 2, { description: '0 unknown, 1 male, 2 female' }))),
  location: Type.Optional(Nullable(Text(255))),
  avatar: Type.Optional(Nullable(Text(255, { description: 'node of a picture of mine' }))),
  bg: Type.Optional(Nullable(Text(255, { description: 'node of a picture of mine' }))),
})
export type ProfilePatch = Static<typeof ProfilePatch>

/** A phone or e-mail with the code that was sent to it, and what proves the owner of an account that has one already. */
export const Binding = Shared('AccountBinding', {
  ...CodeTarget.properties,
  verifiable_code: Code,
  password: Type.Optional(RawText(128)),
  old_verifiable_code: Type.Optional(Code),
})
export type Binding = Static<typeof Binding>

/** What it takes to take a phone or e-mail away. */
export const Unbinding = Shared('AccountUnbinding', { password: RawText(128), verifiable_code: Code })
export type Unbinding = Static<typeof Unbinding>
