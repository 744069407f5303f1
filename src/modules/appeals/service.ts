import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { proveOutside, SignIn } from '#modules/accounts/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { lift, SANCTION_KINDS, type SanctionKind } from '#modules/sanctions/index.ts'
import type { Context } from '#platform/context.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  listingOrder,
  onConstraint,
  type Row,
  type Tables,
  transaction,
} from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  type CountAttempt,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export const nothingToAppeal = apiError(
  422,
  'nothing_to_appeal',
  'You have no active sanction to appeal.',
  '没有可申诉的处罚。',
)
export const appealOpen = apiError(
  422,
  'appeal_open',
  'You already have a pending appeal.',
  '你已有待处理的申诉。',
)
export const appealDecided = apiError(
  422,
  'appeal_decided',
  'This appeal has already been decided.',
  '该申诉已处理。',
)

const Contents = Text(2000, { minLength: 1 })

export const AppealInput = Shared('NewAppeal', { contents: Contents, sanction: Type.Optional(Id) })
export type AppealInput = Static<typeof AppealInput>

export const OutsideAppealInput = Shared('NewAppealOutside', { ...SignIn.properties, contents: Contents })
export type OutsideAppealInput = Static<typeof OutsideAppealInput>

const STATES = ['pending', 'accepted', 'rejected'] as const

export const Appeal = Shared('Appeal', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  name: Type.String(),
  contents: Type.String(),
  state: OneOf(STATES),
  answer: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  sanction: Shared('AppealedSanction', {
    id: Type.Integer(),
    kind: OneOf(SANCTION_KINDS),
    reason: Type.String(),
    imposed_by: Type.Integer(),
    ends_at: Nullable(Time),
    created_at: Time,
  }),
})
export type Appeal = Static<typeof Appeal>

export const AppealQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(STATES)),
  user: Type.Optional(Id),
})
export type AppealQuery = Static<typeof AppealQuery>

export const AppealParams = Type.Object({ appeal: Id })

export const AppealDecision = Shared('AppealDecision', {
  action: OneOf(['accept', 'reject'] as const),
  answer: Type.Optional(Text(1000)),
})
export type AppealDecision = Static<typeof AppealDecision>

/**
 * Finds the given sanction unless it was lifted or has expired. Without an id, finds the latest such sanction, and
 * prefers a silence or suspension to a warning.
 */
async function findAppealable(
  sql: Db,
  userId: number,
  sanction: number | undefined,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from sanctions
    where user_id = ${userId} and lifted_at is null and (ends_at is null or ends_at > now())
      ${ifGiven(sql, sanction, (id) => sql`and id = ${id}`)}
    order by kind = 'warning', id desc limit 1`
  return row?.id
}

/** The insert violates the constraint `appeals_open` if the user already has an open appeal. */
async function insertAppeal(
  sql: Db,
  appeal: { sanctionId: number; userId: number; contents: string },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into appeals (sanction_id, user_id, contents)
    values (${appeal.sanctionId}, ${appeal.userId}, ${appeal.contents}) returning id`
  return row.id
}

async function settleAppeal(
  sql: Db,
  id: number,
  decision: { state: 'accepted' | 'rejected'; answer: string | null; by: number },
): Promise<Tables['appeals'] | undefined> {
  const [row] = await sql<Tables['appeals'][]>`
    update appeals set state = ${decision.state}, answer = ${decision.answer}, decided_by = ${decision.by},
      decided_at = now()
    where id = ${id} and state = 'pending' returning *`
  return row
}

type AppealRow = Tables['appeals'] &
  Row<'users', 'name'> &
  Row<'sanctions', 'reason' | 'imposed_by' | 'ends_at'> & {
    state: Appeal['state']
    kind: SanctionKind
    imposed_at: Tables['sanctions']['created_at']
  }

const columns = (sql: Db) =>
  sql`a.*, u.name, s.kind, s.reason, s.imposed_by, s.ends_at, s.created_at as imposed_at`
const from = (sql: Db) =>
  sql`from appeals a join sanctions s on s.id = a.sanction_id join users u on u.id = a.user_id`

export function listAppeals(sql: Db, query: AppealQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.state, (state) => sql`and a.state = ${state}`)}
      ${ifGiven(sql, query.user, (id) => sql`and a.user_id = ${id}`)}
      ${ifGiven(sql, query.q, (part) => sql`and a.contents ilike ${`%${escapeLike(part)}%`}`)}`
  const list = { id: sql`a.id` }
  return pageOf<AppealRow>(
    sql,
    sql`select ${columns(sql)} ${from(sql)}
      where a.id = any(array(select a.id from appeals a ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from appeals a ${where}`,
  )
}

export async function findAppeal(sql: Db, id: number): Promise<AppealRow | undefined> {
  const [row] = await sql<AppealRow[]>`select ${columns(sql)} ${from(sql)} where a.id = ${id}`
  return row
}

export const appealsOf = (sql: Db, userId: number): Fragment => sql`
  select created_at as at, 'appeal-' || id as id, 'appeal' as event, user_id as by, 'appeals/' || id as subject,
    jsonb_build_object('sanction', sanction_id, 'contents', contents) as details
  from appeals where user_id = ${userId}`

export const appealView = (row: AppealRow): Appeal => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  contents: row.contents,
  state: row.state,
  answer: row.answer,
  decided_by: row.decided_by,
  decided_at: wireTimeOrNull(row.decided_at),
  created_at: wireTime(row.created_at),
  sanction: {
    id: row.sanction_id,
    kind: row.kind,
    reason: row.reason,
    imposed_by: row.imposed_by,
    ends_at: wireTimeOrNull(row.ends_at),
    created_at: wireTime(row.imposed_at),
  },
})

export async function appeal(db: Db, userId: number, { sanction, contents }: AppealInput): Promise<number> {
  const sanctionId = await findAppealable(db, userId, sanction)
  if (sanctionId === undefined) throw nothingToAppeal()
  return onConstraint(insertAppeal(db, { sanctionId, userId, contents }), { appeals_open: appealOpen })
}

export async function appealOutside(
  ctx: Context,
  countAttempt: CountAttempt,
  { contents, ...proof }: OutsideAppealInput,
): Promise<number> {
  const { id, hold } = await proveOutside(ctx, countAttempt, proof)
  return transaction(ctx.sql, async (tx) => {
    await hold(tx)
    return appeal(tx, id, { contents })
  })
}

export async function decideAppeal(
  ctx: Context,
  actor: Actor,
  id: number,
  { action, ...decision }: AppealDecision,
): Promise<void> {
  const answer = decision.answer ?? null
  await transaction(ctx.sql, async (tx) => {
    const state = action === 'accept' ? 'accepted' : 'rejected'
    const settled = await settleAppeal(tx, id, { state, answer, by: actor.viewer.id })
    if (!settled) throw appealDecided()
    const { user_id: userId, sanction_id: sanction } = settled
    await recordAudit(tx, actor, {
      action: `appeals.${action}`,
      subjectType: 'users',
      subjectId: userId,
      after: { appeal: id, sanction, answer },
    })
    if (action === 'accept') {
      await lift(ctx, tx, actor, sanction)
      return
    }
    await notify(tx, {
      type: 'system',
      recipients: [userId],
      senderId: 0,
      cause: { type: 'appeals', id },
      data: {
        type: 'sanction',
        state: 'rejected',
        ...(answer === null ? {} : { contents: answer }),
        resource: { type: 'users', id: userId },
      },
    })
  })
}
