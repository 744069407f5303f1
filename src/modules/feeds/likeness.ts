import { gramsOfQuery, nameKey } from '#lib/text.ts'
import { type Db, type Fragment, ifGiven } from '#platform/database'
import { searchableText } from './publishing.ts'

type Likeness = { text?: string | undefined; host?: string | undefined }

/** Matches a host in a text as a whole, with or without `www.`, a scheme, a port or a path. */
const patternOfHost = (host: string) =>
  `(^|[^a-z0-9.-])(www\\.)?${host.replaceAll('.', '\\.')}(\\.?([^a-z0-9.-]|$))`

/**
 * Selects `user_id` and `feed_id` of feeds with this text or with a link to this host, ignoring case, width and spaces.
 * Reads the index of the search, which has the first 500 characters of texts that need no payment.
 */
export const selectAlike = (sql: Db, { text, host }: Likeness): Fragment => sql`
  select f.user_id, f.id as feed_id from feed_search s join feeds f on f.id = s.feed_id
  where true
    ${ifGiven(sql, text, (value) => {
      const { key } = searchableText(value)
      return sql`and s.content_grams @> ${gramsOfQuery(key)} and s.content_key = ${key}`
    })}
    ${ifGiven(sql, host, (value) => {
      const key = nameKey(value)
      return sql`and s.content_grams @> ${gramsOfQuery(key)} and s.content_key ~ ${patternOfHost(key)}`
    })}`
