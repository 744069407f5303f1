import type { StoredNode } from '#modules/files/index.ts'
import { Id, IdList, Int, MAX_ID, Open, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** Where clients show advertisements. */
export const AdvertisingSpace = Shared('AdvertisingSpace', {
  id: Type.Integer(),
  channel: Type.String(),
  space: Type.String(),
  alias: Type.String(),
  allow_type: Type.String({ description: 'Types of advertisements, separated by commas' }),
  format: Open,
  created_at: Time,
  updated_at: Time,
})
export type AdvertisingSpace = Static<typeof AdvertisingSpace>

export const Advertisement = Shared('Advertisement', {
  id: Type.Integer(),
  space_id: Type.Integer(),
  title: Type.String(),
  type: Type.String(),
  data: Open,
  sort: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export type Advertisement = Static<typeof Advertisement>

export const SpaceParams = Type.Object({ space: Id })
export const SpacesQuery = Type.Object({ space: Type.Optional(IdList()) })

const Picture = Text(2000, { description: 'An address, or the node of a picture you stored' })

/** What an advertisement shows; which fields count depends on its type. */
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

/** What an advertisement is made of. */
export const NewAdvertisement = Shared('NewAdvertisement', {
  space_id: Int(1, MAX_ID),
  title: Text(100),
  type: Text(50),
  data: AdvertisingData,
  sort: Type.Optional(Int(0, 1_000_000, { default: 0 })),
})
export type NewAdvertisement = Static<typeof NewAdvertisement>

/** The data as it is kept: texts, and stored nodes. */
export type StoredData = { [Field in keyof AdvertisingData]?: string | StoredNode }
