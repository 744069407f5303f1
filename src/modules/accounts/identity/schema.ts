import type { Channel } from '#modules/mail/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import { IdList, Int, OneOf, RawText, Shared, type Static, Text, Type } from '#platform/http'

export const wrongCode = apiError(
  422,
  'wrong_code',
  'This verification code is wrong or has expired.',
  '验证码错误或已失效。',
)

export const AgreedVersions = IdList(50, {
  description: 'Versions of pages that the user agreed to, from `agreed_version` of `GET /bootstrappers`',
})
export const InvitationCode = Text(32, { description: 'Code of an invitation, if registration requires one' })

export const codeTooEarly = apiError(
  403,
  'code_too_early',
  'A code was sent a moment ago. Wait a minute before you request another.',
  '验证码刚刚已发送，请一分钟后再获取。',
)
const unknown = (field: string) =>
  fieldError(field, 'no_such_account', 'This account does not exist.', '该账号不存在。')
export const noSuchEmail = unknown('email')
export const noSuchPhone = unknown('phone')

export const CodeTarget = Shared('CodeTarget', {
  phone: Type.Optional(Text(20)),
  email: Type.Optional(Text(128)),
})
export type CodeTarget = Static<typeof CodeTarget>

export const RegistrationCodeTarget = Shared('RegistrationCodeTarget', {
  ...CodeTarget.properties,
  invitation_code: Type.Optional(InvitationCode),
})
export type RegistrationCodeTarget = Static<typeof RegistrationCodeTarget>

/** Accepts an integer, because some clients drop the leading zeros of a code. */
export const Code = Int(0, 999_999, { description: 'six digits' })

/** `register`: code for an unused phone or e-mail. `user`: code for the phone or e-mail of an account. */
export type Purpose = 'register' | 'user'

export type Account = { channel: Channel; field: 'email' | 'phone'; value: string; key: string }

export const factorRequired = fieldError(
  'second_factor',
  'second_factor_required',
  'Send the code of your authenticator app, or a recovery code, as second_factor.',
  '请在 second_factor 中填写身份验证器动态码或恢复码。',
)
export const wrongFactor = fieldError(
  'second_factor',
  'wrong_second_factor',
  'This code is wrong or has already been used.',
  '动态码或恢复码错误，或已被使用。',
)
export const FACTOR_ERRORS = [factorRequired, wrongFactor]

export const factorOn = apiError(
  422,
  'second_factor_on',
  'Two-step verification is already on. Turn it off first.',
  '账号已开启两步验证，请先关闭。',
)
export const factorOff = apiError(
  422,
  'second_factor_off',
  'Two-step verification is off.',
  '账号未开启两步验证。',
)

export const FactorCode = Text(32, { description: 'six digits of an authenticator app, or a recovery code' })

export const SecondFactor = Shared('SecondFactor', {
  enabled: Type.Boolean(),
  recovery_codes: Type.Integer(),
})

export const FactorSecret = Shared('SecondFactorSecret', {
  secret: Type.String({ description: 'For manual entry' }),
  uri: Type.String({ description: 'otpauth:// URL to display as a QR code' }),
})

export const FactorProof = Shared('SecondFactorProof', { second_factor: FactorCode })
export type FactorProof = Static<typeof FactorProof>

export const RecoveryCodes = Shared('RecoveryCodes', { recovery_codes: Type.Array(Type.String()) })

/** A token alone must not authorize deletion or export of an account. */
export const proofMissing = fieldError(
  'password',
  'proof_required',
  'Enter your password, or a code that was sent to your phone or e-mail (verifiable_code).',
  '请提供密码，或绑定的手机号或邮箱收到的验证码（verifiable_code）。',
)
export const wrongProof = fieldError(
  'verifiable_code',
  'wrong_code',
  'The code is wrong or no longer valid.',
  '验证码错误或已失效。',
)
/** Error for an old session of an account without password, phone and e-mail. */
export const signInAgain = apiError(
  403,
  'sign_in_again',
  'Sign in again and repeat this within 15 minutes.',
  '请重新登录，并在 15 分钟内重试此操作。',
)
export const OWNER_PROOF_ERRORS = [proofMissing, wrongProof, wrongFactor, factorOff, signInAgain]

/**
 * Accounts without credentials confirm their `name`, so that no client deletes or exports an account by
 * mistake.
 */
export const OwnerProof = Shared('OwnerProof', {
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  second_factor: Type.Optional(FactorCode),
  name: Type.Optional(Text(100)),
})
export type OwnerProof = Static<typeof OwnerProof>

export const NewPassword = RawText(128, { minLength: 8 })

export const Registration = Shared('Registration', {
  name: Text(100),
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: Type.Optional(NewPassword),
  invitation_code: Type.Optional(InvitationCode),
  introduction: Type.Optional(
    Text(500, { description: 'Message to the administrators when the registration needs approval' }),
  ),
  agreed: Type.Optional(AgreedVersions),
})
export type Registration = Static<typeof Registration>

export const RegisteredToken = Shared('RegisteredToken', {
  token: Type.String(),
  ttl: Type.Integer({ description: 'minutes' }),
  refresh_ttl: Type.Integer({ description: 'minutes' }),
})

export type NewUser = {
  name: string
  password: string | null
  email?: string | null
  phone?: string | null
  verified?: boolean
  waiting?: { introduction: string | null }
  roles: readonly string[]
}

export const wrongPaymentPassword = apiError(403, 'wrong_password', 'The password is wrong.', '密码错误。')
export const paymentNeedsPassword = apiError(
  403,
  'password_not_set',
  'Set a password for your account before you pay.',
  '支付前请先为账号设置密码。',
)
export const PAYMENT_PASSWORD_ERRORS = [wrongPaymentPassword, paymentNeedsPassword]

export const bothAccounts = apiError(
  400,
  'ambiguous_account',
  'Give a phone number or an e-mail address, but not both.',
  '手机号和邮箱必须且只能提供一个。',
)
/** A token alone must not set a first password, since that password would prove ownership (sign-in-8). */
export const proofOfFirst = fieldError(
  'verifiable_code',
  'proof_required',
  'Enter a code that was sent to your phone or e-mail (verifiable_code), or sign in again first.',
  '请提供绑定的手机号或邮箱收到的验证码（verifiable_code），或先重新登录。',
)
const wrong = (field: string) => fieldError(field, 'wrong_password', 'The password is wrong.', '密码错误。')
export const wrongOldPassword = wrong('old_password')
export const wrongPassword = wrong('password')

const UnlinkAccounts = Type.Optional(
  Type.Boolean({ description: 'Also unlinks all external accounts that can sign in' }),
)

export const PasswordChange = Shared('PasswordChange', {
  old_password: Type.Optional(RawText(128)),
  password: NewPassword,
  password_confirmation: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  unlink_accounts: UnlinkAccounts,
})
export type PasswordChange = Static<typeof PasswordChange>

export const PasswordReset = Shared('PasswordReset', {
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: NewPassword,
  unlink_accounts: UnlinkAccounts,
})
export type PasswordReset = Static<typeof PasswordReset>

export const accountWaiting = apiError(
  403,
  'account_waiting',
  'Your registration is awaiting approval by an administrator. You will be notified of the decision.',
  '你的注册申请正在等待管理员审核，审核结果将通知你。',
)

/** Covers unknown accounts and wrong passwords alike, to prevent account enumeration (sign-in-4). */
export const wrongSignIn = apiError(
  422,
  'wrong_sign_in',
  'The account or the password is wrong.',
  '账号或密码错误。',
)
export const accountDisabled = apiError(
  403,
  'account_disabled',
  'This account is disabled.',
  '该账号已被禁用。',
)
export const OUTSIDE_ERRORS = [wrongSignIn, wrongCode, accountDisabled, accountWaiting, ...FACTOR_ERRORS]

export const SignIn = Shared('SignIn', {
  login: Text(128, { description: 'E-mail address, phone number, name or id' }),
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  second_factor: Type.Optional(FactorCode),
})
export type SignIn = Static<typeof SignIn>

export const TokenView = Shared('Token', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'minutes' }),
  refresh_ttl: Type.Integer({ description: 'Minutes during which the token can be exchanged' }),
})

export const TokenInput = Shared('TokenInput', { token: Type.Optional(Text(512)) })

export const SignedOut = Shared('SignedOut', { message: Type.String() })
