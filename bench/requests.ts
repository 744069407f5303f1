import { issueToken } from '#modules/tokens/index.ts'
import type { Sql } from '#platform/database'
import type { Filled } from './fill.ts'
import { idAt, type Operation, type Range } from './operations.ts'
import type { Size } from './sizes.ts'

const READING_PEOPLE = 50

export type Ranges = Record<NonNullable<Operation['range']>, Range>

export async function peopleOf(sql: Sql): Promise<Filled> {
  const [{ people }] = await sql<[{ people: Filled }]>`select people from bench_people`
  const ids = Object.values(people).map(({ id }) => id)
  await sql`update tokens set expires_at = now() + interval '1 day', refresh_until = now() + interval '2 days'
    where user_id = any(${ids})`
  return people
}

export async function readersOf(sql: Sql, { people }: Ranges): Promise<string[]> {
  const ids = Array.from({ length: READING_PEOPLE }, (_, n) => people.from + ((n * 37) % people.count))
  return Promise.all(ids.map(async (id) => (await issueToken(sql, id)).access_token))
}

export async function rangesOf(sql: Sql, size: Size): Promise<Ranges> {
  const [row] = await sql<[Record<NonNullable<Operation['range']>, number>]>`
    select (select min(id) from feed_topics) as topics, (select min(id) from feeds) as feeds,
      (select min(id) from users) as people, (select min(id) from group_posts) as posts,
      (select min(id) from music_songs) as songs, (select min(id) from news) as news,
      (select min(id) from questions) as questions`
  return {
    topics: { from: row.topics, count: size.topics },
    feeds: { from: row.feeds, count: size.feeds },
    people: { from: row.people, count: size.people },
    posts: { from: row.posts, count: size.topics },
    songs: { from: row.songs, count: size.songs },
    news: { from: row.news, count: size.news },
    questions: { from: row.questions, count: size.questions },
  }
}

export function requestOf(operation: Operation, ranges: Ranges) {
  return (n: number) => {
    const range = operation.range ? ranges[operation.range] : { from: 0, count: 1 }
    const id = idAt(range, n, operation.method === 'GET')
    return {
      path: `/api/v2${operation.path.replace('{n}', String(id))}`,
      ...(operation.body ? { body: JSON.stringify(operation.body(n)) } : {}),
    }
  }
}

/**
 * Deletes feeds newer than `newest`, because new feeds without comments would make later list requests
 * cheaper.
 */
export async function takeBackFeeds(sql: Sql, newest: number): Promise<void> {
  await sql`
    with gone as (delete from feeds where id > ${newest} returning user_id)
    update user_counts c set feeds_count = c.feeds_count - g.n
    from (select user_id, count(*)::int as n from gone group by user_id) g where c.user_id = g.user_id`
}
