import { Int, Limit, Page, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

const Longitude = Type.Number({ minimum: -180, maximum: 180, description: 'degrees, east is positive' })
const Latitude = Type.Number({ minimum: -90, maximum: 90, description: 'degrees, north is positive' })

/** Where somebody is. */
export const PlaceBody = Shared('Place', { longitude: Longitude, latitude: Latitude })
export type PlaceBody = Static<typeof PlaceBody>

/** From where one looks, and how far: `radius` in meters. */
export const NearbyQuery = Type.Object({
  longitude: Longitude,
  latitude: Latitude,
  radius: Type.Optional(Int(0, 50_000, { default: 3000 })),
  limit: Limit(),
  page: Page,
})
export type NearbyQuery = Static<typeof NearbyQuery>

/** A success that also names the stored place, as earlier clients expect. */
export const PlaceStored = Shared('PlaceStored', {
  message: Type.Array(Type.String()),
  _id: Type.String(),
})

/** Somebody nearby, with the names of fields that the map service of earlier servers gave them (nearby-2). */
export const PersonNearby = Shared('PersonNearby', {
  _id: Type.String(),
  _location: Type.String({ description: 'longitude and latitude with a comma between' }),
  _name: Type.String(),
  _address: Type.String({ description: 'always empty' }),
  _province: Type.String({ description: 'always empty' }),
  _city: Type.String({ description: 'always empty' }),
  _district: Type.String({ description: 'always empty' }),
  _distance: Type.String({ description: 'meters from where one looks' }),
  _image: Type.Array(Type.String(), { description: 'always empty' }),
  _createtime: Time,
  _updatetime: Time,
  user_id: Type.Integer(),
})
export type PersonNearby = Static<typeof PersonNearby>

export const AddressQuery = Type.Object({ address: Text(200) })

/** Where an address is, in the form of the map service that earlier servers asked (nearby-4). */
export const FoundAddress = Shared('FoundAddress', {
  status: Type.String(),
  info: Type.String(),
  infocode: Type.String(),
  count: Type.String(),
  geocodes: Type.Array(
    Shared('Geocode', {
      formatted_address: Type.String(),
      province: Type.String(),
      city: Type.String(),
      district: Type.String(),
      location: Type.String({ description: 'longitude and latitude with a comma between' }),
      level: Type.String(),
    }),
  ),
})
export type FoundAddress = Static<typeof FoundAddress>
