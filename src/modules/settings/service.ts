import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import type { DeclaredError } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'
import { SETTINGS, type Settings, STANDARD_SETTINGS } from './registry.ts'

/**
 * Rejects values that a schema cannot validate, such as ids of missing rows, and changes that require an ability
 * that the actor lacks. Injected, because the checks need higher modules.
 */
export type SettingChecks = {
  check(ctx: Context, actorId: number, changes: Partial<Settings>, current: Settings): Promise<void>
  errors: readonly DeclaredError[]
  /** Prepares what a change stores besides the settings. The returned function runs in the transaction of the change. */
  prepare?(
    ctx: Context,
    actorId: number,
    changes: Partial<Settings>,
    current: Settings,
  ): Promise<((tx: Db) => Promise<void>) | undefined>
}

const listSettings = (sql: Db) => sql<Row<'settings', 'name' | 'value'>[]>`select name, value from settings`

/** Stores null as a JSON null. */
async function saveSettings(sql: Db, changes: Record<string, unknown>): Promise<void> {
  const rows = Object.entries(changes).map(([name, value]) => ({ name, value }))
  await sql`
    insert into settings (name, value)
    select name, coalesce(value, 'null') from jsonb_to_recordset(${sql.json(rows as never)}) as changes (name text, value jsonb)
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`
}

const cacheOf = defineCache<Settings>('settings', { max: 1, ttlMs: 60_000 })

/** Reads the cached settings. A change reaches every node within a second. */
export async function readSettings(ctx: Context): Promise<Settings> {
  return cacheOf(ctx).get('all', async () => ({
    ...STANDARD_SETTINGS,
    ...(Object.fromEntries(
      (await listSettings(ctx.sql)).flatMap(({ name, value }) => (name in SETTINGS ? [[name, value]] : [])),
    ) as Partial<Settings>),
  }))
}

export async function updateSettings(ctx: Context, tx: Db, changes: Partial<Settings>): Promise<void> {
  await saveSettings(tx, changes)
  await cacheOf(ctx).announce(tx, 'all')
}

/**
 * Kinds with a page in the web client (notifications-17). The id of `account` is the name of a page, such as
 * `sessions`.
 */
const LINKED = [
  ...['feeds', 'news', 'musics', 'music_specials', 'questions', 'question-answers', 'groups', 'group-posts'],
  ...['users', 'feed-topics', 'question-topics', 'account'],
] as const

export type LinkTo = (type: string, id: number | string) => string | null

const patternOf = (entry: string) => /^(\S+) (https?:\/\/\S+)$/i.exec(entry)

export function isWebLink(entry: string): boolean {
  const [, type = '', address = ''] = patternOf(entry) ?? []
  return (LINKED as readonly string[]).includes(type) && address.includes('{id}')
}

/** Builds web links from `site:web-links`, or else `PUBLIC_WEB_URL`, or else the web pages of this server. */
export function linksOf(
  config: Context['config'],
  { 'site:web-links': entries }: Pick<Settings, 'site:web-links'>,
): LinkTo {
  const { publicWebUrl, publicUrl, web } = config
  const general = publicWebUrl?.includes('{id}') === false ? `${publicWebUrl}/{type}/{id}` : publicWebUrl
  const own = new Map(entries.map((entry) => [patternOf(entry)?.[1], patternOf(entry)?.[2]]))
  return (type, id) => {
    if (!(LINKED as readonly string[]).includes(type)) return null
    const site = web ? `${publicUrl}/{type}/{id}` : undefined
    const pattern = own.get(type) ?? general ?? site
    return pattern?.replaceAll('{type}', type).replaceAll('{id}', encodeURIComponent(String(id))) ?? null
  }
}

export const webLinks = async (ctx: Context): Promise<LinkTo> => linksOf(ctx.config, await readSettings(ctx))
