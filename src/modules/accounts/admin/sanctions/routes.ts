import { mayDoMore } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty } from '#platform/schema.ts'
import { sanctionedAlready, sanctionedOneself, sanctionOver } from '../../sanctions/errors.ts'
import { findSanction, listSanctions } from '../../sanctions/queries.ts'
import { Sanction, SanctionInput, SanctionParams, SanctionQuery } from '../../sanctions/schema.ts'
import { impose, lift } from '../../sanctions/service.ts'
import { sanctionView } from '../../sanctions/view.ts'
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
    summary: 'Warn, silence or suspend a person, who is told why and until when',
    access,
    params: UserParams,
    body: SanctionInput,
    reply: { 201: Created },
    errors: [mayDoMore, sanctionedOneself, sanctionedAlready],
    load: async ({ params }) => {
      if (!(await findManagedUser(ctx.sql, params.user))) throw notFound()
    },
    handler: async (call) => {
      const { id, after } = await transaction(ctx.sql, (tx) =>
        impose(ctx, tx, call, call.params.user, call.body),
      )
      after()
      return { id }
    },
  })

  route('DELETE /admin/sanctions/:sanction', {
    operationId: 'adminLiftSanction',
    summary: 'Lift what is in force, or take a warning back; the person is told',
    access,
    params: SanctionParams,
    reply: { 204: Empty },
    errors: [sanctionOver],
    load: get,
    handler: async (call) => {
      const after = await transaction(ctx.sql, (tx) => lift(ctx, tx, call, call.params.sanction))
      if (!after) throw sanctionOver()
      after()
    },
  })
}
