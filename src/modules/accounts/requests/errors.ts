import { apiError } from '#platform/errors.ts'

export const accountWaiting = apiError(
  403,
  'account_waiting',
  'Your registration waits for an administrator. You will be told what becomes of it.',
  '你的注册申请正在等待管理员审核，审核结果将通知你。',
)
export const requestDecided = apiError(
  422,
  'already_decided',
  'This registration was decided on already.',
  '该注册申请已处理。',
)
