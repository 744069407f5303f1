import { escapeLike } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, type Row, transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Empty,
  Id,
  Listing,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { requestDecided } from '../../requests/errors.ts'
import type { RequestRow } from '../../requests/service.ts'
import { admit, turnAway } from '../../requests/service.ts'

const STATES = ['waiting', 'accepted', 'rejected'] as const

/** A registration request. E-mail and phone come from the account, which a rejection deletes. */
const RegistrationRequest = Shared('RegistrationRequest', {
  id: Type.Integer(),
  user_id: Nullable(Type.Integer()),
  name: Type.String(),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  introduction: Nullable(Type.String()),
  inviter_id: Nullable(Type.Integer()),
  state: OneOf(STATES),
  remark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})

/** Filters requests by state. Default: pending ones, oldest first. `q` is a part of the name. */
export const RegistrationRequestQuery = Type.Object({
  ...listingQuery(['id']),
  order: Type.Optional(OneOf(['asc', 'desc'] as const, { default: 'asc' })),
  state: Type.Optional(OneOf(STATES, { default: 'waiting' })),
})
export type RegistrationRequestQuery = Static<typeof RegistrationRequestQuery>

const RegistrationRequestParams = Type.Object({ registration: Id })

/** A decision with its reason for the applicant. */
const RegistrationDecision = Shared('RegistrationDecision', {
  action: OneOf(['accept', 'reject'] as const),
  remark: Type.Optional(Text(255)),
})

type ManagedRequestRow = RequestRow & Row<'users', 'email' | 'phone'> & { inviter_id: number | null }

const columns = (sql: Db) => sql`
  select r.*, u.email, u.phone, n.inviter_id from registration_requests r
  left join users u on u.id = r.user_id left join invitation_uses n on n.user_id = r.user_id`

function listRequests(sql: Db, { order = 'asc', state = 'waiting', q, ...page }: RegistrationRequestQuery) {
  const where = sql`
    where r.state = ${state} ${ifGiven(sql, q, (part) => sql`and r.name ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<ManagedRequestRow>(
    sql,
    sql`${columns(sql)} ${where} ${listingClause(sql, { order, ...page }, { id: sql`r.id` })}`,
    sql`select count(*)::int as total from registration_requests r ${where}`,
  )
}

async function findRequest(sql: Db, id: number): Promise<ManagedRequestRow | undefined> {
  const [row] = await sql<ManagedRequestRow[]>`${columns(sql)} where r.id = ${id}`
  return row
}

/** Registration requests while new accounts need approval (registration-8). */
export function adminRequestRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin: registrations' }

  route('GET /admin/registrations', {
    operationId: 'adminListRegistrations',
    summary: 'List registration requests, pending and oldest first; `q` searches names',
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
    summary: 'Accept or reject a registration request; the person is notified',
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
