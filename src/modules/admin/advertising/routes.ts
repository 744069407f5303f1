import {
  Advertisement,
  AdvertisementInput,
  addAdvertisement,
  advertisementView,
  changeAdvertisement,
  findAdvertisement,
  forgetAdvertising,
  noSuchAdvertisement,
  removeAdvertisement,
} from '#modules/advertising/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { recordRoutes } from '../records.ts'
import { listAdvertisementRecords } from './queries.ts'
import { AdvertisementQuery } from './schema.ts'

/** The advertisements in the spaces of `GET /advertisingspace`. */
export function adminAdvertisingRoutes(server: Server, ctx: Context) {
  recordRoutes(server, ctx, {
    path: '/admin/advertising',
    ability: 'admin: advertising',
    subject: 'advertising',
    noun: 'an advertisement',
    item: Advertisement,
    query: AdvertisementQuery,
    body: AdvertisementInput,
    missing: noSuchAdvertisement,
    list: listAdvertisementRecords,
    find: findAdvertisement,
    view: async (rows) => rows.map((row) => advertisementView(ctx, row)),
    create: (tx, userId, body) => addAdvertisement(ctx, tx, userId, body),
    change: (tx, userId, row, body) => changeAdvertisement(ctx, tx, userId, row, body),
    remove: (tx, { id }) => removeAdvertisement(ctx, tx, id),
    afterwards: () => forgetAdvertising(ctx),
  })
}
