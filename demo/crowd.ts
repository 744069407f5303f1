import { invalidatePeriodSums } from '#contracts/period-sums.ts'
import { grams, nameKey } from '#lib/text.ts'
import type { Sql, Tx } from '#platform/database'
import type { Chance } from './chance.ts'
import type { Language } from './words.ts'
import { CROWD, GIVEN, REMARKS } from './words.ts'

export type CrowdSize = { people: number; feeds: number }
export type CrowdPeople = { first: number; people: number }

const CHUNK = 25_000
const DAYS = 300
const SEARCHED = 50_000
const FOLLOWINGS = 12

const patiently = <T>(sql: Sql, work: (tx: Tx) => Promise<T>) =>
  sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local synchronous_commit = off`
    return work(tx)
  }) as Promise<T>

/**
 * Inserts users, follows, feeds, comments and likes by SQL, with correct counters. Avoids random functions of the
 * database, so that a seed always generates the same rows.
 */
export async function writeCrowd(
  sql: Sql,
  chance: Chance,
  size: CrowdSize,
  until: Date,
  progress: (share: number, what: string) => void,
): Promise<CrowdPeople> {
  const languages: Language[] = ['en', 'zh']
  const texts = languages.flatMap((language) =>
    Array.from({ length: 1_500 }, () => {
      const { begins, goes, ends } = CROWD[language]
      return [chance.one(begins), chance.one(goes), chance.one(ends)]
        .join(language === 'en' ? ' ' : '，')
        .replace('：，', '：')
        .replace('。，', '。')
    }),
  )
  const remarks = languages.flatMap((language) => REMARKS[language])
  const from = new Date(until.getTime() - DAYS * 86_400_000)
  const first = await writePeople(sql, size.people, from)
  const salt = chance.between(1, 1_000_000)
  const [{ base }] = await sql<[{ base: number }]>`select coalesce(max(id), 0)::int as base from feeds`
  const begun = performance.now()
  for (let at = 0; at < size.feeds; at += CHUNK) {
    const count = Math.min(CHUNK, size.feeds - at)
    progress(
      at / size.feeds,
      `creating users and feeds: ${at.toLocaleString('en')} feeds, ${Math.round(at / ((performance.now() - begun) / 1000 + 0.001)).toLocaleString('en')} feeds per second`,
    )
    await patiently(sql, async (tx) => {
      await tx`
        create temporary table crowd_feeds on commit drop as
        select n, mixed, ${first} + (mixed % ${size.people})::int as author, ((mixed >> 7) % 4)::int as comments,
          ((mixed >> 11) % 7)::int as likes, ${from}::timestamptz + n * (${until}::timestamptz - ${from}::timestamptz) / ${size.feeds} as at
        from (select n, (n::bigint * 2654435761 + ${salt}) % 4294967291 as mixed
          from generate_series(${at}::int, ${at + count - 1}::int) n) numbers`
      await tx`
        insert into feeds (user_id, feed_content, feed_from, feed_mark, feed_comment_count, like_count, feed_view_count, created_at, updated_at)
        select author, (${texts}::text[])[1 + (mixed >> 5) % ${texts.length}], 1 + mixed % 5, 'crowd ' || n, comments, likes,
          comments * 9 + likes * 14 + mixed % 40, at, at
        from crowd_feeds order by n`
      await tx`
        create temporary table crowd_ids on commit drop as
        select c.*, f.id from crowd_feeds c join feeds f on f.user_id = c.author and f.feed_mark = 'crowd ' || c.n`
      await tx`
        insert into comments (commentable_type, commentable_id, user_id, target_user, body, created_at, updated_at)
        select 'feeds', id, ${first} + (author - ${first} + 1 + k * 17 + (mixed >> 3) % 11) % ${size.people}, author,
          (${remarks}::text[])[1 + ((mixed >> 4) + k * 5) % ${remarks.length}], at + k * interval '37 minutes', at + k * interval '37 minutes'
        from crowd_ids cross join lateral generate_series(1, comments) k order by n, k`
      // Likers are at distinct, nonzero offsets from the author, so that no user likes their own feed or likes a
      // feed twice.
      await tx`
        insert into likes (likeable_type, likeable_id, user_id, target_user, created_at)
        select 'feeds', id, ${first} + (author - ${first} + 1 + k * 13 + (mixed >> 9) % 11) % ${size.people}, author, at + k * interval '11 minutes'
        from crowd_ids cross join lateral generate_series(1, likes) k order by n, k`
      await tx`
        update user_counts u set feeds_count = feeds_count + c.feeds, likes_count = likes_count + c.likes
        from (select author, count(*) as feeds, sum(likes) as likes from crowd_ids group by author) c where u.user_id = c.author`
    })
  }
  progress(0.99, 'a crowd: what it counts')
  await patiently(sql, async (tx) => {
    await invalidatePeriodSums(tx)
    await tx`
      update user_counts u set comments_count = c.written
      from (select user_id, count(*) as written from comments where user_id >= ${first} and user_id < ${first + size.people} group by 1) c
      where u.user_id = c.user_id`
    const latest = await tx<{ id: number; feed_content: string }[]>`
      select id, feed_content from feeds where id > ${base} order by id desc limit ${SEARCHED}`
    const known = new Map(texts.map((text) => [text, { key: nameKey(text), pieces: grams(nameKey(text)) }]))
    await tx`create temporary table crowd_texts (text text primary key, key text, pieces text[]) on commit drop`
    await tx`
      insert into crowd_texts select text, key, array(select jsonb_array_elements_text(pieces))
      from jsonb_to_recordset(${tx.json([...known].map(([text, { key, pieces }]) => ({ text, key, pieces })))}) as t (text text, key text, pieces jsonb)`
    await tx`
      insert into feed_search (feed_id, content_key, content_grams)
      select f.id, t.key, t.pieces from feeds f join crowd_texts t on t.text = f.feed_content
      where f.id >= ${latest.at(-1)?.id ?? 0} on conflict do nothing`
  })
  await patiently(sql, (tx) => tx`analyze`)
  return { first, people: size.people }
}

async function writePeople(sql: Sql, count: number, at: Date): Promise<number> {
  const people = Array.from({ length: count }, (_, n) => {
    const given = GIVEN[n % 2 === 0 ? 'en' : 'zh']
    const name = `${given[n % given.length]}_${n + 1}`
    return { name, key: nameKey(name), pieces: grams(nameKey(name)) }
  })
  return patiently(sql, async (tx) => {
    const ids: number[] = []
    for (let from = 0; from < people.length; from += 2_000) {
      const rows = await tx<{ id: number }[]>`
        with made as (
          insert into users (name, name_key, name_grams, created_at, updated_at)
          select name, key, array(select jsonb_array_elements_text(pieces)), ${at}, ${at}
          from jsonb_to_recordset(${tx.json(people.slice(from, from + 2_000))}) as t (name text, key text, pieces jsonb)
          returning id),
        counted as (
          insert into user_counts (user_id, followers_count, followings_count) select id, ${FOLLOWINGS}, ${FOLLOWINGS} from made),
        able as (insert into user_roles (user_id, role_id) select made.id, roles.id from made, roles where roles.name = 'owner')
        select id from made order by id`
      ids.push(...rows.map(({ id }) => id))
    }
    const [first = 0] = ids
    if (ids.at(-1) !== first + count - 1)
      throw new Error('another user registered while the demo users were created')
    await tx`
      insert into user_follows (user_id, target_id, created_at)
      select ${first} + n, ${first} + (n + k * k * 3 + 1) % ${count}, ${at}
      from generate_series(0, ${count - 1}) n cross join generate_series(1, ${FOLLOWINGS}) k`
    return first
  })
}
