import { collectionsRecount } from '#modules/collections/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import { type CounterCheck, recount } from '#platform/counters.ts'
import { POSTS } from '../posts/queries.ts'

const ofPost = (column: string) => ({ table: 'group_posts', key: 'id', column })
const ofGroup = { table: 'group_counts', key: 'group_id' }

/** Recounts of circles, for `kith doctor`. Views leave no record. */
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
