import type { Db } from '#platform/database'
import type { Source } from './database/source.ts'
import { addNotes, dropNotes } from './database/state.ts'
import type { TableImport } from './database/table.ts'

const COUNTED =
  /(^|_)(count|counts|income_count|hot)$|^total_(income|expenses)$|^(rewards_amount|rewarder_count)$/
const CLOCK = /^(created_at|updated_at)$/

/** Columns that no importer reads, with the reason. */
const KNOWN: Record<string, string> = {
  'users.remember_token': 'short-lived',
  'users.register_ip': 'personal data that Kith does not use',
  'users.last_login_ip': 'personal data that Kith does not use',
  'user_extras.deleted_at': 'the counters belong to the user',
  'roles.non_delete': 'Kith defines which roles stay',
  'abilities.display_name': 'Kith defines the names of abilities',
  'abilities.description': 'Kith defines the names of abilities',
  'files.hash': 'computed from the bytes',
  'files.origin_filename': 'names of files on the devices of users',
  'file_withs.size': 'computed from the bytes',
  'feeds.feed_client_id': 'unused in the source',
  'feed_videos.user_id': 'the author of the feed',
  'likes.target_user': 'the author of the content',
  'news.text_content': 'computed from the content',
  'news.images': 'computed from the content',
  'news_pinneds.cate_id': 'the category of the article',
  'news_apply_logs.mark': 'an integer in place of a text, always 0',
  'topics.sort': 'topics of questions have no order of their own',
  'topic_expert_income.type': 'the kind of the charge',
  'wallets.id': 'one for each user',
  'currency_types.enable': 'points are always enabled',
  'native_pay_orders.product_code': 'a constant of the provider',
  'native_pay_orders.from': 'the kind of the app',
  'conversations.options': 'unused in the source',
  'im_group.type': 'Kith keeps one kind of chat groups',
  'settings.id': 'settings have names',
  'common_configs.id': 'settings have names',
}

/** Spaces and their rules belong to the apps, which Kith defines. */
const SPACES = /^advertising_space\.(channel|alias|allow_type|format|rule|message)$/

const reasonOf = (table: string, column: string): string | undefined =>
  KNOWN[`${table}.${column}`] ??
  (COUNTED.test(column)
    ? 'recounted'
    : CLOCK.test(column)
      ? 'a time that Kith does not show'
      : SPACES.test(`${table}.${column}`)
        ? 'Kith defines the spaces'
        : undefined)

export type UnreadColumns = { table: string; unread: string[]; reason: string }
const UNKNOWN = 'unknown column: not imported'

export function listUnread({ tables }: Source, plan: TableImport[]): UnreadColumns[] {
  const read = new Map<string, Set<string>>()
  for (const { table, columns } of plan)
    read.set(table, new Set([...(read.get(table) ?? []), ...Object.keys(columns)]))
  return [...read].flatMap(([table, columns]) => {
    const unread = [...(tables.get(table) ?? [])].filter((column) => !columns.has(column))
    return [...Map.groupBy(unread, (column) => reasonOf(table, column) ?? UNKNOWN)].map(
      ([reason, names]): UnreadColumns => ({ table, unread: names, reason }),
    )
  })
}

const STEP = 'columns'

/** Notes columns that no importer knows and that have values, so that the operator decides about them. */
export async function noteUnknown(sql: Db, source: Source, unread: UnreadColumns[]): Promise<void> {
  const found: string[] = []
  for (const { table, unread: columns, reason } of unread)
    if (reason === UNKNOWN)
      for (const column of columns) if (await source.isFilled(table, column)) found.push(`${table}.${column}`)
  await dropNotes(sql, STEP, 0)
  await addNotes(
    sql,
    STEP,
    0,
    found.map((key) => ({ key, outcome: 'left out', reason: UNKNOWN })),
  )
}
