import { mapRadius, mapSpot, type Place } from '#lib/geo.ts'
import { hasBlocked, notBlockedBy, withEnabledUser } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** How long a place is taken for true. */
const DAYS = 30

const spotOf = (sql: Db, place: Place) => {
  const { x, y } = mapSpot(place)
  return sql`point(${x}::float8, ${y}::float8)`
}

/** Notes where somebody is, for the first time or anew. */
export const upsertPlace = (sql: Db, userId: number, place: Place) => sql`
  insert into user_places (user_id, longitude, latitude, spot)
  values (${userId}, ${place.longitude}, ${place.latitude}, ${spotOf(sql, place)})
  on conflict (user_id) do update set longitude = excluded.longitude, latitude = excluded.latitude,
    spot = excluded.spot, updated_at = excluded.updated_at`

/** Forgets where somebody is. */
export const deletePlace = (sql: Db, userId: number) => sql`delete from user_places where user_id = ${userId}`

/** Forgets places that are too old to be true, at most `limit`; answers how many. */
export async function deleteOldPlaces(sql: Db, limit: number): Promise<number> {
  const { count } = await sql`
    delete from user_places where user_id in (
      select user_id from user_places where updated_at < now() - make_interval(days => ${DAYS}) limit ${limit}
    )`
  return count
}

export type PlaceRow = Row<'user_places', 'user_id' | 'longitude' | 'latitude' | 'created_at' | 'updated_at'>

/**
 * Other people's places around one, the nearest first, walked outwards through the index. Left out are people whom the
 * viewer blocks or who block the viewer.
 */
export const listPlacesAround = (
  sql: Db,
  place: Place,
  { meters, viewerId, limit }: { meters: number; viewerId: number; limit: number },
) => sql<PlaceRow[]>`
  select p.user_id, p.longitude, p.latitude, p.created_at, p.updated_at from user_places p
  ${withEnabledUser(sql, sql`p.user_id`)}
  where p.spot <@ circle(${spotOf(sql, place)}, ${mapRadius(place, meters)}::float8)
    and p.user_id <> ${viewerId} and p.updated_at > now() - make_interval(days => ${DAYS})
    ${notBlockedBy(sql, viewerId, sql`p.user_id`)} and not ${hasBlocked(sql, sql`p.user_id`, viewerId)}
  order by p.spot <-> ${spotOf(sql, place)}, p.user_id
  limit ${limit}`
