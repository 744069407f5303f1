import { apiError, fieldError } from '#platform/errors.ts'

export const noSuchProvider = apiError(
  404,
  'no_such_provider',
  'This site has no sign-in with this provider.',
  '本站未开启该第三方登录。',
)
export const notLinked = apiError(
  404,
  'not_linked',
  'This outside account belongs to nobody here yet.',
  '该第三方账号尚未绑定用户。',
)
export const notProven = fieldError(
  'access_token',
  'outside_account_not_proven',
  'The provider does not confirm this account.',
  '第三方账号验证失败。',
)
export const linkedToAnother = fieldError(
  'access_token',
  'linked_to_another',
  'This outside account belongs to somebody else already.',
  '该第三方账号已绑定其他用户。',
)
export const linkedAlready = fieldError(
  'access_token',
  'linked_already',
  'Another account of this provider is linked to you already.',
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
  'The provider does not answer. Try again later.',
  '第三方平台暂时无法访问，请稍后再试。',
)
