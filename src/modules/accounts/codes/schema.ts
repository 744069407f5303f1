import { Int, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { InvitationCode } from '../invitations/schema.ts'

/** Where a code goes: exactly one of the two. */
export const CodeTarget = Shared('CodeTarget', {
  phone: Type.Optional(Text(20)),
  email: Type.Optional(Text(128)),
})
export type CodeTarget = Static<typeof CodeTarget>

/** Where a code for registration goes, with the invitation where newcomers need one. */
export const RegistrationCodeTarget = Shared('RegistrationCodeTarget', {
  ...CodeTarget.properties,
  invitation_code: Type.Optional(InvitationCode),
})
export type RegistrationCodeTarget = Static<typeof RegistrationCodeTarget>

/** A code as it was received. A client that takes it for a number loses its leading zeros, which is made good. */
export const Code = Int(0, 999_999, { description: 'six digits' })

/** How a code was sent. */
export type Channel = 'mail' | 'sms'

/**
 * What a code is good for. `register`: an account that nobody has yet, for registration and for binding; `user`:
 * somebody's account, for sign-in, a new password and unbinding.
 */
export type Purpose = 'register' | 'user'

/** An e-mail address or phone number: as typed, and in the form that is unique. */
export type Account = { channel: Channel; field: 'email' | 'phone'; value: string; key: string }
