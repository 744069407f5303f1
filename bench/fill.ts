import { nameKey } from '#lib/text.ts'
import { addRoles } from '#modules/abilities/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import type { Sql } from '#platform/database'
import { READERS, type Reader } from './operations.ts'
import type { Size } from './sizes.ts'

export type Filled = Record<'viewer' | Reader, { id: number; token: string }>

const LIKES = 2

export async function fill(sql: Sql, size: Size): Promise<Filled> {
  const run = async (what: string, statement: Promise<unknown>) => {
    const started = performance.now()
    await statement
    console.log(`  ${what} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  }
  await run(
    `${size.people} people`,
    sql`with made as (
        insert into users (name, name_key, name_grams, created_at)
        select 'person' || n, 'person' || n, array['pe', 'er'], now() - (${size.people} - n) * interval '1 minute'
        from generate_series(1, ${size.people}) n returning id)
      insert into user_counts (user_id) select id from made`,
  )
  const [{ first }] = await sql<[{ first: number }]>`select min(id) as first from users`
  const indexes = await takeIndexes(sql, ['user_follows', 'feeds', 'feed_topic_links', 'comments', 'likes'])
  await run(
    'follows',
    sql`insert into user_follows (user_id, target_id)
      select ${first} + n % ${size.people}, ${first} + (n % ${size.people} + 1 + n / ${size.people} * 7) % ${size.people}
      from generate_series(0, ${size.people * 10 - 1}) n`,
  )
  await run(
    `${size.topics} topics`,
    sql`with made as (
        insert into feed_topics (name, name_key, name_grams, creator_user_id, status)
        select 'topic ' || n, 'topic ' || n, array['to', 'op'], ${first} + n % ${size.people}, 'passed'
        from generate_series(1, ${size.topics}) n returning id)
      insert into feed_topic_counts (topic_id) select id from made`,
  )
  const [{ topic }] = await sql<[{ topic: number }]>`select min(id) as topic from feed_topics`
  await run(
    `${size.feeds} feeds`,
    sql`insert into feeds (user_id, feed_content, feed_from, feed_mark, has_images, has_topics, created_at,
        like_count, feed_comment_count)
      select ${first} + (n::bigint * 7919) % ${size.people}, 'Something that happened today, number ' || n, 1 + n % 5,
        'mark' || n, false, true, now() - (${size.feeds} - n) * interval '1 second', ${LIKES}, ${size.comments / size.feeds}
      from generate_series(1, ${size.feeds}) n`,
  )
  const [{ feed }] = await sql<[{ feed: number }]>`select min(id) as feed from feeds`
  await run(
    'topic links',
    sql`insert into feed_topic_links (topic_id, feed_id)
      select ${topic} + n % ${size.topics}, ${feed} + n from generate_series(0, ${size.feeds - 1}) n`,
  )
  await run(
    `${size.comments} comments`,
    sql`insert into comments (commentable_type, commentable_id, user_id, target_user, body)
      select 'feeds', ${feed} + (n::bigint * 104729) % ${size.feeds}, ${first} + (n::bigint * 31) % ${size.people}, 0,
        'What I think of it, number ' || n
      from generate_series(1, ${size.comments}) n`,
  )
  await run(
    'likes',
    sql`insert into likes (likeable_type, likeable_id, user_id)
      select 'feeds', ${feed} + n % ${size.feeds}, ${first} + (n + n / ${size.feeds}) % ${size.people}
      from generate_series(0, ${size.feeds * LIKES - 1}) n`,
  )
  await run('indexes', indexes.putBack())
  await run(
    'a group with liked posts',
    sql`with category as (insert into group_categories (name, name_key) values ('bench', 'bench') returning id),
      made_group as (
        insert into groups (name, name_key, name_grams, user_id, category_id, mode, permissions, audit)
        select 'bench', 'bench', array['be'], ${first}, id, 'public', '{member,administrator,founder}', 1 from category
        returning id, user_id
      ),
      counted as (
        insert into group_counts (group_id, users_count, posts_count) select id, 1, ${size.topics} from made_group
      ),
      founder as (
        insert into group_members (group_id, user_id, audit, role) select id, user_id, 1, 'founder' from made_group
      ),
      posts as (
        insert into group_posts (group_id, user_id, title, title_key, title_grams, body, summary, likes_count)
        select c.id, c.user_id, 'post ' || n, 'post ' || n, array['po'], 'A text', 'In short', 50
        from made_group c cross join generate_series(1, ${size.topics}) n
        returning id, user_id
      )
      insert into likes (likeable_type, likeable_id, user_id, target_user)
      select 'group-posts', p.id, ${first} + (p.id * 53 + n) % ${size.people}, p.user_id
      from posts p cross join generate_series(1, 50) n`,
  )
  await run(
    'counters of feeds and topics',
    (async () => {
      await sql`update feed_topic_counts c set feeds_count = l.n from (
        select topic_id as id, count(*) as n from feed_topic_links group by 1) l where l.id = c.topic_id`
      await sql`insert into feed_hots (feed_id, hot, created_at)
        select id, hot, created_at from feeds where created_at > now() - interval '7 days' on conflict do nothing`
    })(),
  )
  await fillMusicAndNews(sql, size, first, run)
  await fillQuestions(sql, size, first, run)
  const name = 'bench'
  const [viewer] = await sql<[{ id: number }]>`
    with made as (insert into users (name, name_key) values (${name}, ${nameKey(name)}) returning id),
    counted as (insert into user_counts (user_id) select id from made)
    select id from made`
  await addRoles(sql, viewer.id, ['founder', 'owner'])
  await sql`insert into user_follows (user_id, target_id) select ${viewer.id}, ${first} + n from generate_series(0, 99) n`
  await sql`
    insert into collections (user_id, collectible_type, collectible_id)
    select ${viewer.id}, 'question-answers', id from answers order by id % 97, id limit 500`
  const [few, many] = [await fillReader(sql, 'few', first, run), await fillReader(sql, 'many', first, run)]
  await run('vacuum and statistics', sql.unsafe('vacuum (analyze)'))
  return {
    viewer: await signedIn(sql, viewer.id),
    few: await signedIn(sql, few),
    many: await signedIn(sql, many),
  }
}

/**
 * Drops indexes and foreign keys before the bulk fill, because rebuilding them afterwards is much faster.
 * Keeps primary and unique keys that foreign keys reference.
 */
async function takeIndexes(sql: Sql, tables: string[]) {
  const taken = await sql<{ drop: string; make: string }[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint k
    where conrelid = any(${tables}::regclass[]) and contype in ('f', 'p', 'u')
      and not exists (select from pg_constraint f where f.contype = 'f' and k.contype <> 'f' and f.conindid = k.conindid)
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index i
    where indrelid = any(${tables}::regclass[])
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`
  for (const { drop } of taken) await sql.unsafe(drop)
  return {
    async putBack() {
      for (const { make } of taken) await sql.unsafe(make)
    },
  }
}

const signedIn = async (sql: Sql, id: number) => ({ id, token: (await issueToken(sql, id)).access_token })

async function fillReader(
  sql: Sql,
  name: Reader,
  person: number,
  run: (what: string, statement: Promise<unknown>) => Promise<void>,
): Promise<number> {
  const count = READERS[name]
  const [{ id }] = await sql<[{ id: number }]>`
    with made as (insert into users (name, name_key) values (${name}, ${nameKey(name)}) returning id),
    counted as (insert into user_counts (user_id) select id from made)
    select id from made`
  await run(
    `${count} notifications of one person`,
    sql`with made as (
        insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id)
        select ${id}, n, gen_random_uuid(), (array['at', 'comment', 'like', 'follow', 'system'])[1 + n % 5],
          case when n % 5 = 4 then 0 else ${person} + n % 1000 end,
          case n % 5
            when 4 then jsonb_build_object('type', 'pinned:feeds', 'state', 'passed', 'feed', jsonb_build_object('id', n))
            else jsonb_build_object('contents', 'What I think of it', 'commentable', jsonb_build_object('type', 'feeds', 'id', n))
          end, 'bench', n
        from generate_series(1, ${count}) n
        returning type, seq
      ),
      counted as (
        insert into notification_counts (user_id, type, unread, total, last_seq, read_seq)
        select ${id}, type, count(*) filter (where seq > ${count / 2}), count(*), max(seq), ${count / 2}
        from made group by type
      ),
      marks as (
        insert into notification_reads (user_id, type, seq) select distinct ${id}::bigint, type, ${count / 2}::bigint from made
      )
      insert into notification_cursors (user_id, last_seq) values (${id}, ${count})`,
  )
  return id
}

async function fillMusicAndNews(
  sql: Sql,
  size: Size,
  person: number,
  run: (what: string, statement: Promise<unknown>) => Promise<void>,
): Promise<void> {
  await run(
    `${size.songs} songs`,
    sql`with singer as (
        insert into music_singers (name, name_key, name_grams) values ('singer', 'singer', array['si']) returning id),
      made as (
        insert into music_songs (title, title_key, title_grams, singer_id, last_time)
        select 'song ' || n, 'song ' || n, array['so', 'on'], singer.id, 200
        from singer, generate_series(1, ${size.songs}) n returning id)
      insert into music_song_counts (song_id) select id from made`,
  )
  await run(
    `${size.news} articles`,
    sql`with category as (
        insert into news_categories (name, name_key, rank)
        select 'category ' || n, 'category ' || n, n from generate_series(1, 20) n returning id),
      made as (
        insert into news (title, title_key, title_grams, subject, subject_given, content, user_id, category_id,
          audit_status, published_at)
        select 'article ' || n, 'article ' || n, array['ar', 'rt'], 'What happened', false, repeat('What happened. ', 50),
          ${person} + n % ${size.people}, (select min(id) from category) + n % 20, 0, now()
        from generate_series(1, ${size.news}) n returning id)
      insert into news_counts (news_id) select id from made`,
  )
  const [{ song, news }] = await sql<[{ song: number; news: number }]>`
    select (select min(id) from music_songs) as song, (select min(id) from news) as news`
  for (const [type, start, count] of [
    ['musics', song, size.songs],
    ['news', news, size.news],
  ] as const)
    await run(
      `comments of ${type}`,
      sql`insert into comments (commentable_type, commentable_id, user_id, target_user, body)
        select ${type}, ${start} + (n::bigint * 104729) % ${count}, ${person} + (n::bigint * 31) % ${size.people}, 0,
          'What I think of it, number ' || n
        from generate_series(1, ${size.remarks}) n`,
    )
  await sql`update music_song_counts s set comment_count = c.n from (
    select commentable_id as id, count(*) as n from comments where commentable_type = 'musics' group by 1) c
    where c.id = s.song_id`
  await sql`update news_counts s set comment_count = c.n from (
    select commentable_id as id, count(*) as n from comments where commentable_type = 'news' group by 1) c
    where c.id = s.news_id`
}

const ANSWERS = 25

async function fillQuestions(
  sql: Sql,
  size: Size,
  person: number,
  run: (what: string, statement: Promise<unknown>) => Promise<void>,
): Promise<void> {
  await run(
    `${size.questions} questions`,
    sql`with topic as (
        insert into question_topics (name, name_key, name_grams) values ('bench', 'bench', array['be']) returning id),
      counted as (
        insert into question_topic_counts (topic_id, questions_count) select id, ${size.questions} from topic),
      made as (
        insert into questions (user_id, subject, subject_key, subject_grams, anonymity, answers_count, status)
        select ${person} + (n::bigint * 7919) % ${size.people}, 'question ' || n || '?', 'question ' || n || '?',
          array['qu', 'ue'], n % 10 = 0, ${ANSWERS}, case when n % 10 = 1 then 1 else 0 end
        from generate_series(1, ${size.questions}) n returning id)
      insert into question_topic_links (topic_id, question_id) select topic.id, made.id from topic, made`,
  )
  await run(
    'answers',
    sql`insert into answers (question_id, user_id, body, anonymity, adoption, likes_count)
      select q.id, ${person} + (q.id * 53 + n * 31) % ${size.people}, repeat('It is so. ', 20), n % 10 = 0,
        q.status = 1 and n = 1, (q.id + n * 7) % 40
      from questions q cross join generate_series(1, ${ANSWERS}) n order by n, q.id`,
  )
  await run(
    'collections of answers',
    sql`insert into collections (user_id, collectible_type, collectible_id)
      select ${person} + (a.id * 17) % ${size.people}, 'question-answers', a.id from answers a where a.id % 3 = 0`,
  )
}
