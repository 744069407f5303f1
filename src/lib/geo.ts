export type Place = { latitude: number; longitude: number }

const DEGREES = 0.2
const ROWS = 180 / DEGREES
const COLUMNS = 360 / DEGREES
const KM_PER_DEGREE = 111.32

const rowOf = (latitude: number) => Math.min(ROWS - 1, Math.max(0, Math.floor((latitude + 90) / DEGREES)))
const columnOf = (longitude: number) => Math.floor((longitude + 180) / DEGREES)
const around = (column: number) => ((column % COLUMNS) + COLUMNS) % COLUMNS

export const geoCell = ({ latitude, longitude }: Place): number =>
  rowOf(latitude) * COLUMNS + around(columnOf(longitude))

export function geoCellsAround({ latitude, longitude }: Place, km: number): number[] {
  const height = km / KM_PER_DEGREE
  const farthest = Math.min(90, Math.abs(latitude) + height)
  // Degrees of longitude shrink towards the poles.
  const width = Math.min(180, height / Math.max(Math.cos((farthest * Math.PI) / 180), 1e-6))
  const first = columnOf(longitude - width)
  const columns = Math.min(COLUMNS, columnOf(longitude + width) - first + 1)
  const cells: number[] = []
  for (let row = rowOf(latitude - height); row <= rowOf(latitude + height); row += 1)
    for (let n = 0; n < columns; n += 1) cells.push(row * COLUMNS + around(first + n))
  return cells
}

const EARTH_METERS = 6_371_000
/** Maximum latitude, because a Mercator map cannot show the poles. */
const EDGE = 89
const radians = (degrees: number) => (degrees * Math.PI) / 180
const clamped = (latitude: number) => Math.min(EDGE, Math.max(-EDGE, latitude))

/** Projects a location to a Mercator map. The scale of such a map is the same in every direction. */
export const mercatorPoint = ({ latitude, longitude }: Place): { x: number; y: number } => ({
  x: radians(longitude),
  y: Math.log(Math.tan(Math.PI / 4 + radians(clamped(latitude)) / 2)),
})

export function mapRadius({ latitude }: Place, meters: number): number {
  const farthest = clamped(Math.abs(latitude) + (meters / EARTH_METERS) * (180 / Math.PI))
  return meters / (EARTH_METERS * Math.cos(radians(farthest)))
}

export function metersBetween(from: Place, to: Place): number {
  const [a, b] = [radians(from.latitude), radians(to.latitude)]
  const h =
    Math.sin((b - a) / 2) ** 2 +
    Math.cos(a) * Math.cos(b) * Math.sin(radians(to.longitude - from.longitude) / 2) ** 2
  return 2 * EARTH_METERS * Math.asin(Math.sqrt(Math.min(1, h)))
}
