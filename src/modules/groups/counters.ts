import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { collectionsRecount } from '#modules/collections/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { PLATFORM_ACCOUNTS, unrepairable } from '#modules/ledger/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import { REQUESTS } from './members/schema.ts'
import { POSTS } from './posts/schema.ts'

const ofPost = (column: string) => ({ table: 'group_posts', key: 'id', column })
const ofGroup = { table: 'group_counts', key: 'group_id' }

/** Checks of group counters for `kith doctor`. Views have no check, because single views are not stored. */
export const groupCounters: CounterCheck[] = [
  commentsRecount(POSTS, ofPost('comments_count')),
  likesRecount(POSTS, ofPost('likes_count')),
  collectionsRecount(POSTS, ofPost('collections_count')),
  recount({
    ...ofGroup,
    column: 'users_count',
    counted: (sql) =>
      sql`select group_id as key, count(*) as n from group_members where audit = 1 group by group_id`,
  }),
  recount({
    ...ofGroup,
    column: 'posts_count',
    counted: (sql) => sql`select group_id as key, count(*) as n from group_posts group by group_id`,
  }),
  recount({
    ...ofGroup,
    column: 'excellen_posts_count',
    counted: (sql) =>
      sql`select group_id as key, count(*) as n from group_posts where excellent_at is not null group by group_id`,
  }),
  ...(['join', 'pinned'] as const).map((kind) =>
    recount({
      ...ofGroup,
      column: `${kind}_income_count`,
      counted: (sql) => sql`
        select group_id as key, sum(amount)::bigint as n from group_incomes
        where type = ${kind === 'join' ? 1 : 2} group by group_id`,
    }),
  ),
  recount({
    table: 'group_totals',
    key: 'one',
    column: 'groups_count',
    counted: (sql) =>
      sql`select true as key, count(*) as n from groups where audit = 1 and deleted_at is null`,
  }),
]

export const groupEscrowChecks: CounterCheck[] = [
  unrepairable(
    'group_member_logs.escrow',
    (sql) => sql<Drift[]>`
      select coalesce(r.id, h.id)::text as key, coalesce(h.held, 0)::bigint as kept, coalesce(r.fee, 0) as counted
      from (select id, fee, currency from group_member_logs where status = 0 and fee > 0) r
      full join (
        select subject_id as id, currency, sum(amount) as held from ledger_postings
        where owner_id = ${PLATFORM_ACCOUNTS.escrow} and subject_type = ${REQUESTS} group by subject_id, currency
      ) h on h.id = r.id and h.currency = r.currency
      where coalesce(h.held, 0) <> coalesce(r.fee, 0) order by 1 limit 100`,
  ),
]
