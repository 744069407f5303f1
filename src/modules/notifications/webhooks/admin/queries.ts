import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type Db, ifGiven, listingClause, type Row } from '#platform/database'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Flag,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
} from '#platform/http'
import type { Attempt } from '../queries.ts'

export const addressNotPublic = fieldError(
  'url',
  'address_not_public',
  'The url field must be a public address.',
  '网址必须是公网地址。',
)
export const webhookDisabled = apiError(
  422,
  'webhook_disabled',
  'This endpoint is disabled.',
  '该回调地址已停用。',
)

export const WebhookParams = Type.Object({ webhook: Id })
export const DeliveryParams = Type.Object({ webhook: Id, delivery: Id })

const fields = {
  url: Text(2000, { minLength: 1 }),
  description: Text(500, { 'x-empty': true }),
  types: Nullable(TextList(100, 100)),
  enabled: Flag(),
}

export const WebhookInput = Shared('NewWebhook', {
  url: fields.url,
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  enabled: Type.Optional(fields.enabled),
})

export const WebhookChanges = Shared('WebhookChanges', {
  url: Type.Optional(fields.url),
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  enabled: Type.Optional(fields.enabled),
})

export const WebhookView = Shared('Webhook', {
  id: Type.Integer(),
  url: Type.String(),
  description: Type.String(),
  types: Nullable(Type.Array(Type.String())),
  enabled: Type.Boolean(),
  failures: Type.Integer({ description: 'Failures since the last success' }),
  former_until: Nullable(Time),
  created_at: Time,
  updated_at: Time,
})

export const WebhookQuery = Type.Object({
  ...listingQuery(['id', 'url', 'failures']),
  enabled: Type.Optional(Flag()),
})
export type WebhookQuery = Static<typeof WebhookQuery>

export const CreatedWebhook = Shared('WebhookMade', { id: Type.Integer(), secret: Type.String() })
export const RotatedSecret = Shared('WebhookSecret', { secret: Type.String() })

const delivery = {
  id: Type.Integer(),
  key: Type.String({ description: 'The webhook-id by which receivers detect duplicates' }),
  type: Type.String(),
  status: Type.String({ description: 'pending, delivered, failed or cancelled' }),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Time),
  created_at: Time,
}

export const DeliveryItem = Shared('WebhookDelivery', delivery)

export const DeliveryView = Shared('WebhookDeliveryDetail', {
  ...delivery,
  body: Type.String({ description: 'Exact body of the request' }),
  log: Type.Array(
    Shared('WebhookAttempt', {
      at: Type.String(),
      status: Nullable(Type.Integer()),
      error: Nullable(Type.String()),
      ms: Type.Integer(),
      response: Type.String(),
    }),
  ),
})

const status = OneOf(['pending', 'delivered', 'failed', 'cancelled'] as const)
export const DeliveryQuery = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(status),
  type: Type.Optional(Text(100)),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const ReplayBody = Shared('WebhookReplay', {
  since: Text(40, { pattern: '^\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z?$' }),
})

export const Replayed = Shared('WebhookReplayed', { count: Type.Integer() })

export type WebhookRow = Row<
  'webhook_endpoints',
  | 'id'
  | 'url'
  | 'description'
  | 'types'
  | 'enabled'
  | 'failures'
  | 'former_until'
  | 'created_at'
  | 'updated_at'
>

type WebhookFields = Partial<Pick<WebhookRow, 'url' | 'description' | 'types' | 'enabled'>>

const columns = (sql: Db) => sql`
  id, url, description, types, enabled, failures,
  case when former_until > now() then former_until end as former_until, created_at, updated_at`

export function listWebhooks(sql: Db, { sort = 'id', order, q, enabled, ...page }: WebhookQuery) {
  const where = sql`
    where true ${ifGiven(sql, enabled, (value) => sql`and enabled = ${value}`)}
      ${ifGiven(sql, q, (part) => {
        const pattern = `%${escapeLike(part)}%`
        return sql`and (url ilike ${pattern} or description ilike ${pattern})`
      })}`
  const by = sort === 'id' ? undefined : sql(sort)
  return pageOf<WebhookRow>(
    sql,
    sql`select ${columns(sql)} from webhook_endpoints ${where}
      ${listingClause(sql, { order, ...page }, { id: sql`id`, by: by && sql`${by}`, from: sql`webhook_endpoints` })}`,
    sql`select count(*)::int as total from webhook_endpoints ${where}`,
  )
}

export async function findWebhook(sql: Db, id: number): Promise<WebhookRow | undefined> {
  const [row] = await sql<WebhookRow[]>`select ${columns(sql)} from webhook_endpoints where id = ${id}`
  return row
}

export async function insertWebhook(
  sql: Db,
  { url, description = '', types = null, enabled = true }: WebhookFields & { url: string },
  sealed: string,
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into webhook_endpoints (url, description, types, enabled, secret)
    values (${url}, ${description}, ${types}, ${enabled}, ${sealed}) returning id`
  return row.id
}

export async function updateWebhook(sql: Db, id: number, changes: WebhookFields): Promise<boolean> {
  const { url, description, types, enabled } = changes
  const rows = await sql`
    update webhook_endpoints set updated_at = now()
      ${ifGiven(sql, url, (value) => sql`, url = ${value}`)}
      ${ifGiven(sql, description, (value) => sql`, description = ${value}`)}
      ${ifGiven(sql, types, (value) => sql`, types = ${value}`)}
      ${ifGiven(sql, enabled, (value) => sql`, enabled = ${value}, failures = 0, paused_until = null`)}
    where id = ${id} returning 1`
  return rows.length > 0
}

/**
 * Replaces the endpoint's secret. For one day, deliveries carry signatures of both the old and the new
 * secret.
 */
export async function rotateSecret(sql: Db, id: number, sealed: string): Promise<boolean> {
  const rows = await sql`
    update webhook_endpoints set former_secret = secret, former_until = now() + interval '1 day',
      secret = ${sealed}, updated_at = now()
    where id = ${id} returning 1`
  return rows.length > 0
}

export async function deleteWebhook(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`delete from webhook_endpoints where id = ${id} returning 1`
  return rows.length > 0
}

type DeliveryRow = Row<'webhook_deliveries', 'id' | 'status' | 'attempts' | 'created_at'> &
  Row<'webhook_events', 'key' | 'type'> & { next_attempt_at: string | null }

const deliveryColumns = (sql: Db) => sql`
  d.id, v.key, v.type, d.status, d.attempts, d.created_at,
  case when d.status = 'pending' then d.next_attempt_at end as next_attempt_at`

export function listDeliveries(sql: Db, endpointId: number, query: DeliveryQuery) {
  const from = sql`
    from webhook_deliveries d join webhook_events v on v.id = d.event_id
    where d.endpoint_id = ${endpointId}
      ${ifGiven(sql, query.status, (status) => sql`and d.status = ${status}`)}
      ${ifGiven(sql, query.type, (type) => sql`and v.type = ${type}`)}
      ${ifGiven(sql, query.q, (part) => sql`and v.key like ${`%${escapeLike(part)}%`}`)}`
  return pageOf<DeliveryRow>(
    sql,
    sql`select ${deliveryColumns(sql)} ${from} ${listingClause(sql, query, { id: sql`d.id` })}`,
    sql`select count(*)::int as total ${from}`,
  )
}

export async function findDelivery(sql: Db, endpointId: number, id: number) {
  const [row] = await sql<(DeliveryRow & { body: string; log: Attempt[] })[]>`
    select ${deliveryColumns(sql)}, v.body, d.log
    from webhook_deliveries d join webhook_events v on v.id = d.event_id
    where d.id = ${id} and d.endpoint_id = ${endpointId}`
  return row
}

export const webhookView = (row: WebhookRow) => ({
  ...row,
  former_until: wireTimeOrNull(row.former_until),
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

export const deliveryView = <Row extends DeliveryRow>(row: Row) => ({
  ...row,
  next_attempt_at: wireTimeOrNull(row.next_attempt_at),
  created_at: wireTime(row.created_at),
})

export const summaryOf = ({ url, description, types, enabled }: WebhookRow) => ({
  url,
  description,
  types,
  enabled,
})
