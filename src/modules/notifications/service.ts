import { endings } from '#contracts/ending.ts'
import { uuidv7 } from '#lib/ids.ts'
import { zuluTime, zuluTimeOrNull } from '#lib/time.ts'
import { currencyName, type LinkTo, linksOf, readSiteSettings, siteName } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, transaction } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import { resourceCode } from './codes.ts'
import {
  findRecipients,
  findStatistics,
  insertNotices,
  type NotificationRow,
  type PlannedNotice,
  type TypeStatistics,
} from './queries.ts'
import type {
  Mention,
  Notice,
  Notification,
  NotificationPage,
  NotificationType,
  Statistics,
} from './schema.ts'
import { sentenceOf, systemNotice } from './system/notices.ts'
import { type Found, findThings, systemData, wantedOf } from './system/view.ts'
import {
  type Attached,
  databaseTime,
  deleteUnread,
  deleteUnreadAbout,
  findUnreadRecipients,
  listAttached,
  listUnreadAbout,
  type Taken,
  type UnreadAfter,
} from './withdrawal.ts'

export const PAGE_SIZE = 15

type Reference = { type: string; id: number }

export type Told = {
  /** Looks up fields that a stored row lacks. Undefined for push messages. */
  known?: (row: NotificationRow) => Found
  linkTo: LinkTo
  /** Name of the site, which sends system notifications. */
  siteName: (language: Language) => string
}

const ACCOUNT_PAGES: Record<string, string> = {
  'account:changed': 'security',
  'account:export': 'exports',
  sanction: 'sanctions',
}

function linkOf(
  row: NotificationRow,
  { data }: Pick<Notification, 'data'>,
  about: Reference,
  linkTo: LinkTo,
) {
  if (row.type === 'follow') return linkTo('users', data.sender.id)
  const { type: told, state } = row.data as { type?: unknown; state?: unknown }
  const isSignIn = told === 'account:changed' && state === 'sign-in'
  const page = row.type !== 'system' ? undefined : isSignIn ? 'sessions' : ACCOUNT_PAGES[String(told)]
  return page === undefined ? linkTo(about.type, about.id) : linkTo('account', page)
}

function dataOf(row: NotificationRow, language: Language, { known, siteName }: Told): Notification['data'] {
  const { contents, resource, commentable, ...rest } = row.data as {
    contents?: string
    resource?: Reference
    commentable?: Reference
  }
  const cause = { type: row.cause_type, id: row.cause_id }
  const about = resource ?? cause
  const sender =
    row.sender_id === 0 ? { id: 0, name: siteName(language) } : { id: row.sender_id, name: row.sender_name }
  const common = { sender, commentable: commentable ?? about }
  if (row.type === 'system') {
    const { type, state } = rest as { type?: unknown; state?: unknown }
    const sentence = sentenceOf(type, state, language)
    const given = contents ?? row.notice ?? undefined
    const isReason = known !== undefined && systemNotice(type)?.explained === true
    const told = known ? systemData({ ...rest, resource: about }, sender, known(row), language) : rest
    return {
      ...told,
      ...common,
      contents: given === undefined || !isReason ? (given ?? sentence) : `${sentence} ${given}`,
      resource: { type: resourceCode(about.type), id: about.id },
    }
  }
  // Repeats `sender` in the places where clients expect the follower and the author of a comment (notifications-9).
  const repeated = row.type === 'follow' ? sender : row.type === 'comment' ? { user: sender } : {}
  return { ...rest, ...common, ...repeated, contents: contents ?? '', ...(resource ? { resource } : {}) }
}

export function notificationView(row: NotificationRow, language: Language, told: Told): Notification {
  const data = dataOf(row, language, told)
  const { resource } = row.data as { resource?: Reference }
  const about = row.type === 'system' ? (resource ?? data.commentable) : data.commentable
  return {
    id: row.id,
    seq: row.seq,
    created_at: zuluTime(row.created_at),
    read_at: zuluTimeOrNull(row.read_at),
    link: linkOf(row, { data }, about, told.linkTo),
    data,
  }
}

export const mentionView = (
  userId: number,
  row: Pick<NotificationRow, 'seq' | 'data' | 'cause_type' | 'cause_id' | 'created_at'>,
): Mention => ({
  id: row.seq,
  user_id: userId,
  resourceable: (row.data.resource as Reference | undefined) ?? { type: row.cause_type, id: row.cause_id },
  created_at: zuluTime(row.created_at),
})

export function statisticsView(types: TypeStatistics[], language: Language, told: Told): Statistics {
  const ofType = (type: NotificationType) => types.find(({ kind }) => kind === type)
  const badge = (type: NotificationType) => ofType(type)?.unread ?? 0
  const preview = (type: NotificationType) => {
    const newest = ofType(type)?.newest ?? []
    const names = newest.map((row) => row.sender_name).filter((name) => name !== '')
    return {
      badge: badge(type),
      last_created_at: newest[0] ? zuluTime(newest[0].created_at) : null,
      preview_users_names: [...new Set(names)],
    }
  }
  const first = ofType('system')?.first
  return {
    at: preview('at'),
    comment: preview('comment'),
    like: preview('like'),
    system: { badge: badge('system'), first: first ? notificationView(first, language, told) : null },
    follow: { badge: badge('follow') },
  }
}

type Asked = {
  type: NotificationType | undefined
  limit: number
  page: number
  offset: number | undefined
  after: number
  path: string
}

export function pageView(
  { rows, total }: { rows: NotificationRow[]; total: number },
  asked: Asked,
  language: Language,
  told: Told,
): NotificationPage {
  const { type, limit, page, offset, after, path } = asked
  const data = rows.map((row) => notificationView(row, language, told))
  const last = Math.max(1, Math.ceil(total / limit))
  const query = `${type === undefined ? '' : `type=${type}&`}${limit === PAGE_SIZE ? '' : `limit=${limit}&`}`
  // Page links contain `offset` if the request contains `offset`.
  const place = (number: number) =>
    offset === undefined ? `page=${number}` : `offset=${(number - 1) * limit}`
  const url = (number: number) => `${path}?${query}${place(number)}`
  const from = (offset ?? (page - 1) * limit) + 1
  const hasPlace = data.length > 0 && after === 0
  const beyond = data.length === limit ? `${path}?${query}after=${data.at(-1)?.seq}` : null
  return {
    data,
    links: {
      first: url(1),
      last: url(last),
      prev: after === 0 && page > 1 ? url(page - 1) : null,
      next: after > 0 ? beyond : page < last ? url(page + 1) : null,
    },
    meta: {
      current_page: page,
      from: hasPlace ? from : 0,
      last_page: last,
      path,
      per_page: limit,
      to: hasPlace ? from + data.length - 1 : 0,
      total,
    },
  }
}

/** Maximum number of notifications that one transaction withdraws. A job withdraws the remaining ones. */
const AT_ONCE = 500

/**
 * Call `notify` last in a transaction, because the recipients' counter rows stay locked until the commit.
 * Creates no notification for the sender, and no duplicates.
 */
export const notify = (tx: Db, notices: Notice | Notice[]): Promise<void> => {
  const list = [notices].flat()
  return planNotices(tx, list).send(list)
}

/**
 * Looks up the recipients at once, in the same write as the statement that the caller sent before. `send` takes the
 * notices in the order of the plan, and null for one that is not sent.
 */
export function planNotices(
  tx: Db,
  list: PlannedNotice[],
): { send(notices: (Notice | null)[]): Promise<void> } {
  const users: number[] = []
  const ids: string[] = []
  const positions: number[] = []
  const seen = new Set<string>()
  list.forEach(({ type, recipients, senderId, hiddenSenderId, cause }, position) => {
    for (const recipient of recipients) {
      const key = `${recipient} ${type} ${senderId} ${cause.type} ${cause.id} ${type === 'system' ? position : ''}`
      const own = recipient === senderId || recipient === hiddenSenderId
      if (recipient <= 0 || own || seen.has(key)) continue
      seen.add(key)
      users.push(recipient)
      ids.push(uuidv7())
      positions.push(position)
    }
  })
  const finding = users.length > 0 ? findRecipients(tx, list, { users, ids, positions }) : undefined
  // `send` throws the error, unless an earlier statement failed first.
  finding?.catch(() => {})
  return {
    async send(notices) {
      const found = await finding
      if (!found) return
      const isSent = (n: number) => notices[found.positions[n] as number] !== null
      const sent = found.users.keys().filter(isSent).toArray()
      await insertNotices(tx, notices, {
        ...found,
        users: sent.map((n) => found.users[n] as number),
        ids: sent.map((n) => found.ids[n] as string),
        positions: sent.map((n) => found.positions[n] as number),
      })
    },
  }
}

/**
 * Withdraws unread notifications of a cause in the caller's transaction. A job withdraws those above
 * `AT_ONCE`.
 */
export const withdrawNotifications = (tx: Db, taken: Taken): Promise<void> => withdrawAll(tx, [taken])

/** Looks up the notifications at once, in the same write as the statement that the caller sent before. */
export function planWithdrawal(tx: Db, taken: Taken): { apply(): Promise<void> } {
  const finding = findUnreadRecipients(tx, taken, AT_ONCE)
  // `apply` throws the error, unless an earlier statement failed first.
  finding.catch(() => {})
  return { apply: () => withdrawAll(tx, [taken], [finding]) }
}

async function withdrawAll(tx: Db, takens: readonly Taken[], findings?: Finding[]): Promise<void> {
  const left = await takeBack(tx, takens, findings)
  if (left.length === 0) return
  // The caller may notify of the deletion itself before the job starts.
  const until = await databaseTime(tx)
  for (const taken of left) await addJob(tx, 'take_back_notifications', { ...taken, until })
}

export async function withdrawRemaining(ctx: Context, taken: Taken, signal: AbortSignal): Promise<void> {
  while ((await transaction(ctx.sql, (tx) => takeBack(tx, [taken]))).length > 0) signal.throwIfAborted()
}

type Finding = ReturnType<typeof findUnreadRecipients>

/**
 * Locks counters in the order of user ids to avoid deadlocks. Returns the conditions that may still match
 * notifications.
 */
async function takeBack(
  tx: Db,
  takens: readonly Taken[],
  findings = takens.map((taken) => findUnreadRecipients(tx, taken, AT_ONCE)),
): Promise<Taken[]> {
  const found: { user: number; taken: Taken }[] = []
  const left: Taken[] = []
  for (const [n, { users, areAll }] of (await Promise.all(findings)).entries()) {
    const taken = takens[n] as Taken
    found.push(...users.map((user) => ({ user, taken })))
    if (!areAll) left.push(taken)
  }
  for (const { user, taken } of found.toSorted((a, b) => a.user - b.user)) await deleteUnread(tx, user, taken)
  return left
}

type EndedContent = { type: string; ids: number[] }

/** Without `ending`, all that the content left. With it, what one ending `on` the content left above the id `after`. */
export type Remainder = EndedContent & { ending?: string; after?: number }

const causes = (attached: Attached[]): Taken[] =>
  [...Map.groupBy(attached, ({ type }) => type)].map(([type, rows]) => ({
    cause: { type, id: rows.map(({ id }) => id) },
  }))

/**
 * Withdraws unread notifications about deleted content, and about what belongs to it, such as its comments
 * (notifications-7). Jobs withdraw those above `AT_ONCE` ids.
 */
export async function withdrawContent(tx: Db, content: EndedContent): Promise<void> {
  const { type } = content
  for (let n = AT_ONCE; n < content.ids.length; n += AT_ONCE)
    await addJob(tx, 'withdraw_content', { type, ids: content.ids.slice(n, n + AT_ONCE) })
  const ids = content.ids.slice(0, AT_ONCE)
  if (ids.length === 0) return
  const attached = await listAttached(tx, { type, ids }, endings(), { after: 0, limit: AT_ONCE })
  const taken = causes(attached)
  await withdrawAll(tx, [{ cause: { type, id: ids } }, ...taken])
  for (const { cause } of taken) {
    const seen = [cause.id].flat()
    if (seen.length === AT_ONCE)
      await addJob(tx, 'withdraw_content', { type, ids, ending: cause.type, after: seen.at(-1) })
  }
}

/**
 * Withdraws unread notifications about content from all users except `readers`. Continues after the last seen
 * notification, so that notifications to readers are read once.
 */
export async function withdrawFromOthers(
  ctx: Context,
  content: EndedContent,
  readers: (users: number[]) => Promise<number[]>,
  signal: AbortSignal,
): Promise<void> {
  const withdraw = async (cause: { type: string; id: number[] }) => {
    for (let after: UnreadAfter = { cause_id: 0, sender_id: 0, user_id: 0 }; ; ) {
      const unread = await listUnreadAbout(ctx.sql, cause, after, AT_ONCE)
      const kept = new Set(await readers([...new Set(unread.map(({ user_id }) => user_id))]))
      const others = Map.groupBy(
        unread.filter(({ user_id }) => !kept.has(user_id)),
        ({ user_id }) => user_id,
      )
      await transaction(ctx.sql, async (tx) => {
        for (const [user, rows] of [...others].toSorted(([a], [b]) => a - b))
          await deleteUnread(tx, user, { cause: { ...cause, id: rows.map(({ cause_id }) => cause_id) } })
      })
      const last = unread.at(-1)
      if (last === undefined || unread.length < AT_ONCE) return
      after = last
      signal.throwIfAborted()
    }
  }
  await withdraw({ type: content.type, id: content.ids })
  for (const ending of endings().filter(({ on }) => on !== undefined))
    for (let after = 0; ; ) {
      const attached = await listAttached(ctx.sql, content, [ending], { after, limit: AT_ONCE })
      if (attached.length > 0) await withdraw({ type: ending.type, id: attached.map(({ id }) => id) })
      if (attached.length < AT_ONCE) break
      after = attached.at(-1)?.id ?? after
    }
}

/** Withdraws unread notifications about content that the user may no longer read. */
export const withdrawFromReader = (
  tx: Db,
  userId: number,
  content: { type: string; ids: Fragment },
): Promise<void> => deleteUnreadAbout(tx, userId, content, endings())

export async function withdrawRemainingContent(
  ctx: Context,
  { ending, after = 0, ...content }: Remainder,
  signal: AbortSignal,
): Promise<void> {
  if (ending === undefined) return transaction(ctx.sql, (tx) => withdrawContent(tx, content))
  const declared = endings().filter(({ type }) => type === ending)
  for (let last = after; ; ) {
    const attached = await listAttached(ctx.sql, content, declared, { after: last, limit: AT_ONCE })
    for (const taken of causes(attached)) await withdrawRemaining(ctx, taken, signal)
    if (attached.length < AT_ONCE) return
    last = attached.at(-1)?.id ?? last
    signal.throwIfAborted()
  }
}

/** Looks up fields that rows of older versions lack, with at most one statement for all rows. */
export async function findMissing(
  ctx: Context,
  rows: readonly NotificationRow[],
  readerOf: (row: NotificationRow) => number,
): Promise<Told> {
  const wanted = rows.flatMap((row) => wantedOf(row, readerOf(row)))
  const [things, settings] = await Promise.all([
    wanted.length > 0 ? findThings(ctx.sql, wanted) : [],
    readSiteSettings(ctx),
  ])
  const byKey = new Map(things.map((thing) => [`${thing.kind} ${thing.reader} ${thing.id}`, thing]))
  const unit = (language: Language) => settings['site:currency-unit'] || currencyName(settings, language)
  return {
    linkTo: linksOf(ctx.config, settings),
    siteName: (language) => siteName(ctx.config, settings, language),
    known: (row) => ({
      unit,
      things: Object.fromEntries(
        wantedOf(row, readerOf(row)).map(({ kind, reader, id }) => [
          kind,
          byKey.get(`${kind} ${reader} ${id}`),
        ]),
      ),
    }),
  }
}

export async function readStatistics(ctx: Context, userId: number) {
  const types = await findStatistics(ctx, userId)
  const first = types.find(({ kind }) => kind === 'system')?.first
  return { types, told: await findMissing(ctx, first ? [first] : [], () => userId) }
}
