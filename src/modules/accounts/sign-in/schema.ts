import { RawText, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { Code } from '../codes/schema.ts'
import { FactorCode } from '../second-factor/schema.ts'

/** A sign-in with a password or a code. */
export const SignIn = Shared('SignIn', {
  login: Text(128, { description: 'E-mail address, phone number, name or id' }),
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  second_factor: Type.Optional(FactorCode),
})
export type SignIn = Static<typeof SignIn>

/** An access token with its lifetimes in minutes (sign-in-5). */
export const TokenView = Shared('Token', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'minutes' }),
  refresh_ttl: Type.Integer({ description: 'minutes in which the token can be exchanged' }),
})

/** The token, where it is in neither the header nor the query. */
export const TokenInput = Shared('TokenInput', { token: Type.Optional(Text(512)) })

/** What signing out answers: a plain text (sign-in-6). */
export const SignedOut = Shared('SignedOut', { message: Type.String() })
