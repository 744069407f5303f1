import { mapRadius, mercatorPoint, metersBetween, type Place } from '#lib/geo.ts'
import { wireTime } from '#lib/time.ts'
import { noBlockBetween, userViews, withEnabledUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Int, Limit, Page, Shared, type Static, Text, Time, Type } from '#platform/http'

export const addressUnknown = apiError(
  404,
  'address_unknown',
  'The location of this address is unknown.',
  '未找到该地址的位置。',
)

const Longitude = Type.Number({ minimum: -180, maximum: 180, description: 'Degrees, positive to the east' })
const Latitude = Type.Number({ minimum: -90, maximum: 90, description: 'Degrees, positive to the north' })

export const PlaceBody = Shared('Place', { longitude: Longitude, latitude: Latitude })
export type PlaceBody = Static<typeof PlaceBody>

export const NearbyQuery = Type.Object({
  longitude: Longitude,
  latitude: Latitude,
  radius: Type.Optional(Int(0, 50_000, { default: 3000 })),
  limit: Limit(),
  page: Page,
})
export type NearbyQuery = Static<typeof NearbyQuery>

export const PlaceStored = Shared('PlaceStored', {
  message: Type.Array(Type.String()),
  _id: Type.String(),
})

/** Uses the field names of the map service that older servers called (nearby-2). */
export const PersonNearby = Shared('PersonNearby', {
  _id: Type.String(),
  _location: Type.String({ description: 'Longitude and latitude, separated by a comma' }),
  _name: Type.String(),
  _address: Type.String({ description: 'always empty' }),
  _province: Type.String({ description: 'always empty' }),
  _city: Type.String({ description: 'always empty' }),
  _district: Type.String({ description: 'always empty' }),
  _distance: Type.String({ description: 'Distance from the given location in meters' }),
  _image: Type.Array(Type.String(), { description: 'always empty' }),
  _createtime: Time,
  _updatetime: Time,
  user_id: Type.Integer(),
})
export type PersonNearby = Static<typeof PersonNearby>

export const AddressQuery = Type.Object({ address: Text(200) })

/** Uses the response format of the map service that older servers called (nearby-4). */
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
      location: Type.String({ description: 'Longitude and latitude, separated by a comma' }),
      level: Type.String(),
    }),
  ),
})
export type FoundAddress = Static<typeof FoundAddress>

const DAYS = 30

const spotOf = (sql: Db, place: Place) => {
  const { x, y } = mercatorPoint(place)
  return sql`point(${x}::float8, ${y}::float8)`
}

export const upsertPlace = (sql: Db, userId: number, place: Place) => sql`
  insert into user_places (user_id, longitude, latitude, spot)
  values (${userId}, ${place.longitude}, ${place.latitude}, ${spotOf(sql, place)})
  on conflict (user_id) do update set longitude = excluded.longitude, latitude = excluded.latitude,
    spot = excluded.spot, updated_at = excluded.updated_at`

export const deletePlace = (sql: Db, userId: number) => sql`delete from user_places where user_id = ${userId}`

export async function deleteOldPlaces(sql: Db, limit: number): Promise<number> {
  const { count } = await sql`
    delete from user_places where user_id in (
      select user_id from user_places where updated_at < now() - make_interval(days => ${DAYS}) limit ${limit}
    )`
  return count
}

export type PlaceRow = Row<'user_places', 'user_id' | 'longitude' | 'latitude' | 'created_at' | 'updated_at'>

/**
 * Lists users in the order of the index, roughly nearest first. Omits users who block the viewer or whom the
 * viewer blocks.
 */
const listPlacesAround = (
  sql: Db,
  place: Place,
  { meters, viewerId, limit }: { meters: number; viewerId: number; limit: number },
) => sql<PlaceRow[]>`
  select p.user_id, p.longitude, p.latitude, p.created_at, p.updated_at from user_places p
  ${withEnabledUser(sql, sql`p.user_id`)}
  where p.spot <@ circle(${spotOf(sql, place)}, ${mapRadius(place, meters)}::float8)
    and p.user_id <> ${viewerId} and p.updated_at > now() - make_interval(days => ${DAYS})
    ${noBlockBetween(sql, viewerId, sql`p.user_id`)}
  order by p.spot <-> ${spotOf(sql, place)}, p.user_id
  limit ${limit}`

const FARTHEST = 10_000
/** A thousandth of a degree is at most about 111 meters. */
const rounded = (degrees: number) => Math.round(degrees * 1000) / 1000

/** Rounds a location, so that it does not reveal a user's home (nearby-1). */
export const coarsePlace = ({ longitude, latitude }: Place): Place => ({
  longitude: rounded(longitude),
  latitude: rounded(latitude),
})

/** Returns the location, and its copy beyond the date line if the radius crosses that line. */
function centresOf(place: Place, meters: number): Place[] {
  const reach = (mapRadius(place, meters) * 180) / Math.PI
  const { longitude } = place
  if (longitude + reach > 180) return [place, { ...place, longitude: longitude - 360 }]
  if (longitude - reach < -180) return [place, { ...place, longitude: longitude + 360 }]
  return [place]
}

/** Squared distance on the Mercator map. Sorts places in the order of the index, also across the date line. */
function onMap(from: Place, to: Place): number {
  const [a, b] = [mercatorPoint(from), mercatorPoint(to)]
  const across = Math.abs(a.x - b.x)
  return Math.min(across, 2 * Math.PI - across) ** 2 + (a.y - b.y) ** 2
}

function personNearby(row: PlaceRow, name: string, from: Place): PersonNearby {
  return {
    _id: String(row.user_id),
    _location: `${row.longitude},${row.latitude}`,
    _name: name,
    _address: '',
    _province: '',
    _city: '',
    _district: '',
    _distance: String(Math.round(metersBetween(from, row))),
    _image: [],
    _createtime: wireTime(row.created_at),
    _updatetime: wireTime(row.updated_at),
    user_id: row.user_id,
  }
}

export async function findPeopleNearby(
  ctx: Context,
  viewerId: number,
  { radius: meters = 3000, limit = 15, page = 1, ...place }: NearbyQuery,
): Promise<PersonNearby[]> {
  const end = page * limit
  if (end > FARTHEST) return []
  const found = await Promise.all(
    centresOf(place, meters).map((centre) =>
      listPlacesAround(ctx.sql, centre, { meters, viewerId, limit: end }),
    ),
  )
  const rows = found
    .flat()
    .filter((row) => metersBetween(place, row) <= meters)
    .sort((a, b) => onMap(place, a) - onMap(place, b) || a.user_id - b.user_id)
    .slice(end - limit, end)
    // Sorts the page by meters, because map distances give a slightly different order.
    .sort((a, b) => metersBetween(place, a) - metersBetween(place, b) || a.user_id - b.user_id)
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.map((row) => row.user_id),
    viewerId,
  )
  return rows.flatMap((row) => {
    const name = people.get(row.user_id)?.name
    return name === undefined ? [] : [personNearby(row, name, place)]
  })
}
