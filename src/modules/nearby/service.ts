import { mapRadius, mapSpot, metersBetween, type Place } from '#lib/geo.ts'
import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { listPlacesAround, type PlaceRow } from './queries.ts'
import type { NearbyQuery, PersonNearby } from './schema.ts'

/** No page reaches beyond this many people. */
const FARTHEST = 10_000
/** Three digits of a degree are about a hundred meters. */
const rounded = (degrees: number) => Math.round(degrees * 1000) / 1000

/** The place as it is stored: near enough to be found, too coarse to be visited (nearby-1). */
export const coarsePlace = ({ longitude, latitude }: Place): Place => ({
  longitude: rounded(longitude),
  latitude: rounded(latitude),
})

/** The place, and where it lies seen from the other side of the date line if that is within reach. */
function centresOf(place: Place, meters: number): Place[] {
  const reach = (mapRadius(place, meters) * 180) / Math.PI
  const { longitude } = place
  if (longitude + reach > 180) return [place, { ...place, longitude: longitude - 360 }]
  if (longitude - reach < -180) return [place, { ...place, longitude: longitude + 360 }]
  return [place]
}

/** The distance on the map, which the index walks by, squared; the date line is no distance. */
function onMap(from: Place, to: Place): number {
  const [a, b] = [mapSpot(from), mapSpot(to)]
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

/** A page of people around a place, the nearest first. */
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
    // Pages follow the map, whose distances differ a little from true ones; inside a page the true ones count.
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
