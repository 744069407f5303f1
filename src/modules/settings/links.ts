import type { Context } from '#platform/context.ts'

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
  { 'site:web-links': entries }: { 'site:web-links': readonly string[] },
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
