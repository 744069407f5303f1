import { apiError, fieldError } from '#platform/errors.ts'

/** 403: the balance is smaller than what is to be paid. */
export const notEnough = apiError(403, 'insufficient_balance', 'Your balance is not enough.', '余额不足。')

/** The same as a 422 on the field that says how much. */
export const notEnoughFor = (field: string) =>
  fieldError(field, 'insufficient_balance', 'Your balance is not enough.', '余额不足。')

export const notEnoughAmount = notEnoughFor('amount')
export const notEnoughValue = notEnoughFor('value')

/** Something that the settings have switched off. */
export const switchedOff = apiError(
  403,
  'switched_off',
  'This is switched off on this site.',
  '本站未开放此功能。',
)

/** The result of a conversion is larger than one movement may be. */
export const tooMuch = fieldError('amount', 'amount_too_large', 'The amount is too large.', '金额过大。')

/** Somebody decided already. */
export const alreadyDecided = apiError(403, 'already_decided', 'This was decided already.', '该申请已处理。')

export const ownAccount = fieldError('user', 'own_account', 'You cannot pay yourself.', '不能给自己转账。')
export const unknownPerson = fieldError('user', 'no_such_user', 'There is no such person.', '用户不存在。')
/** The provider's number of a payment counts once. */
export const referenceUsed = fieldError(
  'reference',
  'payment_reference_used',
  'This payment was credited already.',
  '该笔支付已入账。',
)
