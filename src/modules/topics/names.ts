import { parseText } from '#lib/markup/parse.ts'
import { findCandidates, hasSign, meantRows } from '#lib/markup/references.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Row } from '#platform/database'
import { defineFragments } from '#platform/memory'

export type TopicName = Row<'feed_topics', 'name' | 'status' | 'creator_user_id'>

/** Applies the condition of `visibleTopics` for a viewer who is not a reviewer. */
export const isTopicVisible = ({ status, creator_user_id }: TopicName, viewerId: number): boolean =>
  status === 'passed' || creator_user_id === viewerId

/** Selects a version that changes with the name or visibility of any topic. */
export const topicNamesVersion = (sql: Db): Fragment => sql`(select version from feed_topics_version)`

/** Returns a row without a name for each deleted topic, because cached texts of feeds keep its id. */
const listNames = (sql: Db, ids: number[]) => sql<
  ({ id: number; version: number } & (TopicName | { [Key in keyof TopicName]: null }))[]
>`
  select i.id, t.name, t.status, t.creator_user_id, ${topicNamesVersion(sql)} as version
  from unnest(${ids}::bigint[]) as i (id) left join feed_topics t on t.id = i.id`

const namesOf = defineFragments<{ topic?: TopicName }>()

/** Finds names by topic id. Omits deleted topics. `version` is the result of `topicNamesVersion`. */
export async function findTopicNames(
  ctx: Context,
  version: number,
  ids: number[],
): Promise<Map<number, TopicName>> {
  const found = await namesOf(ctx).find(
    [...new Set(ids)].map((id) => ({ id, version })),
    async (missing) => {
      const rows = await listNames(ctx.sql, missing)
      return rows.map(({ id, version: read, ...topic }) => ({
        id,
        version: read,
        value: topic.name === null ? {} : { topic },
      }))
    },
  )
  return new Map([...found].flatMap(([id, { topic }]) => (topic ? [[id, topic] as const] : [])))
}

/** Number of signs in a text that may name a topic. */
const NAMED_MAX = 20

/** Finds the topics that a text names after `#` and that its author may see, with the key of the name. */
export async function findNamedTopics(
  sql: Db,
  userId: number,
  text: string,
): Promise<{ id: number; key: string }[]> {
  if (!hasSign(text, '#')) return []
  const lists = findCandidates(parseText(text, 'plain'), '#', NAMED_MAX)
  if (lists.length === 0) return []
  const rows = await sql<{ id: number; key: string }[]>`
    select id, name_key as key from feed_topics
    where name_key = any(${[...new Set(lists.flat())]}) and (status = 'passed' or creator_user_id = ${userId})`
  return meantRows(lists, rows)
}

/** Names and keys of the public topics among `ids`. */
export const listTopicNames = (sql: Db, ids: number[]) => sql<{ id: number; key: string; name: string }[]>`
  select id, name_key as key, name from feed_topics where id = any(${ids}) and status = 'passed'`
