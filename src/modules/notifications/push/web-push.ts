import type { Context } from '#platform/context.ts'
import { defineState } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { postOutbound } from '../outbound.ts'

type KeyPair = { publicKey: string; privateKey: string }

/** Loads the library on first use. A static import would delay the start of every `kith` command. */
const loadWebPush = async () => (await import('web-push')).default

/**
 * Key pair that signs requests to push services, cached per process. All server nodes share one pair, because
 * a browser's subscription is valid for one pair only.
 */
const keysOf = defineState<{ pair?: Promise<KeyPair> }>(() => ({}))

async function readKeys({ sql, secrets }: Context): Promise<KeyPair> {
  const find = async () => {
    const [row] = await sql<{ public_key: string; private_key: string }[]>`
      select public_key, private_key from web_push_keys`
    return row && { publicKey: row.public_key, privateKey: secrets.open(row.private_key) }
  }
  const known = await find()
  if (known) return known
  const { publicKey, privateKey } = (await loadWebPush()).generateVAPIDKeys()
  await sql`
    insert into web_push_keys (public_key, private_key) values (${publicKey}, ${secrets.seal(privateKey)})
    on conflict do nothing`
  return (await find()) as KeyPair
}

export function webPushKeys(ctx: Context): Promise<KeyPair> {
  const state = keysOf(ctx)
  state.pair ??= readKeys(ctx).catch((error: unknown) => {
    delete state.pair
    throw error
  })
  return state.pair
}

export type WebDevice = { token: string; web_p256dh: string; web_auth: string }
export type WebMessage = {
  title: string
  text: string
  badge: number
  data: Record<string, string | number>
}

/**
 * Notification types whose name is the topic of their push messages. A device that was offline receives only the
 * newest message of each topic.
 */
const COLLAPSED = ['like', 'follow']
const DAY_SECONDS = 86_400
const TIMEOUT_MS = 10_000

/** Returns `gone` for an expired push subscription. Throws when a retry may succeed. */
export async function sendWebPush(
  ctx: Context,
  device: WebDevice,
  message: WebMessage,
): Promise<'sent' | 'gone' | 'rejected'> {
  const { publicUrl, pushAllowPrivate: allowPrivate } = ctx.config
  const [keys, webPush] = [await webPushKeys(ctx), await loadWebPush()]
  const isSecure = publicUrl.startsWith('https:')
  const type = String(message.data.type)
  const encrypted = () =>
    webPush.generateRequestDetails(
      { endpoint: device.token, keys: { p256dh: device.web_p256dh, auth: device.web_auth } },
      JSON.stringify(message),
      {
        vapidDetails: {
          subject: isSecure ? publicUrl : `mailto:noreply@${new URL(publicUrl).hostname}`,
          ...keys,
        },
        TTL: DAY_SECONDS,
        ...(COLLAPSED.includes(type) ? { topic: type } : {}),
      },
    )
  let details: ReturnType<typeof encrypted>
  try {
    details = encrypted()
  } catch (error) {
    // Returns `gone`, so that the subscription is deleted, because encryption with an invalid key always
    // fails.
    ctx.log.debug({ err: error }, 'a subscription has an invalid key')
    return 'gone'
  }
  const { endpoint, headers, body } = details
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) sent[name] = String(value)
  const { status } = await postOutbound(endpoint, {
    headers: sent,
    body: body ?? '',
    timeoutMs: TIMEOUT_MS,
    allowPrivate,
  })
  if (status === 404 || status === 410) return 'gone'
  // Throws only for a status that may change on a retry.
  if (status === 429 || status >= 500) throw new Error(`the push service answered ${status}`)
  if (status < 300) return 'sent'
  ctx.log.warn({ status, host: new URL(endpoint).host }, 'a push service rejected a message')
  return 'rejected'
}

export async function countUnread(sql: Db, users: number[]): Promise<Map<number, number>> {
  const rows = await sql<{ user_id: number; unread: number }[]>`
    select user_id, sum(unread)::int as unread from notification_counts where user_id = any(${users}) group by user_id`
  return new Map(rows.map(({ user_id, unread }) => [user_id, unread]))
}
