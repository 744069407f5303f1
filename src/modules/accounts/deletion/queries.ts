import type { Db, Row, Tx } from '#platform/database'

/** Schedules an account for deletion, unless it is scheduled already. Returns the due time. */
export async function insertDeletion(tx: Tx, userId: number, days: number): Promise<string> {
  const [row] = await tx<[{ due_at: string }]>`
    insert into account_deletions as d (user_id, due_at) values (${userId}, now() + make_interval(days => ${days}))
    on conflict (user_id) do update set due_at = least(d.due_at, excluded.due_at) returning due_at`
  return row.due_at
}

/**
 * Cancels a deletion. False if there is none. The caller holds the lock of the account, so that no erasure
 * runs meanwhile.
 */
export async function deleteDeletion(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx`
    delete from account_deletions where user_id = ${userId}
      and exists (select from users where id = ${userId} and erased_at is null) returning 1`
  return rows.length === 1
}

/** Accounts past their grace period, longest first. */
export async function listDue(sql: Db, limit: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from account_deletions where finished_at is null and due_at <= now()
    order by due_at limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}

export type DueRow = Row<'users', 'id' | 'email' | 'email_key' | 'phone' | 'avatar' | 'bg' | 'erased_at'>

/** Locks a due account. A concurrent sign-in waits, or has cancelled the deletion before. */
export async function lockDue(tx: Tx, userId: number): Promise<DueRow | undefined> {
  const [person] = await tx<DueRow[]>`
    select id, email, email_key, phone, avatar, bg, erased_at from users where id = ${userId} for update`
  const due = await tx`
    select from account_deletions where user_id = ${userId} and finished_at is null and due_at <= now()`
  return due.length === 1 ? person : undefined
}

/**
 * Erases personal data of a user. The new name contains a space, so that it is neither available nor
 * searchable.
 */
export async function eraseUser(tx: Tx, { id, email_key, phone }: DueRow): Promise<void> {
  const name = `deleted ${id}`
  const accounts = [email_key, phone].filter((each) => each !== null)
  await tx`
    update users set name = ${name}, name_key = ${name}, name_grams = '{}', email = null, email_key = null,
      phone = null, password = null, bio = null, sex = 0, location = null, avatar = null, bg = null, verified = null,
      email_verified_at = null, phone_verified_at = null, recommended_at = null, updated_at = now(),
      deleted_at = coalesce(deleted_at, now()), erased_at = now()
    where id = ${id}`
  await tx`delete from verification_codes where account = any(${accounts})`
  await tx`delete from second_factors where user_id = ${id}`
  await tx`delete from famous_users where user_id = ${id}`
  await tx`update invitations set ended_at = coalesce(ended_at, now()), note = null where user_id = ${id}`
  await tx`update registration_requests set name = ${name}, introduction = null where user_id = ${id}`
  await tx`delete from user_blocks where user_id = ${id} or target_id = ${id}`
}

/** Removes a batch of a user's follows in both directions and updates both counters. Returns their number. */
export async function endFollowings(sql: Db, userId: number, limit: number): Promise<number> {
  const [row] = await sql<[{ gone: number }]>`
    with links as (
      delete from user_follows where (user_id, target_id) in (
        (select user_id, target_id from user_follows where user_id = ${userId} limit ${limit})
        union all
        (select user_id, target_id from user_follows where target_id = ${userId} limit ${limit})
      )
      returning user_id, target_id
    ),
    changes as (
      select id, sum(followings)::bigint as followings, sum(followers)::bigint as followers from (
        select user_id as id, 1 as followings, 0 as followers from links
        union all
        select target_id, 0, 1 from links
      ) sides group by id
    ),
    -- Locks in the same order as every other follow, to avoid deadlocks.
    locked as (
      select c.user_id from user_counts c where c.user_id in (select id from changes) order by c.user_id for update
    ),
    counted as (
      update user_counts c set followings_count = greatest(c.followings_count - d.followings, 0),
        followers_count = greatest(c.followers_count - d.followers, 0), updated_at = now()
      from locked l join changes d on d.id = l.user_id where c.user_id = l.user_id
    )
    select count(*)::int as gone from links`
  return row.gone
}

export const finishDeletion = (sql: Db, userId: number) => sql`
  update account_deletions set finished_at = now() where user_id = ${userId}`

/** Erased users by id, to find data that reached them later. */
export async function listErased(sql: Db, after: number, limit: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from account_deletions where finished_at is not null and user_id > ${after}
    order by user_id limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}

export async function isErased(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`select from users where id = ${userId} and erased_at is not null`
  return rows.length === 1
}
