import { apiError, invalidField } from '#platform/errors.ts'

export const noSuchSpace = apiError(404, 'no_such_space', 'There is no such space.', '广告位不存在。')
export const noSuchAdvertisement = apiError(
  404,
  'no_such_advertisement',
  'There is no such advertisement.',
  '广告不存在。',
)

export const unknownSpace = () =>
  invalidField('space_id', { en: 'There is no such space.', zh: '广告位不存在。' })

export const wrongType = () =>
  invalidField('type', { en: 'This space does not take this type.', zh: '该广告位不支持此类型的广告。' })

export const missingData = (field: string) =>
  invalidField(`data.${field}`, {
    en: `The data.${field} field is required for this type.`,
    zh: `此类型的广告必须填写 data.${field}。`,
  })

export const notAnAddress = (field: string) =>
  invalidField(`data.${field}`, {
    en: `The data.${field} field must be an http or https address.`,
    zh: `data.${field} 必须是 http 或 https 地址。`,
  })
