import { apiError } from '#platform/errors.ts'

export const nothingToAppeal = apiError(
  422,
  'nothing_to_appeal',
  'Nothing is in force against which you could appeal.',
  '没有可申诉的处罚。',
)
export const appealOpen = apiError(
  422,
  'appeal_open',
  'An appeal of yours is being looked at already.',
  '你已有一个申诉正在处理中。',
)
export const appealDecided = apiError(
  422,
  'appeal_decided',
  'This appeal has been decided already.',
  '该申诉已被处理。',
)
