import type { StoredNode } from '#modules/files/index.ts'
import { apiError, invalidField } from '#platform/errors.ts'
import { Id, IdList, Int, MAX_ID, OpenObject, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noSuchSpace = apiError(404, 'no_such_space', 'This space does not exist.', '广告位不存在。')
export const noSuchAdvertisement = apiError(
  404,
  'no_such_advertisement',
  'This advertisement does not exist.',
  '广告不存在。',
)

export const unknownSpace = () =>
  invalidField('space_id', { en: 'This space does not exist.', zh: '广告位不存在。' })

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

/** A position in the client that shows advertisements. */
export const AdvertisingSpace = Shared('AdvertisingSpace', {
  id: Type.Integer(),
  channel: Type.String(),
  space: Type.String(),
  alias: Type.String(),
  allow_type: Type.String({ description: 'Types of advertisements, separated by commas' }),
  format: OpenObject,
  created_at: Time,
  updated_at: Time,
})
export type AdvertisingSpace = Static<typeof AdvertisingSpace>

export const Advertisement = Shared('Advertisement', {
  id: Type.Integer(),
  space_id: Type.Integer(),
  title: Type.String(),
  type: Type.String(),
  data: OpenObject,
  sort: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export type Advertisement = Static<typeof Advertisement>

export const SpaceParams = Type.Object({ space: Id })
export const SpacesQuery = Type.Object({ space: Type.Optional(IdList()) })

const Picture = Text(2000, { description: 'An address, or the node of a picture you stored' })

/** The content of an advertisement. Its type decides which fields apply. */
export const AdvertisingData = Shared('AdvertisingData', {
  image: Type.Optional(Picture),
  avatar: Type.Optional(Picture),
  link: Type.Optional(Text(2000)),
  name: Type.Optional(Text(100)),
  title: Type.Optional(Text(255)),
  from: Type.Optional(Text(100)),
  content: Type.Optional(Text(2000)),
  time: Type.Optional(Text(19, { pattern: '^\\d{4}-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d)?$' })),
})
export type AdvertisingData = Static<typeof AdvertisingData>

export const NewAdvertisement = Shared('NewAdvertisement', {
  space_id: Int(1, MAX_ID),
  title: Text(100),
  type: Text(50),
  data: AdvertisingData,
  sort: Type.Optional(Int(0, 1_000_000, { default: 0 })),
})
export type NewAdvertisement = Static<typeof NewAdvertisement>

/** The stored data: texts and file nodes. */
export type StoredData = { [Field in keyof AdvertisingData]?: string | StoredNode }
