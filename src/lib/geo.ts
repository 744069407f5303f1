/** A place on earth, in degrees. */
export type Place = { latitude: number; longitude: number }

const DEGREES = 0.2
const ROWS = 180 / DEGREES
const COLUMNS = 360 / DEGREES
const KM_PER_DEGREE = 111.32

const rowOf = (latitude: number) => Math.min(ROWS - 1, Math.max(0, Math.floor((latitude + 90) / DEGREES)))
const columnOf = (longitude: number) => Math.floor((longitude + 180) / DEGREES)
const around = (column: number) => ((column % COLUMNS) + COLUMNS) % COLUMNS

/** The number of the square of the map that a place lies in. */
export const geoCell = ({ latitude, longitude }: Place): number =>
  rowOf(latitude) * COLUMNS + around(columnOf(longitude))

/** The squares that hold every place within `km` of this one, across the date line and the poles too. */
export function geoCellsAround({ latitude, longitude }: Place, km: number): number[] {
  const height = km / KM_PER_DEGREE
  const farthest = Math.min(90, Math.abs(latitude) + height)
  // Degrees of longitude shrink towards the poles, where all of them meet.
  const width = Math.min(180, height / Math.max(Math.cos((farthest * Math.PI) / 180), 1e-6))
  const first = columnOf(longitude - width)
  const columns = Math.min(COLUMNS, columnOf(longitude + width) - first + 1)
  const cells: number[] = []
  for (let row = rowOf(latitude - height); row <= rowOf(latitude + height); row += 1)
    for (let n = 0; n < columns; n += 1) cells.push(row * COLUMNS + around(first + n))
  return cells
}
