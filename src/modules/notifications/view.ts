import { zuluTime, zuluTimeOrNull } from '#lib/time.ts'
import type { LinkTo } from '#modules/settings/index.ts'
import type { Language } from '#platform/errors.ts'
import { resourceCode, sentenceOf } from './codes.ts'
import { type findStatistics, isPresent, type NotificationRow } from './queries.ts'
import type { Mention, Notification, NotificationPage, NotificationType, Statistics } from './schema.ts'
import { type Found, systemData } from './system/view.ts'

/** How many a page has unless asked otherwise. */
export const PAGE_SIZE = 15
const SYSTEM = { id: 0, name: 'Kith' }

type Reference = { type: string; id: number }

/** What a row is shown with. */
export type Told = {
  /** How much a reader of clients is told: without it a row is shown as it is stored, as webhooks have it. */
  known?: (row: NotificationRow) => Found
  linkTo: LinkTo
}

/** Pages of one's own account that system notifications are about (notifications-17). */
const ACCOUNT_PAGES: Record<string, string> = {
  'account:changed': 'security',
  'account:export': 'exports',
  sanction: 'sanctions',
}

/** Where the web client shows what a notification is about. */
function linkOf(
  { type }: NotificationRow,
  { data }: Pick<Notification, 'data'>,
  about: Reference,
  linkTo: LinkTo,
) {
  if (type === 'follow') return linkTo('users', data.sender.id)
  const { type: told, state } = data as { type?: unknown; state?: unknown }
  const isSignIn = told === 'account:changed' && state === 'sign-in'
  const page = type !== 'system' ? undefined : isSignIn ? 'sessions' : ACCOUNT_PAGES[String(told)]
  return page === undefined ? linkTo(about.type, about.id) : linkTo('account', page)
}

function dataOf(row: NotificationRow, language: Language, { known }: Told): Notification['data'] {
  const { contents, resource, commentable, ...rest } = row.data as {
    contents?: string
    resource?: Reference
    commentable?: Reference
  }
  const cause = { type: row.cause_type, id: row.cause_id }
  const about = resource ?? cause
  const sender = row.sender_id === 0 ? SYSTEM : { id: row.sender_id, name: row.sender_name }
  const common = { sender, commentable: commentable ?? about }
  if (row.type === 'system') {
    const { type, state } = rest as { type?: unknown; state?: unknown }
    const told = known ? systemData({ ...rest, resource: about }, sender, known(row), language) : rest
    return {
      ...told,
      ...common,
      contents: contents ?? row.notice ?? sentenceOf(type, state, language),
      resource: { type: resourceCode(about.type), id: about.id },
    }
  }
  // A follower is named flat as well (notifications-9).
  const follower = row.type === 'follow' ? sender : {}
  return { ...rest, ...common, ...follower, contents: contents ?? '', ...(resource ? { resource } : {}) }
}

/** A stored notification as its reader gets it. */
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

/** A mention as earlier clients get it (notifications-11). */
export const mentionView = (
  userId: number,
  row: Pick<NotificationRow, 'seq' | 'data' | 'cause_type' | 'cause_id' | 'created_at'>,
): Mention => ({
  id: row.seq,
  user_id: userId,
  resourceable: (row.data.resource as Reference | undefined) ?? { type: row.cause_type, id: row.cause_id },
  created_at: zuluTime(row.created_at),
})

/** Statistics (notifications-3). */
export function statisticsView(
  rows: Awaited<ReturnType<typeof findStatistics>>,
  language: Language,
  told: Told,
): Statistics {
  const ofType = (type: NotificationType) => rows.filter((row) => row.kind === type)
  const badge = (type: NotificationType) => ofType(type)[0]?.unread ?? 0
  const preview = (type: NotificationType) => {
    const newest = ofType(type).filter(isPresent)
    const names = newest.map((row) => row.sender_name).filter((name) => name !== '')
    return {
      badge: badge(type),
      last_created_at: newest[0] ? zuluTime(newest[0].created_at) : null,
      preview_users_names: [...new Set(names)],
    }
  }
  const first = ofType('system').find(isPresent)
  return {
    at: preview('at'),
    comment: preview('comment'),
    like: preview('like'),
    system: { badge: badge('system'), first: first ? notificationView(first, language, told) : null },
    follow: { badge: badge('follow') },
  }
}

/** What was asked for: `limit` with whether it was given. */
type Asked = {
  type: NotificationType | undefined
  limit: number
  page: number
  offset: number | undefined
  after: number
  path: string
}

/** A page; `from` and `to` are null where it is empty, or its place among all is not known (notifications-4). */
export function pageView(
  rows: ({ total: number } & (NotificationRow | { [Key in keyof NotificationRow]: null }))[],
  asked: Asked,
  language: Language,
  told: Told,
): NotificationPage {
  const { type, limit, page, offset, after, path } = asked
  const data = rows.filter(isPresent).map((row) => notificationView(row, language, told))
  const total = rows[0]?.total ?? 0
  const last = Math.max(1, Math.ceil(total / limit))
  const query = `${type === undefined ? '' : `type=${type}&`}${limit === PAGE_SIZE ? '' : `limit=${limit}&`}`
  // Who asks by rows is sent on by rows.
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
      from: hasPlace ? from : null,
      last_page: last,
      path,
      per_page: limit,
      to: hasPlace ? from + data.length - 1 : null,
      total,
    },
  }
}
