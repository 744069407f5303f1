import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { geoCell, geoCellsAround, type Place } from '#lib/geo.ts'

const KM = 20
const rad = (degrees: number) => (degrees * Math.PI) / 180

function away({ latitude, longitude }: Place, km: number, bearing: number): Place {
  const d = km / 6371
  const lat = Math.asin(
    Math.sin(rad(latitude)) * Math.cos(d) + Math.cos(rad(latitude)) * Math.sin(d) * Math.cos(bearing),
  )
  const lon =
    rad(longitude) +
    Math.atan2(
      Math.sin(bearing) * Math.sin(d) * Math.cos(rad(latitude)),
      Math.cos(d) - Math.sin(rad(latitude)) * Math.sin(lat),
    )
  const degrees = (lon * 180) / Math.PI
  return { latitude: (lat * 180) / Math.PI, longitude: ((((degrees + 180) % 360) + 360) % 360) - 180 }
}

test('covers every location within the search distance with map squares', () => {
  const place = fc.record({
    latitude: fc.double({ min: -89.9, max: 89.9, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  })
  fc.assert(
    fc.property(
      place,
      fc.double({ min: 0, max: KM * 0.99, noNaN: true }),
      fc.double({ min: 0, max: 6.28, noNaN: true }),
      (from, km, bearing) => {
        assert.ok(geoCellsAround(from, KM).includes(geoCell(away(from, km, bearing))))
      },
    ),
    { numRuns: 500 },
  )
})

test('covers the search area around a city with at most 12 map squares', () => {
  assert.ok(geoCellsAround({ latitude: 30.5, longitude: 114.3 }, KM).length <= 12)
})

test('assigns longitudes 180 and -180 to the same map square', () => {
  assert.equal(geoCell({ latitude: 0, longitude: 180 }), geoCell({ latitude: 0, longitude: -180 }))
})
