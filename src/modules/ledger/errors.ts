import { apiError, fieldError } from '#platform/errors.ts'

/** 403: the balance is smaller than what is to be paid. */
export const notEnough = apiError(403, 'insufficient_balance', 'Your balance is not enough.', '余额不足。')

/** The same as a 422 on the field that says how much. */
export const notEnoughFor = (field: string) =>
  fieldError(field, 'insufficient_balance', 'Your balance is not enough.', '余额不足。')

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
