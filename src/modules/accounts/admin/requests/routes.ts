import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { requestDecided } from '../../requests/errors.ts'
import { admit, turnAway } from '../../requests/service.ts'
import { findRequest, listRequests } from './queries.ts'
import {
  RegistrationDecision,
  RegistrationRequest,
  RegistrationRequestParams,
  RegistrationRequestQuery,
} from './schema.ts'

/** Who may join while newcomers need an approval (registration-8). */
export function adminRequestRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin: registrations' }

  route('GET /admin/registrations', {
    operationId: 'adminListRegistrations',
    summary: 'List who asked to join, those who wait and the oldest first; `q` is a part of the name',
    access,
    query: RegistrationRequestQuery,
    reply: { 200: Listing(RegistrationRequest) },
    handler: async ({ query }) => {
      const { data, total } = await listRequests(sql, query)
      const shown = data.map((row) => ({
        ...row,
        created_at: wireTime(row.created_at),
        decided_at: row.decided_at === null ? null : wireTime(row.decided_at),
      }))
      return { data: shown, total }
    },
  })

  route('PATCH /admin/registrations/:registration', {
    operationId: 'adminDecideRegistration',
    summary: 'Let somebody in who asked to join, or turn them away; they are told',
    access,
    params: RegistrationRequestParams,
    body: RegistrationDecision,
    reply: { 204: Empty },
    errors: [requestDecided],
    load: async ({ params }) => {
      const row = await findRequest(sql, params.registration)
      if (!row) throw notFound()
      return row
    },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { loaded: request, body } = call
        const { action, remark = null } = body
        const decision = { decidedBy: call.viewer.id, remark }
        const done =
          action === 'accept'
            ? await admit(ctx, tx, { id: request.id }, decision)
            : await turnAway(ctx, tx, request.id, decision)
        if (!done) throw requestDecided()
        await recordAudit(tx, call, {
          action: `registrations.${action}`,
          subjectType: 'registrations',
          subjectId: request.id,
          before: { name: request.name, user_id: request.user_id },
          after: { remark },
        })
      }),
  })
}
