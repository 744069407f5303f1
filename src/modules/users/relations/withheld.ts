import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { restoreNotifications, type Withheld, withholdNotifications } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, type Row, type Tx, transaction } from '#platform/database'
import { addJob, type Schedule, type TaskList } from '#platform/jobs'
import { withdrawNoticesOf } from './notices.ts'

/** Maximum number of follows that one transaction moves. */
const BATCH = 500

type Link = Row<'withheld_follows', 'user_id' | 'target_id'> & { notice: Withheld | null }

/** Changes the counters of the people in `links (user_id, target_id)`, in the order of user ids to avoid deadlocks. */
const countLinks = (sql: Db, change: 1 | -1): Fragment => sql`
  changes as (
    select id, sum(followings)::bigint as followings, sum(followers)::bigint as followers from (
      select user_id as id, 1 as followings, 0 as followers from links
      union all
      select target_id, 0, 1 from links
    ) sides group by id
  ),
  locked as (
    select c.user_id from user_counts c where c.user_id in (select id from changes) order by c.user_id for update
  ),
  counted as (
    update user_counts c set followings_count = greatest(c.followings_count + d.followings * ${change}::int, 0),
      followers_count = greatest(c.followers_count + d.followers * ${change}::int, 0), updated_at = now()
    from locked l join changes d on d.id = l.user_id where c.user_id = l.user_id
  )`

/** Locks the counters of `ids` in the order of `lockPair`, in an earlier statement than the change of the follows. */
const holdCounts = (tx: Tx, ids: readonly number[]) => tx`
  select from user_counts where user_id = any(${ids}) order by user_id for update`

/** Locks the accounts of `ids` that are enabled or disabled, so that their state lasts until the commit. */
const holdAccounts = async (tx: Tx, ids: readonly number[], disabled: boolean): Promise<number[]> =>
  (
    await tx<{ id: number }[]>`
      select id from users where id = any(${ids}) and (deleted_at is not null) = ${disabled} order by id for share`
  ).map(({ id }) => id)

const findDisabled = async (sql: Db, ids: readonly number[]): Promise<number[]> =>
  (await sql<{ id: number }[]>`select id from users where id = any(${ids}) and deleted_at is not null`).map(
    ({ id }) => id,
  )

type Pair = { user_id: number; target_id: number }

const sidesOf = (pairs: readonly Pair[]): number[] => [
  ...new Set(pairs.flatMap(({ user_id, target_id }) => [user_id, target_id])),
]

type EndedFollow = Row<'user_follows', 'user_id' | 'target_id' | 'id' | 'created_at'>

/**
 * Deletes some follows of the accounts, in both directions, with their counts. Locks the counters before the follows and
 * before the accounts that `hold` locks and returns, as a new follow and a block do, because another order would deadlock
 * with them. `seen` is 0 when none is left.
 */
export async function deleteFollows(
  tx: Tx,
  ids: readonly number[],
  hold: () => Promise<readonly number[]> = async () => ids,
): Promise<{ seen: number; links: EndedFollow[] }> {
  const side = (column: Fragment) => tx`
    (select user_id, target_id from user_follows where ${column} = any(${ids}) limit ${BATCH})`
  const chosen = await tx<Pair[]>`
    select user_id, target_id from (${side(tx`user_id`)} union ${side(tx`target_id`)}) s limit ${BATCH}`
  if (chosen.length === 0) return { seen: 0, links: [] }
  await holdCounts(tx, sidesOf(chosen))
  const ended = new Set(await hold())
  const pairs = chosen.filter(({ user_id, target_id }) => ended.has(user_id) || ended.has(target_id))
  const links = await tx<EndedFollow[]>`
    with chosen as (
      select * from unnest(${pairs.map(({ user_id }) => user_id)}::bigint[], ${pairs.map(({ target_id }) => target_id)}::bigint[])
        as p (user_id, target_id)
    ),
    links as (
      delete from user_follows f using chosen c where f.user_id = c.user_id and f.target_id = c.target_id
      returning f.user_id, f.target_id, f.id, f.created_at
    ),
    ${countLinks(tx, -1)}
    select user_id, target_id, id, created_at from links`
  return { seen: chosen.length, links }
}

/** Removes the unread notifications of follows by `followers`, and returns them for a restoration. */
export const withholdFollowNotices = (tx: Tx, links: readonly Pair[], followers: readonly number[]) => {
  const ended = new Set(followers)
  return withholdNotifications(
    tx,
    'follow',
    links
      .filter(({ user_id }) => ended.has(user_id))
      .map(({ user_id, target_id }) => ({
        sender: user_id,
        recipient: target_id,
        cause: { type: 'users', id: target_id },
      })),
  )
}

/** Moves follows of disabled accounts out of `user_follows`, with their unread notifications. */
async function withhold(tx: Tx, ids: readonly number[]): Promise<number> {
  const disabled = await findDisabled(tx, ids)
  if (disabled.length === 0) return 0
  // An account that is enabled in between keeps its follows, and the next batch does not find it.
  const { seen, links } = await deleteFollows(tx, disabled, () => holdAccounts(tx, disabled, true))
  if (seen === 0) return 0
  await tx`
    insert into withheld_follows (user_id, target_id, id, created_at)
    select * from unnest(${links.map(({ user_id }) => user_id)}::bigint[], ${links.map(({ target_id }) => target_id)}::bigint[],
      ${links.map(({ id }) => id)}::bigint[], ${links.map(({ created_at }) => created_at)}::timestamptz[])
    on conflict (user_id, target_id) do update set id = excluded.id, created_at = excluded.created_at`
  const notices = await withholdFollowNotices(tx, links, disabled)
  if (notices.length > 0)
    await tx`
      update withheld_follows w set notice = n.notice
      from jsonb_array_elements(${tx.json(notices as never)}) as n (notice)
      where w.user_id = (n.notice ->> 'sender_id')::bigint and w.target_id = (n.notice ->> 'user_id')::bigint`
  return seen
}

/** Moves follows back whose two accounts are enabled. */
async function restore(
  tx: Tx,
  ids: readonly number[],
  after: number,
): Promise<{ last: number; seen: number }> {
  const found = await tx<(Link & { id: number })[]>`
    select user_id, target_id, id from withheld_follows
    where (user_id = any(${ids}) or target_id = any(${ids})) and id > ${after} order by id limit ${BATCH}`
  const sides = sidesOf(found)
  await holdCounts(tx, sides)
  const enabled = await holdAccounts(tx, sides, false)
  const links = await tx<Link[]>`
    with back as (
      delete from withheld_follows w
      using unnest(${found.map(({ user_id }) => user_id)}::bigint[], ${found.map(({ target_id }) => target_id)}::bigint[])
        as f (user_id, target_id)
      where w.user_id = f.user_id and w.target_id = f.target_id
        and w.user_id = any(${enabled}) and w.target_id = any(${enabled})
      returning w.user_id, w.target_id, w.id, w.created_at, w.notice
    ),
    links as (
      insert into user_follows (user_id, target_id, id, created_at)
      select user_id, target_id, id, created_at from back on conflict do nothing returning user_id, target_id
    ),
    ${countLinks(tx, 1)}
    select user_id, target_id, notice from back join links using (user_id, target_id)`
  await restoreNotifications(
    tx,
    links.flatMap(({ notice }) => notice ?? []),
  )
  return { last: found.at(-1)?.id ?? after, seen: found.length }
}

/** Enabling an account shows its requests again, without the notifications (relations-9). */
async function withdrawOfDisabled(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of await holdAccounts(tx, ids, true)) await withdrawNoticesOf(tx, id)
}

/**
 * Brings the follows of accounts in line with whether the accounts are disabled. Repeatable, and correct in any order of
 * disabling and enabling, because each batch reads the state of the accounts under a lock.
 */
async function settleFollows({ sql }: Context, ids: readonly number[], signal?: AbortSignal): Promise<void> {
  for (const id of ids) await transaction(sql, (tx) => withdrawOfDisabled(tx, [id]))
  while ((await transaction(sql, (tx) => withhold(tx, ids))) > 0) signal?.throwIfAborted()
  for (let after = 0; ; ) {
    const { last, seen } = await transaction(sql, (tx) => restore(tx, ids, after))
    if (seen < BATCH) return
    after = last
    signal?.throwIfAborted()
  }
}

/** Maximum number of accounts of one job. */
const ACCOUNTS = 500

/** Call in the transaction that disables or enables the accounts. Jobs run one at a time, each in small batches. */
export async function enqueueSettling(tx: Db, ids: readonly number[]): Promise<void> {
  for (let n = 0; n < ids.length; n += ACCOUNTS)
    await addJob(tx, 'settle_follows', { ids: ids.slice(n, n + ACCOUNTS) }, { queue: 'settle_follows' })
}

/** Selects disabled accounts with follows, and enabled ones with withheld follows of enabled accounts. */
const selectUnsettled = (sql: Db): Fragment => sql`
  select u.id from users u where u.deleted_at is not null and (
    exists (select from user_follows f where f.user_id = u.id)
    or exists (select from user_follows f where f.target_id = u.id)
  )
  union
  select w.user_id from withheld_follows w
  join users u on u.id = w.user_id and u.deleted_at is null join users t on t.id = w.target_id and t.deleted_at is null`

/** Settles accounts that an import or an earlier version left behind. */
async function settleAll({ sql }: Context): Promise<void> {
  const rows = await sql<{ id: number }[]>`${selectUnsettled(sql)} order by id`
  await enqueueSettling(
    sql,
    rows.map(({ id }) => id),
  )
}

export const unsettledFollows: CounterCheck = {
  name: 'follows of disabled accounts',
  find: async (sql) => [
    ...(await sql<Drift[]>`
      select id::text as key, 1::bigint as kept, 0::bigint as counted
      from (${selectUnsettled(sql)}) u order by u.id limit 100`),
  ],
  async mend(sql) {
    const rows = await sql<{ id: number }[]>`${selectUnsettled(sql)} order by id`
    const ids = rows.map(({ id }) => id)
    for (let n = 0; n < ids.length; n += ACCOUNTS) {
      const some = ids.slice(n, n + ACCOUNTS)
      while ((await withhold(sql as Tx, some)) > 0);
      for (let after = 0; ; ) {
        const { last, seen } = await restore(sql as Tx, some, after)
        if (seen < BATCH) break
        after = last
      }
    }
    return ids.length
  },
}

export const withheldTasks = (ctx: Context): TaskList => ({
  settle_follows: (payload, { abortSignal }) =>
    settleFollows(ctx, (payload as { ids: number[] }).ids, abortSignal),
  settle_all_follows: () => settleAll(ctx),
})

export const withheldSchedules: Schedule[] = [{ task: 'settle_all_follows', pattern: '47 2 * * *' }]
