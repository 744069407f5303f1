import { escapeLike } from '#lib/text.ts'
import { type Db, ifGiven, listingClause, type Row } from '#platform/database'
import { pageOf } from '#platform/http'
import type { Attempt } from '../queries.ts'
import type { DeliveryQuery, WebhookQuery } from './schema.ts'

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

export type WebhookFields = Partial<Pick<WebhookRow, 'url' | 'description' | 'types' | 'enabled'>>

const columns = (sql: Db) => sql`
  id, url, description, types, enabled, failures,
  case when former_until > now() then former_until end as former_until, created_at, updated_at`

/** Lists endpoints, paged. */
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

/** Inserts an endpoint with its sealed secret. Returns the id. */
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

/** Updates the given fields. Enabling an endpoint resets its failures. */
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

/** Replaces the secret. The former one also signs for a day. */
export async function rotateSecret(sql: Db, id: number, sealed: string): Promise<boolean> {
  const rows = await sql`
    update webhook_endpoints set former_secret = secret, former_until = now() + interval '1 day',
      secret = ${sealed}, updated_at = now()
    where id = ${id} returning 1`
  return rows.length > 0
}

/** Deletes an endpoint with its deliveries. Returns false when it does not exist. */
export async function deleteWebhook(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`delete from webhook_endpoints where id = ${id} returning 1`
  return rows.length > 0
}

export type DeliveryRow = Row<'webhook_deliveries', 'id' | 'status' | 'attempts' | 'created_at'> &
  Row<'webhook_events', 'key' | 'type'> & { next_attempt_at: string | null }

const deliveryColumns = (sql: Db) => sql`
  d.id, v.key, v.type, d.status, d.attempts, d.created_at,
  case when d.status = 'pending' then d.next_attempt_at end as next_attempt_at`

/** Lists deliveries of an endpoint, paged. */
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

/** Finds a delivery of an endpoint with its body and every attempt. */
export async function findDelivery(sql: Db, endpointId: number, id: number) {
  const [row] = await sql<(DeliveryRow & { body: string; log: Attempt[] })[]>`
    select ${deliveryColumns(sql)}, v.body, d.log
    from webhook_deliveries d join webhook_events v on v.id = d.event_id
    where d.id = ${id} and d.endpoint_id = ${endpointId}`
  return row
}
