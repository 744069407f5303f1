import { escapeLike } from '#lib/text.ts'
import type { Attempt } from '#modules/notifications/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'

export type WebhookRow = {
  id: number
  url: string
  description: string
  types: string[] | null
  enabled: boolean
  failures: number
  former_until: string | null
  created_at: string
  updated_at: string
}

export type WebhookFields = {
  url?: string
  description?: string
  types?: string[] | null
  enabled?: boolean
}

type Paging = { page?: number; limit?: number; sort?: string; order?: 'asc' | 'desc'; q?: string }

const columns = (sql: Db) => sql`
  id, url, description, types, enabled, failures,
  case when former_until > now() then former_until end as former_until, created_at, updated_at`

export function listWebhooks(sql: Db, filter: Paging & { enabled?: boolean }) {
  const { page = 1, limit = 15, sort = 'id', order = 'desc', q, enabled } = filter
  const where = sql`
    where true ${enabled === undefined ? sql`` : sql`and enabled = ${enabled}`}
      ${q === undefined ? sql`` : sql`and (url ilike ${`%${escapeLike(q)}%`} or description ilike ${`%${escapeLike(q)}%`})`}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const first =
    sort === 'url' ? sql`url ${direction},` : sort === 'failures' ? sql`failures ${direction},` : sql``
  return pageOf<WebhookRow>(
    sql`select ${columns(sql)} from webhook_endpoints ${where}
      order by ${first} id ${direction} limit ${limit} offset ${(page - 1) * limit}`,
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

/** Changes what is given; enabling an endpoint forgets its failures. */
export async function updateWebhook(sql: Db, id: number, changes: WebhookFields): Promise<boolean> {
  const { url, description, types, enabled } = changes
  const rows = await sql`
    update webhook_endpoints set updated_at = now()
      ${url === undefined ? sql`` : sql`, url = ${url}`}
      ${description === undefined ? sql`` : sql`, description = ${description}`}
      ${types === undefined ? sql`` : sql`, types = ${types}`}
      ${enabled === undefined ? sql`` : sql`, enabled = ${enabled}, failures = 0, paused_until = null`}
    where id = ${id} returning 1`
  return rows.length > 0
}

/** Replaces the secret; the former one signs too for a day. */
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

export type DeliveryRow = {
  id: number
  key: string
  type: string
  status: string
  attempts: number
  next_attempt_at: string | null
  created_at: string
}

const deliveryColumns = (sql: Db) => sql`
  d.id, v.key, v.type, d.status, d.attempts, d.created_at,
  case when d.status = 'pending' then d.next_attempt_at end as next_attempt_at`

export function listDeliveries(
  sql: Db,
  endpointId: number,
  filter: Paging & { status?: string; type?: string },
) {
  const { page = 1, limit = 15, order = 'desc', q, status, type } = filter
  const from = sql`
    from webhook_deliveries d join webhook_events v on v.id = d.event_id
    where d.endpoint_id = ${endpointId}
      ${status === undefined ? sql`` : sql`and d.status = ${status}`}
      ${type === undefined ? sql`` : sql`and v.type = ${type}`}
      ${q === undefined ? sql`` : sql`and v.key like ${`%${escapeLike(q)}%`}`}`
  return pageOf<DeliveryRow>(
    sql`select ${deliveryColumns(sql)} ${from}
      order by d.id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit} offset ${(page - 1) * limit}`,
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
