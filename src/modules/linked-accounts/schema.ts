import { FactorCode, InvitationCode, SignIn, TokenView } from '#modules/accounts/index.ts'
import { Flag, RawText, Shared, type Static, Text, Type } from '#platform/schema.ts'

export const ProviderParams = Type.Object({ provider: Text(32) })

const AccessToken = Text(8192, {
  description: 'of the provider, or from `POST /socialite/{provider}/returns`',
})

/** Proof of an account outside. */
export const OutsideToken = Shared('OutsideToken', { access_token: AccessToken })

/** Proof of an account outside, and the second factor of whoever it belongs to, where they have one. */
export const OutsideEntry = Shared('OutsideEntry', {
  access_token: AccessToken,
  second_factor: Type.Optional(FactorCode),
})
export type OutsideEntry = Static<typeof OutsideEntry>

/** A new person; with `check` only the name is looked at. */
export const OutsideRegistration = Shared('OutsideRegistration', {
  access_token: AccessToken,
  name: Text(100),
  check: Type.Optional(Flag()),
  invitation_code: Type.Optional(InvitationCode),
  introduction: Type.Optional(Text(500)),
})
export type OutsideRegistration = Static<typeof OutsideRegistration>

/** Proof of an account outside and of one here. */
export const OutsideSignIn = Shared('OutsideSignIn', {
  access_token: AccessToken,
  login: SignIn.properties.login,
  password: RawText(128),
  second_factor: Type.Optional(FactorCode),
})
export type OutsideSignIn = Static<typeof OutsideSignIn>

/** A sign-in, and whether the person has a password. */
export const LinkedToken = Shared('LinkedToken', {
  ...TokenView.properties,
  initial_password: Type.Boolean(),
})
export type LinkedToken = Static<typeof LinkedToken>

/** Where to send a browser, and what to keep in it until it comes back. */
export const Departed = Shared('Departed', { url: Type.String(), verification: Type.String() })

/** What the provider sent the browser back with. */
export const Returned = Shared('Returned', {
  code: Text(4096),
  state: Text(512),
  iss: Type.Optional(Text(2000)),
  verification: Text(4096),
})
export type Returned = Static<typeof Returned>
