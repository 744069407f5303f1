import { cutText } from '#lib/text.ts'
import { linksOf, readSiteSettings, siteName } from '#modules/settings/index.ts'
import { findEnded } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import { findNotifications, type NotificationRow } from '../queries.ts'
import type { Notification, NotificationType } from '../schema.ts'
import { notificationView } from '../service.ts'
import { readNotificationSettings } from '../settings.ts'
import { countOutcomes, type PushOutcome, type PushWay } from './deliveries.ts'
import { findPreferences, isQuiet } from './preferences.ts'
import { pushSender } from './push-services.ts'
import type { PushMessage } from './sender.ts'
import { countUnread, sendWebPush, type WebDevice } from './web-push.ts'

export type Device = {
  user_id: number
  token: string
  platform: 'ios' | 'android' | 'web'
  language: Language
  family: string
  /** Encryption key of a browser's push subscription. Null for devices other than browsers. */
  web_p256dh: string | null
  web_auth: string | null
}

/**
 * Assigns a device to the user and deletes it from other users. Deletes the user's oldest devices above
 * `limit`.
 */
export async function saveDevice(sql: Db, device: Device, limit: number): Promise<void> {
  const { user_id, token, platform, language, family, web_p256dh, web_auth } = device
  await sql`
    with others as (delete from push_devices where token = ${token} and user_id <> ${user_id}),
    old as (
      delete from push_devices where (user_id, token) in (
        select user_id, token from push_devices where user_id = ${user_id} and token <> ${token}
        order by updated_at desc offset ${limit - 1}
      )
    )
    insert into push_devices (user_id, token, platform, language, family, web_p256dh, web_auth)
    values (${user_id}, ${token}, ${platform}, ${language}, ${family}, ${web_p256dh}, ${web_auth})
    on conflict (user_id, token) do update set platform = excluded.platform, language = excluded.language,
      family = excluded.family, web_p256dh = excluded.web_p256dh, web_auth = excluded.web_auth,
      updated_at = excluded.updated_at`
}

export async function deleteDevice(sql: Db, userId: number, token: string): Promise<void> {
  await sql`delete from push_devices where user_id = ${userId} and token = ${token}`
}

export const findDevices = (sql: Db, users: number[]) => sql<(Device & { updated_at: string })[]>`
  select user_id, token, platform, language, family, web_p256dh, web_auth, updated_at from push_devices
  where user_id = any(${users}) order by user_id, updated_at desc`

async function deleteTokens(sql: Db, tokens: string[]): Promise<void> {
  if (tokens.length > 0) await sql`delete from push_devices where token = any(${tokens})`
}

/** Finds posts and comments that only members of their group may read. Returns them as `type/id`. */
async function findClosed(sql: Db, things: { type: string; id: number }[]): Promise<Set<string>> {
  const wanted = things.filter(({ type }) => type === 'group-posts' || type === 'comments')
  if (wanted.length === 0) return new Set()
  const rows = await sql<{ key: string }[]>`
    select w.type || '/' || w.id as key
    from unnest(${wanted.map(({ type }) => type)}::text[], ${wanted.map(({ id }) => id)}::bigint[]) as w (type, id)
    left join comments c on w.type = 'comments' and c.id = w.id and c.commentable_type = 'group-posts'
    join group_posts p on p.id = case w.type when 'comments' then c.commentable_id else w.id end
    join groups g on g.id = p.group_id
    where g.audit <> 1 or g.mode <> 'public'`
  return new Set(rows.map(({ key }) => key))
}

const SENTENCES: Record<Exclude<NotificationType, 'system'>, (name: string) => Record<Language, string>> = {
  at: (name) => ({ en: `${name} mentioned you`, zh: `${name} 提到了你` }),
  comment: (name) => ({ en: `${name} wrote to you`, zh: `${name} 评论了你` }),
  like: (name) => ({ en: `${name} likes what you wrote`, zh: `${name} 赞了你` }),
  follow: (name) => ({ en: `${name} follows you`, zh: `${name} 关注了你` }),
}

function messageOf(type: NotificationType, { data }: Notification, language: Language) {
  const title = type === 'system' ? data.sender.name : SENTENCES[type](data.sender.name)[language]
  return { title, text: cutText(data.contents, 200) }
}

type Reference = { type: string; id: number }

const referencesOf = ({ cause_type, cause_id, data }: NotificationRow): Reference[] => {
  const { resource, commentable } = data as { resource?: Reference; commentable?: Reference }
  return [{ type: cause_type, id: cause_id }, ...[resource, commentable].filter((each) => each !== undefined)]
}

/** Minutes before each retry of a failed push message. */
const RETRY_MINUTES = [1, 5, 30, 120, 480]

/** Push tokens to retry: encrypted in `sealed`, or unencrypted in `tokens` in jobs of earlier versions. */
export type Retry = { sealed?: string; tokens?: string[]; attempt?: number }

const tokensOf = ({ secrets }: Context, { sealed, tokens }: Retry): string[] | undefined =>
  sealed === undefined ? tokens : (JSON.parse(secrets.open(sealed)) as string[])
export type Pushed = Retry & { places: [number, number][] }

export type PushDraft = {
  title: string
  text: string
  /** If true, only Web Push receives the text, because it encrypts the text for the browser. */
  isPrivate?: boolean
  data: PushMessage['data']
}

function serviceOf({ config: { push } }: Context, platform: Device['platform']): PushWay {
  if (platform === 'ios' && push.apns) return 'apns'
  if (platform === 'android' && push.fcm) return 'fcm'
  return platform !== 'web' && push.jpush ? 'jpush' : 'gateway'
}

export async function pushNotifications(ctx: Context, pushed: Pushed): Promise<void> {
  // Skips notifications that the user has read, because a retry may run hours later.
  const rows = (await findNotifications(ctx, pushed.places)).filter((row) => row.read_at === null)
  if (rows.length === 0) return
  const settings = await readSiteSettings(ctx)
  const linkTo = linksOf(ctx.config, settings)
  const { 'notifications:push-text': hasTexts } = await readNotificationSettings(ctx)
  const closed = await findClosed(ctx.sql, rows.flatMap(referencesOf))
  const isClosed = (row: NotificationRow) =>
    referencesOf(row).some(({ type, id }) => closed.has(`${type}/${id}`))
  await pushToDevices(ctx, {
    task: 'push_notifications',
    retry: pushed,
    users: [...new Set(rows.map((row) => row.user_id))],
    draftsOf: ({ user_id, language, platform }) =>
      rows
        .filter((row) => row.user_id === user_id)
        .map((row) => {
          const shown = notificationView(row, language, {
            linkTo,
            siteName: (language) => siteName(ctx.config, settings, language),
          })
          const link = shown.link === null ? {} : { link: shown.link }
          const message = messageOf(row.type, shown, language)
          // Omits the text for closed groups, because a push message stays visible on the device.
          return {
            ...message,
            ...(isClosed(row) ? { text: '' } : {}),
            // `notifications:push-text` does not apply to the gateway, because the operator runs the gateway.
            isPrivate: !hasTexts && serviceOf(ctx, platform) !== 'gateway',
            data: { id: row.id, type: row.type, ...link },
          }
        }),
  })
}

/**
 * Sends push messages to the devices of `users`. Deletes devices whose session or push subscription has ended.
 * Enqueues a retry for devices to which sending failed.
 */
export async function pushToDevices(
  ctx: Context,
  push: {
    task: string
    retry: Retry
    users: number[]
    draftsOf: (device: Device) => PushDraft[]
  },
): Promise<void> {
  const { retry, users } = push
  const found = await findDevices(ctx.sql, users)
  const wanted = tokensOf(ctx, retry)
  const devices = wanted ? found.filter(({ token }) => wanted.includes(token)) : found
  if (devices.length === 0) return
  const revoked = await findEnded(
    ctx.sql,
    devices.map(({ user_id, family }) => ({ id: user_id, family })),
  )
  const ended = devices.filter(({ family }) => revoked.has(family)).map(({ token }) => token)
  const preferences = await findPreferences(ctx.sql, users)
  const unread = await countUnread(ctx.sql, users)
  const now = new Date()
  const messages = devices
    .filter(({ family }) => !revoked.has(family))
    .flatMap((device) => {
      const chosen = preferences.get(device.user_id)
      if (chosen && isQuiet(chosen, now)) return []
      const isOff = (type: unknown) => (chosen?.off as string[] | undefined)?.includes(String(type))
      return push
        .draftsOf(device)
        .filter(({ data }) => !isOff(data.type))
        .map(({ isPrivate = false, ...draft }) => {
          const hasText = (chosen?.text ?? true) && (!isPrivate || isWebDevice(device))
          const badge = unread.get(device.user_id) ?? 0
          return { device, message: { ...draft, ...(hasText ? {} : { text: '' }), badge } }
        })
    })
  const failed = new Set<string>()
  const outcomes: { way: PushWay; outcome: PushOutcome }[] = []
  await Promise.all(
    messages.map(async ({ device, message }) => {
      if (!isWebDevice(device)) return
      const outcome = await sendWebPush(ctx, device, message).catch((error: unknown) => {
        ctx.log.debug({ err: error }, 'a push failed')
        return 'failed' as const
      })
      outcomes.push({ way: 'web', outcome })
      if (outcome === 'gone') ended.push(device.token)
      if (outcome === 'failed') failed.add(device.token)
    }),
  )
  const others: PushMessage[] = messages
    .filter(({ device }) => !isWebDevice(device))
    .map(({ device: { token, platform }, message }) => ({ token, platform, ...message }))
  if (others.length > 0) {
    const outcome = await pushSender(ctx)
      .send(others)
      .catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'the push gateway failed')
        return undefined
      })
    ended.push(...(outcome?.gone ?? []))
    for (const token of outcome?.failed ?? []) failed.add(token)
    if (!outcome) for (const { token } of others) failed.add(token)
    const [gone, rejected] = [new Set(outcome?.gone), new Set(outcome?.rejected)]
    const outcomeOf = (token: string): PushOutcome =>
      failed.has(token) ? 'failed' : gone.has(token) ? 'gone' : rejected.has(token) ? 'rejected' : 'sent'
    for (const { token, platform } of others)
      outcomes.push({ way: serviceOf(ctx, platform), outcome: outcomeOf(token) })
  }
  await deleteTokens(ctx.sql, ended)
  // A failure to count must not fail the job, because a retry would send the push messages again.
  await countOutcomes(ctx.sql, outcomes).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'counting the outcomes of push messages failed'),
  )
  if (failed.size === 0) return
  const { attempt = 0 } = retry
  const minutes = RETRY_MINUTES[attempt]
  if (minutes === undefined) throw new Error('push messages have failed for hours')
  // Enqueues a new job for the failed devices, because a retry of this job would send to all devices
  // again.
  const { tokens: _, ...rest } = retry
  const again: Retry = {
    ...rest,
    sealed: ctx.secrets.seal(JSON.stringify([...failed])),
    attempt: attempt + 1,
  }
  await addJob(ctx.sql, push.task, again, { delaySeconds: minutes * 60 })
}

export const anyHasDevice = (sql: Db, users: Fragment): Fragment =>
  sql`exists (select from push_devices where user_id in (${users}))`

const isWebDevice = (device: Device): device is Device & WebDevice =>
  device.web_p256dh !== null && device.web_auth !== null
