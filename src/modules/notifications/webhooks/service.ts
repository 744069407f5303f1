import { messageOf } from '#lib/faults.ts'
import { uuidv7 } from '#lib/ids.ts'
import { type LinkTo, webLinks } from '#modules/settings/index.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { postOutbound } from '#platform/outbound.ts'
import { findNotifications } from '../queries.ts'
import { notificationView } from '../view.ts'
import {
  type Attempt,
  type Claimed,
  cancelDelivery,
  claimDelivery,
  type Delivery,
  deleteOldEvents,
  findListened,
  findOverdue,
  insertDeliveries,
  insertEvent,
  postponeDelivery,
  recordAttempt,
  recordEndpoint,
  resetDeliveries,
} from './queries.ts'
import { signedHeaders } from './signature.ts'
import type { EventType } from './types.ts'

/** Seconds between attempts, as Standard Webhooks recommends: the last one is about three days after the first. */
const DELAYS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
const TIMEOUT_MS = 10_000
const KEEP_DAYS = 30
const AT_ONCE = 500

const bodyOf = (type: EventType, data: object) =>
  JSON.stringify({ type, timestamp: new Date().toISOString(), data })

type Listened = { types: (string[] | null)[] }

const cacheOf = defineCache<Listened>('webhooks', { max: 1, ttlMs: 30_000 })

/** Whether any endpoint wants events of a type, from memory: what nobody wants costs nothing. */
export async function isListenedTo(ctx: Context, sql: Db, type: EventType): Promise<boolean> {
  const { types } = await cacheOf(ctx).get('all', async () => ({ types: await findListened(sql) }))
  return types.some((each) => each === null || each.includes(type))
}

/** Tells every node, on commit, that endpoints were changed; call `forgetListened` after the commit. */
export const announceListened = (ctx: Context, tx: Db) => cacheOf(ctx).announce(tx, 'all')

/** Makes this node look at once at what is listened to. */
export const forgetListened = (ctx: Context) => cacheOf(ctx).drop('all')

/** What an event that made something is about, as links name it. */
const LINKED_EVENTS: Partial<Record<EventType, string>> = {
  'user.created': 'users',
  'feed.created': 'feeds',
  'topic.created': 'feed-topics',
  'news.published': 'news',
  'question.created': 'questions',
  'answer.created': 'question-answers',
  'group.created': 'groups',
  'post.created': 'group-posts',
}

/** Where the web client shows what an event is about (notifications-17). */
function eventLink(linkTo: LinkTo, type: EventType, data: object): string | null {
  const [kind, { id }] = [LINKED_EVENTS[type], data as { id?: unknown }]
  return kind !== undefined && typeof id === 'number' ? linkTo(kind, id) : null
}

/**
 * Tells the operator's systems that something happened, if and only if the caller's transaction commits. `data`
 * holds ids rather than contents.
 */
export async function publishEvent(ctx: Context, tx: Db, type: EventType, data: object): Promise<void> {
  if (!(await isListenedTo(ctx, tx, type))) return
  const link = eventLink(await webLinks(ctx), type, data)
  await insertEvent(tx, {
    key: `msg_${uuidv7()}`,
    type,
    body: bodyOf(type, link === null ? data : { ...data, link }),
  })
}

/** An endpoint is asked at most so many things at once: one that is slow leaves workers for the others. */
const AT_ONCE_EACH = 2

const addDelivery = (db: Db, { id, endpoint_id: endpoint }: Delivery, delaySeconds = 0) =>
  addJob(db, 'send_webhook', { id }, { queue: `webhook:${endpoint}:${id % AT_ONCE_EACH}`, delaySeconds })

/** Makes the deliveries of events and a job for each. */
export async function deliverEvents(ctx: Context, ids: number[]): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    for (const delivery of await insertDeliveries(tx, ids)) await addDelivery(tx, delivery)
  })
}

/** An event only for one endpoint, to try it out; answers the delivery. */
export async function sendPing(tx: Db, endpointId: number): Promise<number | undefined> {
  const [row] = await tx<{ id: number }[]>`
    insert into webhook_events (key, type, body)
    values (${`msg_${uuidv7()}`}, 'webhook.ping', ${bodyOf('webhook.ping', { endpoint: endpointId })}) returning id`
  const [delivery] = await insertDeliveries(tx, [row?.id as number], endpointId)
  if (delivery) await addDelivery(tx, delivery)
  return delivery?.id
}

/** Turns notifications that were written into events; those taken back meanwhile are left out. */
export async function announce(ctx: Context, places: [number, number][]): Promise<void> {
  const rows = await findNotifications(ctx.sql, places)
  const linkTo = await webLinks(ctx)
  await transaction(ctx.sql, async (tx) => {
    const type = 'notification.created'
    for (const row of rows) {
      const data = { user_id: row.user_id, type: row.type, ...notificationView(row, 'en', { linkTo }) }
      await insertEvent(tx, { key: `msg_${row.id}`, type, body: bodyOf(type, data) })
    }
  })
}

/** Sends one delivery that is due, keeps the attempt, and plans the next one when it failed. */
export async function sendWebhook(ctx: Context, id: number): Promise<void> {
  const claimed = await claimDelivery(ctx.sql, id)
  if (!claimed) return
  if (!claimed.enabled) return cancelDelivery(ctx.sql, id)
  if (claimed.paused > 0) return postpone(ctx, claimed)
  const attempt = await attemptOf(ctx, claimed)
  const well = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
  const delay = DELAYS[claimed.attempts]
  await transaction(ctx.sql, async (tx) => {
    // 410: the receiver wants no more (Standard Webhooks).
    await recordEndpoint(tx, claimed.endpoint_id, well, attempt.status === 410)
    if (well) return recordAttempt(tx, id, attempt, { status: 'delivered', delaySeconds: 0 })
    if (delay === undefined) return recordAttempt(tx, id, attempt, { status: 'failed', delaySeconds: 0 })
    const delaySeconds = Math.round(delay * (0.9 + Math.random() * 0.2))
    await recordAttempt(tx, id, attempt, { status: 'pending', delaySeconds })
    await addDelivery(tx, claimed, delaySeconds)
  })
}

async function postpone(ctx: Context, claimed: Claimed): Promise<void> {
  const delaySeconds = claimed.paused + Math.ceil(Math.random() * 10)
  await transaction(ctx.sql, async (tx) => {
    await postponeDelivery(tx, claimed.id, delaySeconds)
    await addDelivery(tx, claimed, delaySeconds)
  })
}

async function attemptOf(ctx: Context, claimed: Claimed): Promise<Attempt> {
  const started = performance.now()
  const { key, body, former_secret: former } = claimed
  const secrets = [claimed.secret, ...(former === null ? [] : [former])].map(ctx.secrets.open)
  const kept = { at: new Date().toISOString(), status: null, error: null, response: '' }
  const ms = () => Math.round(performance.now() - started)
  try {
    const answer = await postOutbound(claimed.url, {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Kith-Webhooks/1',
        ...signedHeaders({ key, body, secrets, seconds: Math.floor(Date.now() / 1000) }),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      allowPrivate: ctx.config.webhooksAllowPrivate,
    })
    return { ...kept, status: answer.status, response: answer.text.slice(0, 500), ms: ms() }
  } catch (error) {
    return { ...kept, error: messageOf(error), ms: ms() }
  }
}

/** Sends deliveries again: one, or all that failed since a time; answers how many. */
export async function replay(
  tx: Db,
  endpointId: number,
  which: { id: number } | { failedSince: string },
): Promise<number> {
  const deliveries = await resetDeliveries(tx, endpointId, which, 1000)
  for (const delivery of deliveries) await addDelivery(tx, delivery)
  return deliveries.length
}

/** Picks up deliveries whose worker died. */
export async function resumeDeliveries(ctx: Context): Promise<void> {
  for (const delivery of await findOverdue(ctx.sql, AT_ONCE)) await addDelivery(ctx.sql, delivery)
}

/** Deletes events of long ago with their log. */
export async function tidyEvents(ctx: Context): Promise<void> {
  while ((await deleteOldEvents(ctx.sql, KEEP_DAYS, AT_ONCE)) === AT_ONCE);
}
