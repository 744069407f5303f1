import type { Counts } from '#contracts/content.ts'
import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { periodSumsRecount } from '#contracts/period-sums.ts'
import { addViewsTo } from '#contracts/views.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { unrepairable } from '#modules/ledger/index.ts'
import { likesRecount, ownerLikesCheck } from '#modules/likes/index.ts'
import { rewardRecounts } from '#modules/rewards/index.ts'
import { userRecount } from '#modules/users/index.ts'
import type { Db, Fragment } from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'
import { ANSWER_VIEWS, QUESTION_VIEWS } from './queries.ts'
import { answersGiven } from './ranks.ts'

export const questionViewCounts = defineBufferedCounts('question views', addViewsTo(QUESTION_VIEWS))

export const answerViewCounts = defineBufferedCounts('answer views', addViewsTo(ANSWER_VIEWS))

export const countQuestionComments: Counts = (sql) => [
  sql`update questions q set comments_count = greatest(q.comments_count + c.by, 0) from changed c where q.id = c.id`,
]

export const countAnswerComments: Counts = (sql) => [
  sql`update answers a set comments_count = greatest(a.comments_count + c.by, 0) from changed c where a.id = c.id`,
]

// Reads `anonymity` with `returning`, because `returning` sees the row version after a lock wait. A join would
// see the old version.
export const countAnswerRewards: Counts = (sql) => [
  sql`
    update answers a set rewards_amount = a.rewards_amount + c.by, rewarder_count = a.rewarder_count + 1
    from changed c where a.id = c.id returning a.user_id, a.question_id, a.anonymity, c.by`,
  sql`
    update question_people x set income = x.income + a.by
    from content_count_0 a
    where x.user_id = a.user_id and not a.anonymity and exists (
      select from question_topic_links l join question_topic_experts e on e.topic_id = l.topic_id
      where l.question_id = a.question_id and e.user_id = a.user_id
    )`,
]

export const countAnswerLikes: Counts = (sql) => [
  sql`
    update answers a set likes_count = greatest(a.likes_count + c.by, 0) from changed c where a.id = c.id
    returning a.user_id, a.anonymity, c.by`,
  sql`
    insert into question_people as x (user_id, likes_count)
    select user_id, greatest(by, 0) from content_count_0 where not anonymity
    on conflict (user_id) do update set likes_count = greatest(x.likes_count + (select c.by from changed c), 0)`,
]

const check = (table: string, key: string, column: string, counted: (sql: Db) => Fragment): CounterCheck =>
  recount({ table, key, column, counted })

const byColumn = (table: string, column: string) => (sql: Db) =>
  sql`
  select ${sql(column)} as key, count(*) as n from ${sql(table)} group by 1`

/** Excludes anonymous content from the author's counters (questions-16). */
const byAuthor = (table: 'questions' | 'answers') => (sql: Db) =>
  sql`select user_id as key, count(*) as n from ${sql(table)} where not anonymity group by user_id`

export const questionCounters: CounterCheck[] = [
  commentsRecount('questions', { table: 'questions', key: 'id', column: 'comments_count' }),
  check('questions', 'id', 'answers_count', byColumn('answers', 'question_id')),
  check('questions', 'id', 'watchers_count', byColumn('question_watchers', 'question_id')),
  commentsRecount('question-answers', { table: 'answers', key: 'id', column: 'comments_count' }),
  likesRecount('question-answers', { table: 'answers', key: 'id', column: 'likes_count' }),
  ...rewardRecounts('question-answers', {
    count: { table: 'answers', key: 'id', column: 'rewarder_count' },
    amount: { table: 'answers', key: 'id', column: 'rewards_amount' },
  }),
  check('answers', 'id', 'onlookers_count', byColumn('answer_onlookers', 'answer_id')),
  check(
    'answers',
    'id',
    'onlookers_total',
    (sql) => sql`select answer_id as key, sum(amount)::bigint as n from answer_onlookers group by 1`,
  ),
  check('question_topic_counts', 'topic_id', 'questions_count', byColumn('question_topic_links', 'topic_id')),
  check(
    'question_topic_counts',
    'topic_id',
    'follows_count',
    byColumn('question_topic_followers', 'topic_id'),
  ),
  check('question_topic_counts', 'topic_id', 'experts_count', byColumn('question_topic_experts', 'topic_id')),
  check(
    'question_people',
    'user_id',
    'likes_count',
    (sql) => sql`
      select user_id as key, sum(likes_count)::bigint as n from answers where not anonymity group by user_id`,
  ),
  userRecount('questions_count', byAuthor('questions')),
  userRecount('answers_count', byAuthor('answers')),
  periodSumsRecount(answersGiven),
]

/**
 * Checks that likes of anonymous answers do not count for their authors. Runs before the recount of users'
 * likes, because the recount reads `likes.counted`.
 */
export const anonymousLikes = ownerLikesCheck(
  'question-answers',
  (sql) => sql`select id, anonymity as hidden from answers`,
)

/** Escrow balance per row of a subject type, from postings of the given kinds. */
const held = (sql: Db, subject: string, kinds: string[]) => sql`
  select subject_id as id, sum(amount) as held from ledger_postings
  where owner_id = -1 and currency = 'points' and subject_type = ${subject} and kind = any(${kinds})
  group by subject_id`

/** Compares escrow with unearned bounties and fees of pending requests. */
export const questionEscrowChecks: CounterCheck[] = [
  unrepairable(
    'questions.escrow',
    (sql) => sql<Drift[]>`
      select coalesce(q.id, h.id)::text as key, coalesce(h.held, 0)::bigint as kept, coalesce(q.amount, 0) as counted
      from (select id, amount from questions where bounty = 'held') q
      full join (${held(sql, 'questions', ['bounty', 'bounty:paid', 'bounty:refunded'])}) h on h.id = q.id
      where coalesce(h.held, 0) <> coalesce(q.amount, 0) order by 1 limit 100`,
  ),
  unrepairable(
    'question_applications.escrow',
    (sql) => sql<Drift[]>`
      select coalesce(a.id, h.id)::text as key, coalesce(h.held, 0)::bigint as kept, coalesce(a.amount, 0) as counted
      from (select id, amount from question_applications where state = 'pending') a
      full join (${held(sql, 'question-applications', ['excellence', 'excellence:refunded'])}) h on h.id = a.id
      where coalesce(h.held, 0) <> coalesce(a.amount, 0) order by 1 limit 100`,
  ),
]
