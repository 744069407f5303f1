import { mountAdminCrud } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { noSuchAdvertisement } from '../errors.ts'
import { findAdvertisement } from '../queries.ts'
import { Advertisement, NewAdvertisement } from '../schema.ts'
import { addAdvertisement, changeAdvertisement, forgetAdvertising, removeAdvertisement } from '../service.ts'
import { advertisementView } from '../view.ts'
import { listAdvertisementRecords } from './queries.ts'
import { AdvertisementQuery } from './schema.ts'

/** The advertisements in the spaces of `GET /advertisingspace` (feeds-34). */
export function adminAdvertisingRoutes(server: Server, ctx: Context) {
  mountAdminCrud(server, ctx, {
    path: '/admin/advertising',
    tag: 'Admin: site',
    ability: 'admin: advertising',
    subject: 'advertising',
    entity: 'Advertisement',
    noun: 'an advertisement',
    item: Advertisement,
    query: AdvertisementQuery,
    body: NewAdvertisement,
    missing: noSuchAdvertisement,
    errors: [fileNotUsable],
    list: listAdvertisementRecords,
    find: findAdvertisement,
    view: async (rows) => rows.map((row) => advertisementView(ctx, row)),
    create: (tx, userId, body) => addAdvertisement(ctx, tx, userId, body),
    change: (tx, userId, row, body) => changeAdvertisement(ctx, tx, userId, row, body),
    remove: (tx, { id }) => removeAdvertisement(ctx, tx, id),
    afterCommit: () => forgetAdvertising(ctx),
  })
}
