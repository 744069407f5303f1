import type { Context } from '#platform/context.ts'
import type { Settings } from '../registry.ts'
import { readSettings } from '../service.ts'

/** What a web client has pages for (notifications-17); `account` has `sessions`, `exports` and the like for an id. */
const LINKED = [
  ...['feeds', 'news', 'musics', 'music_specials', 'questions', 'question-answers', 'groups', 'group-posts'],
  ...['users', 'feed-topics', 'question-topics', 'account'],
] as const

/** The address at which the web client shows a thing; null where it has none. */
export type LinkTo = (type: string, id: number | string) => string | null

const patternOf = (entry: string) => /^(\S+) (https?:\/\/\S+)$/i.exec(entry)

/** Whether an entry of `site:web-links` is a kind of thing and an address with `{id}`. */
export function isWebLink(entry: string): boolean {
  const [, type = '', address = ''] = patternOf(entry) ?? []
  return (LINKED as readonly string[]).includes(type) && address.includes('{id}')
}

/** Links by `site:web-links`, else below `PUBLIC_WEB_URL`. */
export function linksOf(
  { publicWebUrl }: Context['config'],
  { 'site:web-links': entries }: Pick<Settings, 'site:web-links'>,
): LinkTo {
  const general =
    publicWebUrl === undefined || publicWebUrl.includes('{id}') ? publicWebUrl : `${publicWebUrl}/{type}/{id}`
  const own = new Map(entries.map((entry) => [patternOf(entry)?.[1], patternOf(entry)?.[2]]))
  return (type, id) => {
    if (!(LINKED as readonly string[]).includes(type)) return null
    const pattern = own.get(type) ?? general
    return pattern?.replaceAll('{type}', type).replaceAll('{id}', encodeURIComponent(String(id))) ?? null
  }
}

/** The same with the settings in force. */
export const webLinks = async (ctx: Context): Promise<LinkTo> => linksOf(ctx.config, await readSettings(ctx))
