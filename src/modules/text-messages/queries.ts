import type { Db } from '#platform/database'
import type { TextPurpose, TextReceipt } from '#platform/sms'

export type TextState = 'accepted' | 'delivered' | 'failed' | 'refused'

export type StoredText = {
  service: string
  reference: string | null
  purpose: TextPurpose
  country: string
  ending: string
  state: TextState
  fault: string | null
}

/** Stores a message. A report that came before keeps its state. */
export const saveText = (sql: Db, text: StoredText) => sql`
  insert into text_messages (service, service_reference, purpose, country, number_ending, state, fault)
  values (${text.service}, ${text.reference}, ${text.purpose}, ${text.country}, ${text.ending}, ${text.state}, ${text.fault})
  on conflict (service, service_reference) do update set
    purpose = excluded.purpose, country = excluded.country, number_ending = excluded.number_ending`

/** Stores the report of a service. A delivered message stays delivered. */
export const saveReceipt = (sql: Db, service: string, { reference, delivered, fault }: TextReceipt) => sql`
  insert into text_messages as t (service, service_reference, state, fault, reported_at)
  values (${service}, ${reference}, ${delivered ? 'delivered' : 'failed'}, ${delivered ? null : (fault ?? null)}, now())
  on conflict (service, service_reference) do update set
    state = excluded.state, fault = excluded.fault, reported_at = excluded.reported_at
  where t.state <> 'delivered'`

export type Counted = { scope: string; counted: string; limit: number | undefined }

/** Counts a message of today under each key, and returns the numbers in this order. */
export async function countText(sql: Db, keys: readonly Counted[]): Promise<number[]> {
  const rows = await sql<{ scope: string; sent: number }[]>`
    insert into text_message_counts as c (day, scope, counted, sent)
    select (now() at time zone 'utc')::date, scope, counted, 1
    from unnest(${keys.map(({ scope }) => scope)}::text[], ${keys.map(({ counted }) => counted)}::text[])
      with ordinality as k (scope, counted, place)
    order by place
    on conflict (day, scope, counted) do update set sent = c.sent + 1
    returning scope, sent`
  return keys.map(({ scope }) => rows.find((row) => row.scope === scope)?.sent ?? 0)
}

/** Seconds until the counts reset. */
export async function secondsLeft(sql: Db): Promise<number> {
  const [row] = await sql<[{ seconds: number }]>`
    select ceil(extract(epoch from date_trunc('day', now() at time zone 'utc') + interval '1 day'
      - (now() at time zone 'utc')))::int as seconds`
  return row.seconds
}

/** The number of messages of today. */
export async function countToday(sql: Db): Promise<number> {
  const [row] = await sql<{ sent: number }[]>`
    select sent from text_message_counts
    where day = (now() at time zone 'utc')::date and scope = 'site' and counted = 'site'`
  return row?.sent ?? 0
}

const KEPT_DAYS = 30

export async function deleteOldTexts(sql: Db): Promise<void> {
  await sql`delete from text_messages where created_at < now() - make_interval(days => ${KEPT_DAYS})`
  await sql`delete from text_message_counts where day < (now() at time zone 'utc')::date`
}
