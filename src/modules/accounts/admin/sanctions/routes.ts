import { beyondOwnAbilities } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { Created, Empty, Listing, routesOn, type Server } from '#platform/http'
import { findSanction, listSanctions } from '../../sanctions/queries.ts'
import {
  alreadySanctioned,
  cannotSanctionOneself,
  Sanction,
  SanctionInput,
  SanctionParams,
  SanctionQuery,
  sanctionOver,
} from '../../sanctions/schema.ts'
import { imposeSanction, lift, sanctionView } from '../../sanctions/service.ts'
import { UserParams } from '../../users/schema.ts'
import { findManagedUser } from '../queries.ts'

/** Warnings, silences and suspensions (administration-16). */
export function adminSanctionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: sanctions' }
  const get = async ({ params }: { params: { sanction: number } }) => {
    const row = await findSanction(ctx.sql, params.sanction)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/sanctions', {
    operationId: 'adminListSanctions',
    summary: 'List warnings, silences and suspensions',
    access,
    query: SanctionQuery,
    reply: { 200: Listing(Sanction) },
    handler: async ({ query }) => {
      const { data, total } = await listSanctions(ctx.sql, query)
      return { data: data.map(sanctionView), total }
    },
  })

  route('GET /admin/sanctions/:sanction', {
    operationId: 'adminGetSanction',
    summary: 'Read a sanction',
    access,
    params: SanctionParams,
    reply: { 200: Sanction },
    load: get,
    handler: ({ loaded }) => sanctionView(loaded),
  })

  route('POST /admin/users/:user/sanctions', {
    operationId: 'adminSanctionUser',
    summary: 'Warn, silence or suspend a person, with notification',
    access,
    params: UserParams,
    body: SanctionInput,
    reply: { 201: Created },
    errors: [beyondOwnAbilities, cannotSanctionOneself, alreadySanctioned],
    load: async ({ params }) => {
      if (!(await findManagedUser(ctx.sql, params.user))) throw notFound()
    },
    handler: async (call) => {
      const { id, after } = await transaction(ctx.sql, (tx) =>
        imposeSanction(ctx, tx, call, call.params.user, call.body),
      )
      await after()
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
    load: get,
    handler: async (call) => {
      const after = await transaction(ctx.sql, (tx) => lift(ctx, tx, call, call.params.sanction))
      if (!after) throw sanctionOver()
      await after()
    },
  })
}
