import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, listingClause, listingOrder, transaction } from '#platform/database'
import type { DeclaredError } from '#platform/errors.ts'
import {
  Created,
  Empty,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  type TProperties,
  Type,
} from '#platform/http'
import type { PinOptions } from '../pin-kinds.ts'
import { stateNow } from '../queries.ts'
import { Days, notPinned, PIN_STATES, pinDecidedBefore, pinnedAlready } from '../schema.ts'
import { cancelPin, pinForFree, settlePin } from '../service.ts'

const AdminPinParams = Type.Object({ pinned: Id })

const AdminPinQuery = Type.Object({
  ...listingQuery(['id', 'amount', 'expires_at'] as const),
  state: Type.Optional(OneOf(PIN_STATES)),
  user: Type.Optional(Id),
})
type AdminPinQuery = Static<typeof AdminPinQuery>

const fields = {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Applicant' }),
  user: Shared('PinApplicant', { id: Type.Integer(), name: Type.String() }),
  amount: Type.Integer({ description: 'Total points for all days' }),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}
type AdminPin = Static<ReturnType<typeof Type.Object<typeof fields>>>

const AdminPin = (title: string, shown: TProperties) => Shared(title, { ...fields, ...shown })

const PinDecision = Shared('PinDecision', { action: OneOf(['accept', 'reject'] as const) })

type PinnedContent = {
  channel: string
  /** Columns of the content's table, aliased `t`. They are null after the content's row is deleted. */
  columns(sql: Db): Fragment
  table(sql: Db): Fragment
  text(sql: Db): Fragment
}

const columns = (sql: Db, content: PinnedContent) => sql`
  p.id, p.user_id, json_build_object('id', u.id, 'name', u.name) as user, ${content.columns(sql)}, p.amount, p.day,
  ${stateNow(sql)} as state, p.expires_at, p.decided_by, p.decided_at, p.created_at, p.updated_at`

const from = (sql: Db, content: PinnedContent) => sql`
  from pins p join users u on u.id = p.user_id left join ${content.table(sql)} on t.id = p.target_id`

/** Joins users and content only to the pins of the page. A search for `q` also joins the content to all pins. */
function listPins(sql: Db, content: PinnedContent, query: AdminPinQuery, targetId: number | undefined) {
  const { sort = 'id', q, state, user } = query
  const contains = (part: string) => {
    const like = `%${escapeLike(part)}%`
    return sql`and (p.user_id in (select id from users where name ilike ${like}) or ${content.text(sql)} ilike ${like})`
  }
  const where = sql`
    where p.channel = ${content.channel}
      ${ifGiven(sql, state, (value) => sql`and ${stateNow(sql)} = ${value}`)}
      ${ifGiven(sql, user, (value) => sql`and p.user_id = ${value}`)}
      ${ifGiven(sql, targetId, (value) => sql`and p.target_id = ${value}`)}
      ${ifGiven(sql, q, contains)}`
  // Sorts pins without an expiry as if they expired last.
  const expiry = sql`coalesce(p.expires_at, 'infinity')`
  const by = { id: undefined, amount: sql`p.amount`, expires_at: expiry }[sort]
  const list = { id: sql`p.id`, by, from: sql`pins p` }
  const searched =
    q === undefined ? list.from : sql`pins p left join ${content.table(sql)} on t.id = p.target_id`
  return pageOf<AdminPin>(
    sql,
    sql`select ${columns(sql, content)} ${from(sql, content)}
      where p.id = any(array(select p.id from ${searched} ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from ${searched} ${where}`,
  )
}

async function findAdminPin(sql: Db, content: PinnedContent, id: number): Promise<AdminPin | undefined> {
  const [row] = await sql<AdminPin[]>`
    select ${columns(sql, content)} ${from(sql, content)} where p.id = ${id} and p.channel = ${content.channel}`
  return row
}

type AdminPinOptions = {
  /** Name of the content in paths, queries and bodies, such as `feed` in `/admin/feed-pinneds`. */
  param: string
  plural: string
  tag: string
  ability: string
  pins: PinOptions
  rows: Omit<PinnedContent, 'channel'>
  shown: TProperties
  missing: (() => Error) & DeclaredError
}

const view = (pin: AdminPin): AdminPin => ({
  ...pin,
  expires_at: wireTimeOrNull(pin.expires_at),
  decided_at: wireTimeOrNull(pin.decided_at),
  created_at: wireTime(pin.created_at),
  updated_at: wireTime(pin.updated_at),
})

export function mountAdminPins(server: Server, ctx: Context, options: AdminPinOptions): void {
  const { sql } = ctx
  const { param, plural, pins, missing } = options
  const { noun } = pins
  const rows = { ...options.rows, channel: pins.channel }
  const path = `/admin/${param}-pinneds`
  const { tag, ability } = options
  const access = { ability }
  const route = routesOn(server, ctx, { tag })
  const named = (input: unknown) => (input as { [param: string]: number | undefined })[param]

  const { get } = mountAdminRecords(server, ctx, {
    path,
    tag,
    ability,
    subject: 'pins',
    action: `${param}-pinneds`,
    entity: `${noun}Pin`,
    noun: `a pin of one of the ${plural}`,
    nouns: `pins of ${plural} and requests for them`,
    param: 'pinned',
    item: AdminPin(`Admin${noun}Pin`, options.shown),
    query: Type.Object({ ...AdminPinQuery.properties, [param]: Type.Optional(Id) }),
    list: (sql, query) => listPins(sql, rows, query as AdminPinQuery, named(query)),
    find: (sql, id) => findAdminPin(sql, rows, id),
    view: async (pins) => pins.map(view),
    decide: {
      summary: 'Accept a pin request, or reject and refund it, once; the requester is notified',
      body: PinDecision,
      errors: [pinDecidedBefore],
      idempotent: true,
      async run(tx, by, { id }, { action }) {
        const accept = action === 'accept'
        const { state, amount, expires_at } = await settlePin(tx, pins, id, {
          accept,
          by,
          handled: pinDecidedBefore,
        })
        return { after: { state, amount, expires_at } }
      },
    },
  })

  route(`POST ${path}`, {
    operationId: `adminPin${noun}`,
    summary: `Pin one of the ${plural} for free, or extend its pin`,
    access,
    body: Shared(`Admin${noun}PinForFree`, { [param]: Id, day: Days }),
    reply: { 201: Created },
    errors: [missing, pinnedAlready],
    handler: async (call) => {
      const { day } = call.body as { day: number }
      const contentId = named(call.body)!
      const by = call.viewer.id
      const subject = await pins.find(sql, { [param]: contentId }, by)
      if (!subject) throw missing()
      return transaction(sql, async (tx) => {
        const pin = await pinForFree(tx, pins, subject, { day, by })
        await recordAudit(tx, call, {
          action: `${param}-pinneds.create`,
          subjectType: 'pins',
          subjectId: pin.id,
          after: { [param]: contentId, day, expires_at: pin.expires_at },
        })
        return { id: pin.id }
      })
    },
  })

  route(`DELETE ${path}/:pinned`, {
    operationId: `adminEnd${noun}Pin`,
    summary: 'End a pin, or cancel and refund a pending request',
    access,
    params: AdminPinParams,
    reply: { 204: Empty },
    errors: [notPinned],
    load: ({ params }) => get(params.pinned),
    idempotent: true,
    handler: (call) => {
      const { id, state, amount } = call.loaded
      return call.atomically(async (tx) => {
        if ((await cancelPin(tx, id)) === 0) throw notPinned()
        await recordAudit(tx, call, {
          action: `${param}-pinneds.delete`,
          subjectType: 'pins',
          subjectId: id,
          before: { state, amount },
          after: { state: 'cancelled' },
        })
      })
    },
  })
}
