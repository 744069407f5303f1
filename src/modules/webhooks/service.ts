import { createHmac, randomBytes } from 'node:crypto'
import { messageOf } from '#lib/faults.ts'
import { uuidv7 } from '#lib/ids.ts'
import { findNotifications } from '#modules/notifications/index.ts'
import { type LinkTo, webLinks } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { defineCache } from '#platform/memory'
import { postOutbound } from '#platform/outbound.ts'
import {
  type Attempt,
  type Claimed,
  cancelDelivery,
  claimDelivery,
  type Delivery,
  deleteOldEvents,
  findOverdue,
  findSelectedTypes,
  insertDeliveries,
  insertEvent,
  postponeDelivery,
  recordAttempt,
  recordEndpoint,
  resetDeliveries,
} from './queries.ts'

/**
 * Fields of each webhook event (docs/notifications.md). An event names a user only if a guest could see that
 * user.
 */
export const EVENTS = {
  'notification.created': ['id', 'user_id', 'type'],
  'user.created': ['id', 'name'],
  'user.deleted': ['id'],
  'feed.created': ['id', 'user_id'],
  'feed.deleted': ['id', 'deleted_by'],
  'comment.created': ['id', 'user_id', 'commentable'],
  'comment.deleted': ['id', 'commentable'],
  'topic.created': ['id', 'user_id', 'status'],
  'topic.deleted': ['id', 'deleted_by'],
  'news.published': ['id', 'user_id'],
  'news.deleted': ['id', 'user_id'],
  'question.created': ['id', 'user_id'],
  'question.deleted': ['id', 'deleted_by'],
  'answer.created': ['id', 'question_id', 'user_id'],
  'answer.deleted': ['id', 'question_id', 'deleted_by'],
  'group.created': ['id'],
  'group.deleted': ['id'],
  'post.created': ['id', 'group_id', 'user_id'],
  'post.deleted': ['id', 'group_id'],
  'message.created': ['id', 'chat_id'],
  'purchase.created': ['node', 'channel', 'raw', 'amount', 'currency'],
  'reward.created': ['rewardable', 'user_id', 'amount'],
  'webhook.ping': ['endpoint'],
} as const satisfies Record<string, readonly string[]>

type EventType = keyof typeof EVENTS

type EventData<T extends EventType> = { [Field in (typeof EVENTS)[T][number]]?: unknown }

const PREFIX = 'whsec_'

export const createWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

export function signedHeaders(message: {
  key: string
  seconds: number
  body: string
  secrets: string[]
}): Record<string, string> {
  const { key, seconds, body, secrets } = message
  const signatures = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', bytes).update(`${key}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': key,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

/**
 * Seconds before each retry of a delivery, as in Standard Webhooks. The last retry is about three days after
 * the first attempt.
 */
const DELAYS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
const TIMEOUT_MS = 10_000
const KEEP_DAYS = 30
const AT_ONCE = 500

const bodyOf = <T extends EventType>(type: T, data: EventData<T> & { link?: string }) =>
  JSON.stringify({ type, timestamp: new Date().toISOString(), data })

type Listened = { types: (string[] | null)[] }

const cacheOf = defineCache<Listened>('webhooks', { max: 1, ttlMs: 30_000 })

/**
 * Returns whether an endpoint subscribes to the event type. Reads a cache, so that other events cost no
 * query.
 */
export async function hasEndpointFor(ctx: Context, sql: Db, type: EventType): Promise<boolean> {
  const { types } = await cacheOf(ctx).get('all', async () => ({ types: await findSelectedTypes(sql) }))
  return types.some((each) => each === null || each.includes(type))
}

export const invalidateSelectedTypes = (ctx: Context, tx: Db) => cacheOf(ctx).announce(tx, 'all')

/** Kind of content to which an event links, by event type. */
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

function eventLink(linkTo: LinkTo, type: EventType, data: object): string | null {
  const [kind, { id }] = [LINKED_EVENTS[type], data as { id?: unknown }]
  return kind !== undefined && typeof id === 'number' ? linkTo(kind, id) : null
}

/**
 * Stores an event in the caller's transaction if an endpoint subscribes to its type. `data` must not name a user whom
 * a guest could not see.
 */
export async function publishEvent<T extends EventType>(
  ctx: Context,
  tx: Db,
  type: T,
  data: EventData<T>,
): Promise<void> {
  if (!(await hasEndpointFor(ctx, tx, type))) return
  const link = eventLink(await webLinks(ctx), type, data)
  await insertEvent(tx, {
    key: `msg_${uuidv7()}`,
    type,
    body: bodyOf(type, link === null ? data : { ...data, link }),
  })
}

/** Maximum concurrent deliveries per endpoint, so that a slow endpoint does not occupy all workers. */
const AT_ONCE_EACH = 2

const addDelivery = (db: Db, { id, endpoint_id: endpoint }: Delivery, delaySeconds = 0) =>
  addJob(db, 'send_webhook', { id }, { queue: `webhook:${endpoint}:${id % AT_ONCE_EACH}`, delaySeconds })

export async function deliverEvents(ctx: Context, ids: number[]): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    for (const delivery of await insertDeliveries(tx, ids)) await addDelivery(tx, delivery)
  })
}

export async function sendPing(tx: Db, endpointId: number): Promise<number | undefined> {
  const [row] = await tx<{ id: number }[]>`
    insert into webhook_events (key, type, body)
    values (${`msg_${uuidv7()}`}, 'webhook.ping', ${bodyOf('webhook.ping', { endpoint: endpointId })}) returning id`
  const [delivery] = await insertDeliveries(tx, [row?.id as number], endpointId)
  if (delivery) await addDelivery(tx, delivery)
  return delivery?.id
}

/** Publishes notifications as webhook events without texts, because texts are private to the recipient. */
export async function announce(ctx: Context, places: [number, number][]): Promise<void> {
  const rows = await findNotifications(ctx, places)
  await transaction(ctx.sql, async (tx) => {
    const type = 'notification.created'
    for (const { id, user_id, type: kind } of rows)
      await insertEvent(tx, { key: `msg_${id}`, type, body: bodyOf(type, { id, user_id, type: kind }) })
  })
}

export async function sendWebhook(ctx: Context, id: number): Promise<void> {
  const claimed = await claimDelivery(ctx.sql, id)
  if (!claimed) return
  if (!claimed.enabled) return cancelDelivery(ctx.sql, id)
  if (claimed.paused > 0) return postpone(ctx, claimed)
  const attempt = await attemptOf(ctx, claimed)
  const well = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
  const delay = DELAYS[claimed.attempts]
  await transaction(ctx.sql, async (tx) => {
    // An endpoint that responds with 410 is disabled, as in Standard Webhooks.
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
  const attempt = { at: new Date().toISOString(), status: null, error: null, response: '' }
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
    return { ...attempt, status: answer.status, response: answer.text.slice(0, 500), ms: ms() }
  } catch (error) {
    return { ...attempt, error: messageOf(error), ms: ms() }
  }
}

export async function replay(
  tx: Db,
  endpointId: number,
  which: { id: number } | { failedSince: string },
): Promise<number> {
  const deliveries = await resetDeliveries(tx, endpointId, which, 1000)
  for (const delivery of deliveries) await addDelivery(tx, delivery)
  return deliveries.length
}

export async function resumeDeliveries(ctx: Context): Promise<void> {
  for (const delivery of await findOverdue(ctx.sql, AT_ONCE)) await addDelivery(ctx.sql, delivery)
}

export async function tidyEvents(ctx: Context): Promise<void> {
  while ((await deleteOldEvents(ctx.sql, KEEP_DAYS, AT_ONCE)) === AT_ONCE);
}
