import type { LocatedArea } from '#modules/areas/index.ts'
import type { FoundAddress } from './schema.ts'

const LEVELS = ['国家', '省', '市', '区县']

/** A located area in the form of the map service (nearby-4); the first of its path is the country. */
export const foundAddress = ({ path, longitude, latitude }: LocatedArea): FoundAddress => ({
  status: '1',
  info: 'OK',
  infocode: '10000',
  count: '1',
  geocodes: [
    {
      formatted_address: path.slice(path.length > 1 ? 1 : 0).join(''),
      province: path[1] ?? '',
      city: path[2] ?? '',
      district: path[3] ?? '',
      location: `${longitude},${latitude}`,
      level: LEVELS[path.length - 1] ?? '',
    },
  ],
})
