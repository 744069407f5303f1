import { apiError } from '#platform/errors.ts'

export const addressUnknown = apiError(
  404,
  'address_unknown',
  'Nothing here knows where this address is.',
  '未找到该地址的位置。',
)
