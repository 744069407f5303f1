import {
  AgreedVersions,
  FactorCode,
  InvitationCode,
  OwnerProof,
  SignIn,
  TokenView,
} from '#modules/accounts/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import { Flag, Nullable, RawText, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noSuchProvider = apiError(
  404,
  'no_such_provider',
  'This site does not support sign-in with this provider.',
  '本站未开启该第三方登录。',
)
export const codeWithoutState = apiError(
  422,
  'code_without_state',
  'This site accepts a code only from the browser that requested it. Begin with POST /socialite/{provider}/departures.',
  '本站仅接受由同一浏览器发起的授权，请通过 POST /socialite/{provider}/departures 重新登录。',
)
export const notLinked = apiError(
  404,
  'not_linked',
  'This external account is not linked to a user yet.',
  '该第三方账号尚未绑定用户。',
)
export const notProven = fieldError(
  'access_token',
  'outside_account_not_proven',
  'The provider did not confirm this account.',
  '第三方账号验证失败。',
)
export const linkedToAnother = fieldError(
  'access_token',
  'linked_to_another',
  'This external account is already linked to another user.',
  '该第三方账号已绑定其他用户。',
)
export const linkedAlready = fieldError(
  'access_token',
  'linked_already',
  'You have already linked another account of this provider.',
  '你已绑定该平台的其他账号。',
)
export const lastWayIn = apiError(
  422,
  'last_way_to_sign_in',
  'This is your only way to sign in. Set a password first.',
  '这是你唯一的登录方式，请先设置密码。',
)
export const providerAway = apiError(
  503,
  'provider_away',
  'The provider does not respond. Try again later.',
  '第三方平台暂时无法访问，请稍后再试。',
)

export const ProviderParams = Type.Object({ provider: Text(32) })

export const CodeParams = Type.Object({ code: Text(4096) })

const AccessToken = Text(8192, {
  description: 'Access token of the provider, or from `POST /socialite/{provider}/returns`',
})

export const OutsideToken = Shared('OutsideToken', { access_token: AccessToken })

const { password, verifiable_code, second_factor } = OwnerProof.properties

/**
 * Also requires proof of the local account. With a stolen session token, an attacker could otherwise link
 * their own external account.
 */
export const OutsideLink = Shared('OutsideLink', {
  access_token: AccessToken,
  password,
  verifiable_code,
  second_factor,
})
export type OutsideLink = Static<typeof OutsideLink>

export const LinkedAccount = Shared('LinkedAccount', {
  provider: Type.String(),
  linked_at: Time,
  used_at: Nullable(Time),
})

export const OutsideEntry = Shared('OutsideEntry', {
  access_token: AccessToken,
  second_factor: Type.Optional(FactorCode),
})
export type OutsideEntry = Static<typeof OutsideEntry>

export const OutsideRegistration = Shared('OutsideRegistration', {
  access_token: AccessToken,
  name: Text(100),
  check: Type.Optional(Flag()),
  invitation_code: Type.Optional(InvitationCode),
  introduction: Type.Optional(Text(500)),
  agreed: Type.Optional(AgreedVersions),
})
export type OutsideRegistration = Static<typeof OutsideRegistration>

export const OutsideSignIn = Shared('OutsideSignIn', {
  access_token: AccessToken,
  login: SignIn.properties.login,
  password: RawText(128),
  second_factor: Type.Optional(FactorCode),
})
export type OutsideSignIn = Static<typeof OutsideSignIn>

export const LinkedToken = Shared('LinkedToken', {
  ...TokenView.properties,
  initial_password: Type.Boolean(),
})
export type LinkedToken = Static<typeof LinkedToken>

export const Departed = Shared('Departed', { url: Type.String(), verification: Type.String() })

export const Returned = Shared('Returned', {
  code: Text(4096),
  state: Text(512),
  iss: Type.Optional(Text(2000)),
  verification: Text(4096),
})
export type Returned = Static<typeof Returned>

export class ProviderAway extends Error {}
