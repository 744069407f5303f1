import type { Db } from '#platform/database'

/** `followed`: every new account follows the famous user. `each`: the famous user also follows back. */
export const FAMOUS_TYPES = ['followed', 'each'] as const
export type FamousType = (typeof FAMOUS_TYPES)[number]

/** Lets a new user follow the famous ones and those of type `each` follow back. Counts only new follows. */
export async function followFamous(sql: Db, userId: number): Promise<void> {
  await sql`
    with famous as (
      select f.user_id, f.type from famous_users f join users u on u.id = f.user_id and u.deleted_at is null
      where f.user_id <> ${userId}
    ),
    -- Locks users before inserting links, in the order of every other follow, so that concurrent
    -- registrations do not deadlock.
    locked as (
      select user_id from user_counts
      where exists (select from famous) and (user_id = ${userId} or user_id in (select user_id from famous))
      order by user_id for update
    ),
    links as (
      insert into user_follows (user_id, target_id)
      select ${userId}::bigint, user_id from famous
      union all
      select user_id, ${userId}::bigint from famous where type = 'each'
      on conflict do nothing returning user_id, target_id
    )
    update user_counts c set
      followings_count = c.followings_count + (select count(*) from links l where l.user_id = c.user_id),
      followers_count = c.followers_count + (select count(*) from links l where l.target_id = c.user_id),
      updated_at = now()
    from locked where c.user_id = locked.user_id`
}

/** Makes a user famous or changes the kind. Undefined for an unknown user, false without a change. */
export async function makeFamous(sql: Db, userId: number, type: FamousType): Promise<boolean | undefined> {
  const [row] = await sql<{ changed: boolean }[]>`
    with person as (select id from users where id = ${userId} and deleted_at is null),
    kept as (
      insert into famous_users as f (user_id, type) select id, ${type} from person
      on conflict (user_id) do update set type = excluded.type where f.type <> excluded.type
      returning user_id
    )
    select exists (select from kept) as changed from person`
  return row?.changed
}

export async function endFame(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`delete from famous_users where user_id = ${userId} returning user_id`
  return rows.length > 0
}
