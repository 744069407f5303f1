import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Row } from '#platform/database'
import { defineFragments } from '#platform/memory'

export type TopicName = Row<'feed_topics', 'name' | 'status' | 'creator_user_id'>

/** Applies the condition of `visibleTopics` for a viewer who is not a reviewer. */
export const isTopicVisible = ({ status, creator_user_id }: TopicName, viewerId: number): boolean =>
  status === 'passed' || creator_user_id === viewerId

/** Selects a version that changes with the name or visibility of any topic. */
export const topicNamesVersion = (sql: Db): Fragment => sql`(select version from feed_topics_version)`

const listNames = (sql: Db, ids: number[]) => sql<(TopicName & { id: number; version: number })[]>`
  select t.id, t.name, t.status, t.creator_user_id, ${topicNamesVersion(sql)} as version
  from feed_topics t where t.id = any(${ids})`

const namesOf = defineFragments<TopicName>()

/** Finds names by topic id. Omits deleted topics. `version` is the result of `topicNamesVersion`. */
export const findTopicNames = (
  ctx: Context,
  version: number,
  ids: number[],
): Promise<Map<number, TopicName>> =>
  namesOf(ctx).find(
    [...new Set(ids)].map((id) => ({ id, version })),
    async (missing) => {
      const rows = await listNames(ctx.sql, missing)
      return rows.map(({ id, version: read, ...value }) => ({ id, version: read, value }))
    },
  )
