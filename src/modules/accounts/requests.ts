import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { replaceRoles } from '#modules/abilities/index.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { enqueueMessage, messageUser } from '#modules/mail/index.ts'
import { eraseConsents } from '#modules/pages/index.ts'
import { followFamous } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, type Row, type Tables, type Tx } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { addJob } from '#platform/jobs'
import { saveDisabled } from './identity/queries.ts'

const requestDecided = apiError(
  422,
  'already_decided',
  'This registration has already been decided.',
  '该注册申请已处理。',
)

type RequestState = 'waiting' | 'accepted' | 'rejected'
type RequestRow = Tables['registration_requests'] & { state: RequestState }

export const insertRequest = (sql: Db, userId: number, name: string, introduction: string | null) => sql`
  insert into registration_requests (user_id, name, introduction) values (${userId}, ${name}, ${introduction})`

export async function isWaiting(sql: Db, userId: number): Promise<boolean> {
  const [row] = await sql<[{ waiting: boolean }]>`
    select exists (
      select from registration_requests where user_id = ${userId} and state = 'waiting'
    ) as waiting`
  return row.waiting
}

async function decideRequest(
  sql: Db,
  of: { id?: number; userId?: number },
  { state, remark, decidedBy }: { state: RequestState; remark: string | null; decidedBy: number },
): Promise<{ user_id: number; name: string } | undefined> {
  const [row] = await sql<{ user_id: number; name: string }[]>`
    update registration_requests set state = ${state}, remark = ${remark}, decided_by = ${decidedBy}, decided_at = now()
    where state = 'waiting' and user_id is not null
      ${ifGiven(sql, of.id, (id) => sql`and id = ${id}`)} ${ifGiven(sql, of.userId, (id) => sql`and user_id = ${id}`)}
    returning user_id, name`
  return row
}

async function deleteNewcomer(sql: Db, userId: number): Promise<Row<'users', 'email' | 'phone'> | undefined> {
  const [row] = await sql<Row<'users', 'email' | 'phone'>[]>`
    delete from users where id = ${userId} returning email, phone`
  return row
}

const reasonOf = (remark: string | null) =>
  remark === null ? '' : { zh: `说明：${remark}`, en: ` Reason: ${remark}` }

type Decision = { decidedBy: number; remark: string | null }

export async function admit(
  ctx: Context,
  tx: Tx,
  of: { id?: number; userId?: number },
  { decidedBy, remark }: Decision,
): Promise<boolean> {
  const decided = await decideRequest(tx, of, { state: 'accepted', remark, decidedBy })
  if (!decided) return false
  const { user_id: id, name } = decided
  await saveDisabled(tx, [id], false)
  await followFamous(tx, id)
  await addJob(tx, 'user_created', { id })
  await publishEvent(ctx, tx, 'user.created', { id, name })
  await messageUser(ctx, tx, id, {
    mail: 'registration-accepted',
    values: { reason: reasonOf(remark) },
  })
  return true
}

/**
 * Deletes the rejected account, which frees its name, e-mail and phone. Returns false if no registration is
 * pending.
 */
async function rejectNewcomer(
  ctx: Context,
  tx: Tx,
  id: number,
  { decidedBy, remark }: Decision,
): Promise<boolean> {
  const decided = await decideRequest(tx, { id }, { state: 'rejected', remark, decidedBy })
  if (!decided) return false
  await replaceRoles(tx, decided.user_id, [])
  await eraseConsents(tx, decided.user_id)
  const contacts = await deleteNewcomer(tx, decided.user_id)
  if (contacts)
    await enqueueMessage(ctx, tx, contacts, {
      mail: 'registration-rejected',
      values: { reason: reasonOf(remark) },
    })
  return true
}

const STATES = ['waiting', 'accepted', 'rejected'] as const

/** `user_id`, `email` and `phone` are null after a rejection, which deletes the account. */
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

const RegistrationRequestQuery = Type.Object({
  ...listingQuery(['id']),
  order: Type.Optional(OneOf(['asc', 'desc'] as const, { default: 'asc' })),
  state: Type.Optional(OneOf(STATES, { default: 'waiting' })),
})
type RegistrationRequestQuery = Static<typeof RegistrationRequestQuery>

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

export function adminRequestRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/registrations',
    tag: 'Admin: people',
    ability: 'admin: registrations',
    subject: 'registrations',
    entity: 'Registration',
    noun: 'a registration request',
    nouns: 'registration requests, pending and oldest first; `q` searches names',
    param: 'registration',
    read: false,
    item: RegistrationRequest,
    query: RegistrationRequestQuery,
    list: listRequests,
    find: findRequest,
    view: async (rows) =>
      rows.map((row) => ({
        ...row,
        created_at: wireTime(row.created_at),
        decided_at: wireTimeOrNull(row.decided_at),
      })),
    decide: {
      summary: 'Accept or reject a registration request; the person is notified',
      body: RegistrationDecision,
      errors: [requestDecided],
      async run(tx, decidedBy, { id, name, user_id }, { action, remark = null }) {
        const decision = { decidedBy, remark }
        const isDone =
          action === 'accept'
            ? await admit(ctx, tx, { id }, decision)
            : await rejectNewcomer(ctx, tx, id, decision)
        if (!isDone) throw requestDecided()
        return { before: { name, user_id }, after: { remark } }
      },
    },
  })
}
