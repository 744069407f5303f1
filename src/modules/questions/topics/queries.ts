import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import { noBlockBetween, nameContains as userNameContains, withEnabledUser } from '#modules/users/index.ts'
import { andAfterCursor, type Db, ifGiven, limitClause, type Row, when } from '#platform/database'
import type { ExpertsQuery } from './schema.ts'

export type QuestionTopicRow = Row<'question_topics', 'id' | 'name' | 'description'> &
  Row<'question_topic_counts', 'questions_count' | 'follows_count' | 'experts_count'> & {
    avatar: StoredNode | null
    has_follow: boolean
  }

const columns = (sql: Db, viewerId: number) => sql`
  t.id, t.name, t.description, t.avatar, c.questions_count, c.follows_count,
  (
    select count(*)::int from question_topic_experts e ${withEnabledUser(sql, sql`e.user_id`)} where e.topic_id = t.id
  ) as experts_count,
  coalesce((
    select true from question_topic_followers f where f.user_id = ${viewerId} and f.topic_id = t.id
  ), false) as has_follow`

export const nameContains = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and t.name_grams @> ${gramsOfQuery(key)} and t.name_key like ${`%${escapeLike(key)}%`}`,
  )
}

export const listTopics = (
  sql: Db,
  viewerId: number,
  { name, limit = 20, ...page }: { name?: string; limit?: number; offset?: number; after?: number },
) => sql<QuestionTopicRow[]>`
  select ${columns(sql, viewerId)} from question_topics t cross join lateral (
    select * from question_topic_counts n where n.topic_id = t.id offset 0
  ) c
  where true ${nameContains(sql, name)} ${andAfterCursor(sql, sql`t.id`, page.after ?? 0)}
  order by t.id desc ${limitClause(sql, { limit, ...page })}`

export const findTopic = async (
  sql: Db,
  id: number,
  viewerId: number,
): Promise<QuestionTopicRow | undefined> =>
  (
    await sql<QuestionTopicRow[]>`
      select ${columns(sql, viewerId)} from question_topics t join question_topic_counts c on c.topic_id = t.id
      where t.id = ${id}`
  )[0]

export const listTopicsOf = (sql: Db, questionId: number, viewerId: number) => sql<QuestionTopicRow[]>`
  select ${columns(sql, viewerId)} from question_topic_links l
  join question_topics t on t.id = l.topic_id join question_topic_counts c on c.topic_id = t.id
  where l.question_id = ${questionId} order by t.id`

export const listTopicsOfPerson = (
  sql: Db,
  userId: number,
  { type, limit = 20, after = 0 }: { type?: 'follow' | 'expert'; limit?: number; after?: number },
) => {
  const table = type === 'expert' ? sql`question_topic_experts` : sql`question_topic_followers`
  return sql<QuestionTopicRow[]>`
    select ${columns(sql, userId)} from ${table} m
    join question_topics t on t.id = m.topic_id join question_topic_counts c on c.topic_id = t.id
    where m.user_id = ${userId} ${when(sql, after > 0, () => sql`and m.topic_id < ${after}`)}
    order by m.topic_id desc limit ${limit}`
}

/** Increments the follower count only for a new follow. Returns false when the topic does not exist. */
export async function followTopic(sql: Db, topicId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (select id from question_topics where id = ${topicId} for key share),
    made as (
      insert into question_topic_followers (user_id, topic_id) select ${userId}::bigint, id from topic
      on conflict do nothing returning topic_id
    ),
    counted as (
      update question_topic_counts set follows_count = follows_count + 1
      where topic_id in (select topic_id from made)
    )
    select exists (select from topic) as found`
  return row.found
}

/** Decrements the follower count only for a removed follow. Returns false when the topic does not exist. */
export async function unfollowTopic(sql: Db, topicId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (select id from question_topics where id = ${topicId} for key share),
    gone as (
      delete from question_topic_followers f using topic t where f.topic_id = t.id and f.user_id = ${userId}
      returning f.topic_id
    ),
    counted as (
      update question_topic_counts set follows_count = greatest(follows_count - 1, 0)
      where topic_id in (select topic_id from gone)
    )
    select exists (select from topic) as found`
  return row.found
}

/** Links a question to topics. Returns how many of the topics exist. */
export async function linkTopics(sql: Db, questionId: number, topicIds: number[]): Promise<number> {
  const [row] = await sql<[{ found: number }]>`
    with topic as (select id from question_topics where id = any(${topicIds}) order by id for key share),
    link as (
      insert into question_topic_links (topic_id, question_id) select id, ${questionId} from topic
      on conflict do nothing returning topic_id
    ),
    held as (
      select topic_id from question_topic_counts where topic_id in (select topic_id from link)
      order by topic_id for update
    ),
    counted as (
      update question_topic_counts c set questions_count = c.questions_count + 1 from held h
      where c.topic_id = h.topic_id
    )
    select count(*)::int as found from topic`
  return row.found
}

export async function unlinkTopics(sql: Db, questionId: number, except: number[] = []): Promise<void> {
  await sql`
    with gone as (
      delete from question_topic_links where question_id = ${questionId} and topic_id <> all(${except})
      returning topic_id
    ),
    held as (
      select topic_id from question_topic_counts where topic_id in (select topic_id from gone)
      order by topic_id for update
    )
    update question_topic_counts c set questions_count = greatest(c.questions_count - 1, 0) from held h
    where c.topic_id = h.topic_id`
}

export async function listTopicExperts(
  sql: Db,
  topicId: number,
  { limit = 20, after = 0 }: { limit?: number; after?: number },
  viewerId: number,
): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select e.user_id from question_topic_experts e ${withEnabledUser(sql, sql`e.user_id`)}
    where e.topic_id = ${topicId} ${when(sql, after > 0, () => sql`and e.user_id < ${after}`)}
      ${noBlockBetween(sql, viewerId, sql`e.user_id`)}
    order by e.user_id desc limit ${limit}`
  return rows.map((row) => row.user_id)
}

export async function listExperts(
  sql: Db,
  { topics, keyword, limit = 20, offset, after }: ExpertsQuery,
  viewerId: number,
): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select x.user_id from question_people x ${withEnabledUser(sql, sql`x.user_id`)}
    where exists (
      select from question_topic_experts e
      where e.user_id = x.user_id ${ifGiven(sql, topics, (value) => sql`and e.topic_id = any(${value})`)}
    )
    ${userNameContains(sql, keyword)} ${noBlockBetween(sql, viewerId, sql`x.user_id`)}
    ${ifGiven(sql, after || undefined, (id) => {
      const last = sql`(select income from question_people where user_id = ${id})`
      return sql`and x.income <= ${last} and (x.income < ${last} or x.user_id > ${id})`
    })}
    order by x.income desc, x.user_id ${limitClause(sql, { limit, offset, after })}`
  return rows.map((row) => row.user_id)
}

export async function addExpert(sql: Db, topicId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ made: boolean }]>`
    with made as (
      insert into question_topic_experts (topic_id, user_id) values (${topicId}, ${userId})
      on conflict do nothing returning topic_id
    ),
    earner as (
      insert into question_people (user_id) select ${userId}::bigint from made on conflict do nothing
    ),
    counted as (
      update question_topic_counts set experts_count = experts_count + 1
      where topic_id in (select topic_id from made)
    )
    select exists (select from made) as made`
  return row.made
}

export async function removeExpert(sql: Db, topicId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ gone: boolean }]>`
    with gone as (
      delete from question_topic_experts where topic_id = ${topicId} and user_id = ${userId} returning topic_id
    ),
    counted as (
      update question_topic_counts set experts_count = greatest(experts_count - 1, 0)
      where topic_id in (select topic_id from gone)
    )
    select exists (select from gone) as gone`
  return row.gone
}

export type TopicValues = { name: string; description: string; avatar: StoredNode | null }

export async function insertTopic(sql: Db, { name, description, avatar }: TopicValues): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into question_topics (name, name_key, name_grams, description, avatar)
      values (${name}, ${nameKey(name)}, ${grams(name)}, ${description}, ${avatar && sql.json(avatar)})
      returning id
    ),
    counted as (insert into question_topic_counts (topic_id) select id from made)
    select id from made`
  return row.id
}

export const updateTopic = (sql: Db, id: number, { name, description, avatar }: Partial<TopicValues>) => sql`
  update question_topics set updated_at = now()
    ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
    ${ifGiven(sql, description, (value) => sql`, description = ${value}`)}
    ${ifGiven(sql, avatar, (value) => sql`, avatar = ${value && sql.json(value)}`)}
  where id = ${id}`

export const deleteTopic = (sql: Db, id: number) => sql`delete from question_topics where id = ${id}`

export const isNameTaken = async (sql: Db, name: string): Promise<boolean> =>
  (await sql`select from question_topics where name_key = ${nameKey(name)}`).length > 0
