import { Shared, type Static, Text, Type } from '#platform/schema.ts'

/** A code of an authenticator app, or a recovery code. */
export const FactorCode = Text(32, { description: 'six digits of an authenticator app, or a recovery code' })

/** Whether signing in takes a second factor, and how many recovery codes are left. */
export const SecondFactor = Shared('SecondFactor', {
  enabled: Type.Boolean(),
  recovery_codes: Type.Integer(),
})

/** What an authenticator app is given: shown once. */
export const FactorSecret = Shared('SecondFactorSecret', {
  secret: Type.String({ description: 'to be typed' }),
  uri: Type.String({ description: 'otpauth://, to be shown as a QR code' }),
})

export const FactorProof = Shared('SecondFactorProof', { second_factor: FactorCode })
export type FactorProof = Static<typeof FactorProof>

/** Codes that are good once each, shown once. */
export const RecoveryCodes = Shared('RecoveryCodes', { recovery_codes: Type.Array(Type.String()) })
