import type { Db } from '#platform/database'

export async function findSelectedTypes(sql: Db): Promise<(string[] | null)[]> {
  const rows = await sql<{ types: string[] | null }[]>`select types from webhook_endpoints where enabled`
  return rows.map(({ types }) => types)
}

export async function insertEvent(
  sql: Db,
  event: { key: string; type: string; body: string },
): Promise<void> {
  await sql`
    with made as (
      insert into webhook_events (key, type, body) values (${event.key}, ${event.type}, ${event.body})
      on conflict (key) do nothing returning id
    )
    select (graphile_worker.add_job('deliver_events', json_build_object('ids', json_agg(id)))).id
    from made having count(*) > 0`
}

export type Delivery = { id: number; endpoint_id: number }

export async function insertDeliveries(
  sql: Db,
  eventIds: number[],
  endpointId: number | null = null,
): Promise<Delivery[]> {
  return await sql<Delivery[]>`
    insert into webhook_deliveries (endpoint_id, event_id)
    select e.id, v.id from webhook_events v join webhook_endpoints e on e.enabled
      ${endpointId === null ? sql`and (e.types is null or v.type = any(e.types))` : sql`and e.id = ${endpointId}`}
    where v.id = any(${eventIds})
    order by v.id, e.id
    on conflict (event_id, endpoint_id) do nothing returning id, endpoint_id`
}

export type Claimed = {
  id: number
  endpoint_id: number
  attempts: number
  enabled: boolean
  paused: number
  url: string
  secret: string
  former_secret: string | null
  key: string
  body: string
}

/** Exceeds the longest delay of a retry. A later attempt comes from a database whose clock was ahead. */
const LONGEST_DELAY = '27 hours'
const PAUSE = '1 minute'

/** Claims a due delivery for two minutes, so that only one worker sends it. */
export async function claimDelivery(sql: Db, id: number): Promise<Claimed | undefined> {
  const [row] = await sql<Claimed[]>`
    update webhook_deliveries d set next_attempt_at = now() + interval '2 minutes'
    from webhook_endpoints e, webhook_events v
    where d.id = ${id} and d.status = 'pending'
      and d.next_attempt_at not between now() + interval '1 second' and now() + ${LONGEST_DELAY}::interval
      and e.id = d.endpoint_id and v.id = d.event_id
    returning d.id, d.endpoint_id, d.attempts, e.enabled, e.url, e.secret, v.key, v.body,
      case when e.former_until > now() then e.former_secret end as former_secret,
      case when e.paused_until <= now() + ${PAUSE}::interval
        then ceil(extract(epoch from e.paused_until - now())) else 0 end::int as paused`
  return row
}

export type Attempt = {
  at: string
  status: number | null
  error: string | null
  ms: number
  response: string
}

export async function recordAttempt(
  sql: Db,
  id: number,
  attempt: Attempt,
  outcome: { status: 'pending' | 'delivered' | 'failed'; delaySeconds: number },
): Promise<void> {
  await sql`
    update webhook_deliveries set status = ${outcome.status}, attempts = attempts + 1,
      next_attempt_at = now() + make_interval(secs => ${outcome.delaySeconds}),
      log = log || ${sql.json([attempt] as never)}::jsonb
    where id = ${id}`
}

export async function postponeDelivery(sql: Db, id: number, seconds: number): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now() + make_interval(secs => ${seconds}) where id = ${id}`
}

export async function cancelDelivery(sql: Db, id: number): Promise<void> {
  await sql`update webhook_deliveries set status = 'cancelled' where id = ${id}`
}

/**
 * Counts consecutive failures of an endpoint. From the fifth on, each failure pauses the endpoint for a minute. With
 * `gone`, disables the endpoint.
 */
export async function recordEndpoint(sql: Db, id: number, well: boolean, gone: boolean): Promise<void> {
  if (well)
    await sql`update webhook_endpoints set failures = 0, paused_until = null where id = ${id} and failures > 0`
  else
    await sql`
      update webhook_endpoints set failures = failures + 1, enabled = enabled and not ${gone},
        paused_until = case when failures >= 4 then now() + ${PAUSE}::interval end
      where id = ${id}`
}

/** Lists overdue deliveries, for example those that a worker had claimed when it crashed. */
export async function findOverdue(sql: Db, limit: number): Promise<Delivery[]> {
  return await sql<Delivery[]>`
    select id, endpoint_id from webhook_deliveries
    where status = 'pending' and next_attempt_at < now() - interval '1 minute'
    union all
    select id, endpoint_id from webhook_deliveries
    where status = 'pending' and next_attempt_at > now() + ${LONGEST_DELAY}::interval
    limit ${limit}`
}

export async function resetDeliveries(
  sql: Db,
  endpointId: number,
  which: { id: number } | { failedSince: string },
  limit: number,
): Promise<Delivery[]> {
  return await sql<Delivery[]>`
    update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
    where id in (
      select id from webhook_deliveries where endpoint_id = ${endpointId}
        ${
          'id' in which
            ? sql`and id = ${which.id}`
            : sql`and status in ('failed', 'cancelled') and created_at >= ${which.failedSince}::timestamptz`
        }
      order by id limit ${limit}
    )
    returning id, endpoint_id`
}

export async function deleteOldEvents(sql: Db, days: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from webhook_events where id in (
      select v.id from webhook_events v
      where v.created_at < now() - make_interval(days => ${days})
        and not exists (select from webhook_deliveries d where d.event_id = v.id and d.status = 'pending')
      order by v.created_at limit ${limit}
    )
    returning 1`
  return rows.length
}
