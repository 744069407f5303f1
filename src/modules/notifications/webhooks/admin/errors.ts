import { apiError, fieldError } from '#platform/errors.ts'

export const addressNotPublic = fieldError(
  'url',
  'address_not_public',
  'The url field must be a public address.',
  'url 必须是公网地址。',
)
export const webhookDisabled = apiError(
  422,
  'webhook_disabled',
  'This endpoint is disabled.',
  '该回调地址已停用。',
)
