import { feedViewCounts } from '#modules/feeds/index.ts'
import { viewsOf } from '#modules/groups/index.ts'
import { playsOf } from '#modules/music/index.ts'
import { hitsOf } from '#modules/news/index.ts'
import { answerViewCounts, questionViewCounts } from '#modules/questions/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Sql } from '#platform/database'
import type { Chance } from './chance.ts'
import type { CrowdPeople } from './crowd.ts'

const CROWD_SHARE = 8

export function planVisits(chance: Chance, people: number, days: number): { day: number; person: number }[] {
  const habits = Array.from({ length: people }, () => 0.25 + 0.65 * chance.number())
  return Array.from({ length: days }, (_, day) => {
    const tide = (0.55 + (0.45 * day) / days) * (day % 7 < 5 ? 0.85 : 1)
    return habits.flatMap((habit, person) => (chance.happens(habit * tide) ? [{ day, person }] : []))
  }).flat()
}

export async function tellVisits(
  sql: Sql,
  chance: Chance,
  told: { members: number[]; days: number; crowd: CrowdPeople | undefined },
): Promise<void> {
  const { members, days, crowd } = told
  const visits = planVisits(chance, members.length, days + 1)
  const salt = chance.between(1, 1_000_000)
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    // Removes the recorded activity of demo users, because it comes from the requests of the generator.
    await tx`delete from active_people where user_id = any(${members}::bigint[])`
    await tx`
      insert into active_people (day, user_id)
      select current_date - ${days}::int + day, person
      from unnest(${visits.map(({ day }) => day)}::int[], ${visits.map(({ person }) => members[person]!)}::bigint[]) v (day, person)
      union select created_at::date, user_id from feeds where user_id = any(${members}::bigint[])
      union select created_at::date, user_id from comments where user_id = any(${members}::bigint[])
      on conflict do nothing`
    if (crowd)
      await tx`
        insert into active_people (day, user_id)
        select current_date - back, ${crowd.first} + n
        from generate_series(0, ${days}::int) back cross join generate_series(0, ${crowd.people - 1}::int) n
        where ((n::bigint * 64 + back) * 2654435761 + ${salt}) % 4294967291 % 100 < ${CROWD_SHARE}
        on conflict do nothing`
    await tx`
      insert into last_active_days as l (user_id, last_day)
      select user_id, max(day) from active_people group by user_id
      on conflict (user_id) do update set last_day = excluded.last_day where l.last_day < excluded.last_day`
  })
}

export async function tellViews(ctx: Context, chance: Chance, members: number[]): Promise<void> {
  const own = (sql: Db, column: Fragment) => sql`${column} = any(${members}::bigint[])`
  const kinds = [
    [
      feedViewCounts,
      (sql: Db) => sql`
        select id, like_count + feed_comment_count as fame from feeds where ${own(sql, sql`user_id`)} order by id`,
    ],
    [
      questionViewCounts,
      (sql: Db) => sql`
        select id, answers_count * 2 + watchers_count as fame from questions
        where ${own(sql, sql`user_id`)} order by id`,
    ],
    [
      answerViewCounts,
      (sql: Db) =>
        sql`select id, likes_count as fame from answers where ${own(sql, sql`user_id`)} order by id`,
    ],
    [
      viewsOf,
      (sql: Db) => sql`
        select id, likes_count + comments_count as fame from group_posts where ${own(sql, sql`user_id`)} order by id`,
    ],
    [
      hitsOf,
      (sql: Db) => sql`
        select n.id, c.digg_count + c.comment_count as fame from news n join news_counts c on c.news_id = n.id
        where n.audit_status = 0 and ${own(sql, sql`n.user_id`)} order by n.id`,
    ],
    [
      playsOf,
      (sql: Db) => sql`
        select s.id, k.fame from music_songs s join music_song_counts c on c.song_id = s.id
          cross join lateral (select count(*)::int + c.comment_count as fame from likes l
            where l.likeable_type = 'musics' and l.likeable_id = s.id and ${own(sql, sql`l.user_id`)}) k
        where k.fame > 0 order by s.id`,
    ],
  ] as const
  for (const [countsOf, find] of kinds) {
    const rows = await ctx.sql<{ id: number; fame: number }[]>`${find(ctx.sql)}`
    for (const { id, fame } of rows)
      countsOf(ctx).add(Array.from({ length: fame * chance.between(5, 9) + chance.between(4, 40) }, () => id))
  }
}
