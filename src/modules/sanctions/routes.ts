import { beyondOwnAbilities } from '#modules/abilities/index.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { accountExists, UserParams } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { accountErased, notFound } from '#platform/errors.ts'
import { Created, Empty, routesOn, type Server, Type } from '#platform/http'
import { findSanction, listSanctions, listSanctionsOf } from './queries.ts'
import {
  alreadySanctioned,
  cannotSanctionOneself,
  OwnSanction,
  OwnSanctionQuery,
  Sanction,
  SanctionInput,
  SanctionParams,
  SanctionQuery,
  sanctionOver,
} from './schema.ts'
import { imposeSanction, lift, ownSanctionView, sanctionView } from './service.ts'

export function sanctionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/sanctions', {
    operationId: 'listMySanctions',
    summary: 'List my warnings, silences and suspensions, newest first',
    access: 'user',
    query: OwnSanctionQuery,
    reply: { 200: Type.Array(OwnSanction) },
    handler: async ({ query, viewer }) =>
      (await listSanctionsOf(ctx.sql, viewer.id, query)).map(ownSanctionView),
  })
}

export function adminSanctionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: sanctions' }

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/sanctions',
    tag: 'Admin: moderation',
    ability: access.ability,
    subject: 'sanctions',
    entity: 'Sanction',
    noun: 'a sanction',
    nouns: 'warnings, silences and suspensions',
    param: 'sanction',
    item: Sanction,
    query: SanctionQuery,
    list: listSanctions,
    find: findSanction,
    view: async (rows) => rows.map(sanctionView),
  })

  route('POST /admin/users/:user/sanctions', {
    operationId: 'adminSanctionUser',
    summary: 'Warn, silence or suspend a person, with notification',
    access,
    params: UserParams,
    body: SanctionInput,
    reply: { 201: Created },
    errors: [accountErased, beyondOwnAbilities, cannotSanctionOneself, alreadySanctioned],
    load: async ({ params }) => {
      if (!(await accountExists(ctx.sql, params.user))) throw notFound()
    },
    handler: async (call) => {
      const id = await transaction(ctx.sql, (tx) =>
        imposeSanction(ctx, tx, call, call.params.user, call.body),
      )
      return { id }
    },
  })

  route('DELETE /admin/sanctions/:sanction', {
    operationId: 'adminLiftSanction',
    summary: 'Lift a sanction or withdraw a warning; the person is notified',
    access,
    params: SanctionParams,
    reply: { 204: Empty },
    errors: [sanctionOver],
    load: ({ params }) => get(params.sanction),
    handler: async (call) => {
      const isLifted = await transaction(ctx.sql, (tx) => lift(ctx, tx, call, call.params.sanction))
      if (!isLifted) throw sanctionOver()
    },
  })
}
