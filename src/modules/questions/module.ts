import type { ContentKind, ContentRemoval } from '#contracts/content.ts'
import { updatePeriodSums } from '#contracts/period-sums.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Searchable } from '#contracts/search.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import { viewsIn } from '#contracts/views.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminQuestionRoutes } from './admin/routes.ts'
import { adminQuestionTopicRoutes } from './admin/topics/routes.ts'
import { answerCollectionRoutes } from './answers/collections.ts'
import { paidViewRoutes } from './answers/paid-views.ts'
import { answerRoutes } from './answers/routes.ts'
import { deleteAnswer } from './answers/service.ts'
import { questionApplicationRoutes } from './applications.ts'
import { returnBounties } from './bounties.ts'
import { anonymousLikes, questionCounters, questionEscrowChecks } from './counters.ts'
import { ANSWER_VIEWS, listQuestions, QUESTION_VIEWS } from './queries.ts'
import { answersGiven, questionRankRoutes } from './ranks.ts'
import { questionRoutes } from './routes.ts'
import { QuestionItem } from './schema.ts'
import { deleteQuestion } from './service.ts'
import { QUESTION_SETTINGS } from './settings.ts'
import { questionTopicRoutes } from './topics/routes.ts'
import { answerReader, questionItems, questionReader } from './view.ts'
import { watchRoutes } from './watches.ts'

const questionRemoval: ContentRemoval = {
  ability: 'admin: questions',
  async remove(ctx, tx, id, moderatorId) {
    await deleteQuestion(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'question.deleted', { id, deleted_by: moderatorId })
  },
}

const answerRemoval: ContentRemoval = {
  ability: 'admin: questions',
  async remove(ctx, tx, id, moderatorId) {
    await deleteAnswer(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'answer.deleted', { id, deleted_by: moderatorId })
  },
}

export const questionTasks = (ctx: Context): TaskList => ({
  settle_answer_ranks: () => updatePeriodSums(ctx.sql, answersGiven),
})

export const questionSchedules: Schedule[] = [{ task: 'settle_answer_ranks', pattern: '*/5 * * * *' }]

/** Exports anonymous questions and answers too. */
export const questionPersonal = [
  personalTable({
    file: 'questions',
    about: { en: 'Your questions', zh: '您的提问' },
    table: 'questions',
    with: ['question_topic_links', 'question_invitations'],
    key: ['id'],
    columns: [
      ...(['id', 'subject', 'body', 'anonymity', 'amount', 'bounty', 'automaticity', 'look'] as const),
      ...(['excellent', 'status', 'comments_count', 'answers_count', 'watchers_count'] as const),
      ...(['likes_count', 'created_at', 'updated_at'] as const),
    ],
    extra: (sql) => sql`, t.views_count + ${viewsIn(sql, QUESTION_VIEWS, sql`t.id`)} as views_count,
      array(select l.topic_id from question_topic_links l where l.question_id = t.id order by 1) as topics,
      array(select i.user_id from question_invitations i where i.question_id = t.id order by 1) as invited`,
  }),
  personalTable({
    file: 'answers',
    about: { en: 'Your answers', zh: '您的回答' },
    table: 'answers',
    key: ['id'],
    columns: [
      ...(['id', 'question_id', 'body', 'anonymity', 'adoption', 'invited', 'comments_count'] as const),
      ...(['rewards_amount', 'rewarder_count', 'likes_count', 'onlookers_count'] as const),
      ...(['onlookers_total', 'created_at', 'updated_at'] as const),
    ],
    extra: (sql) => sql`, t.views_count + ${viewsIn(sql, ANSWER_VIEWS, sql`t.id`)} as views_count`,
  }),
  personalTable({
    file: 'questions-watched',
    about: { en: 'Questions you watch', zh: '您关注的问题' },
    table: 'question_watchers',
    key: ['id'],
    columns: ['question_id', 'created_at'],
  }),
  personalTable({
    file: 'question-topics',
    about: { en: 'Question topics you follow', zh: '您关注的问答话题' },
    table: 'question_topic_followers',
    key: ['topic_id'],
    columns: ['topic_id', 'created_at'],
    extra: (sql) => sql`, (select o.name from question_topics o where o.id = t.topic_id) as name`,
  }),
  personalTable({
    file: 'question-topics-expert',
    about: { en: 'Question topics you are an expert of', zh: '您担任专家的问答话题' },
    table: 'question_topic_experts',
    key: ['topic_id'],
    columns: ['topic_id', 'created_at'],
    extra: (sql) => sql`, (select o.name from question_topics o where o.id = t.topic_id) as name`,
  }),
  personalTable({
    file: 'question-topics-proposed',
    about: { en: 'Question topics you proposed', zh: '您申请的问答话题' },
    table: 'question_topic_applications',
    key: ['id'],
    columns: ['id', 'name', 'description', 'state', 'mark', 'decided_at', 'created_at'],
  }),
  personalTable({
    file: 'question-applications',
    about: { en: 'Questions you asked to mark as excellent', zh: '您的精选申请' },
    table: 'question_applications',
    key: ['id'],
    columns: ['id', 'question_id', 'amount', 'state', 'decided_at', 'created_at'],
  }),
  personalTable({
    file: 'question-numbers',
    about: { en: 'Income from your answers', zh: '您的回答收益' },
    table: 'question_people',
    key: ['user_id'],
    columns: ['income', 'likes_count'],
  }),
]

const ability = 'admin: questions'

/** Counts anonymous questions and answers too. */
export const questionStatistics: Statistics = {
  queues: [
    {
      name: 'question-applications',
      ability,
      waiting: (sql) =>
        sql`select created_at as since from question_applications where state = 'pending' order by id`,
    },
    {
      name: 'question-topic-applications',
      ability,
      waiting: (sql) =>
        sql`select created_at as since from question_topic_applications where state = 'pending' order by id`,
    },
  ],
  series: [creationSeries('questions', 'questions', ability), creationSeries('answers', 'answers', ability)],
}

export const questionSearch: Searchable = {
  type: 'questions',
  item: QuestionItem,
  find: async (ctx, { q, after, limit, viewerId }) =>
    questionItems(
      ctx,
      await listQuestions(ctx.sql, viewerId, { type: 'all', subject: q, after, limit }),
      viewerId,
    ),
}

export const QUESTION_KINDS: ContentKind[] = [
  {
    type: 'questions',
    code: 8,
    reader: questionReader,
    live: (sql) => sql`select id from questions`,
    removal: questionRemoval,
    counters: questionCounters,
    paymentChecks: questionEscrowChecks,
    files: { 'question:images': 'admin: questions' },
    repostable: true,
  },
  {
    type: 'question-answers',
    code: 9,
    reader: answerReader,
    live: (sql) => sql`select id from answers`,
    removal: answerRemoval,
    files: { 'answer:images': 'admin: questions' },
    repostable: true,
  },
]

export const module: Module = {
  tags: {
    'Question topics': { place: 21, about: 'Topics of questions, their experts and proposals.' },
    Questions: { place: 22, about: 'Questions with bounties.' },
    Answers: { place: 23, about: 'Answers, their collections and paid views.' },
    'Admin: questions': { place: 36, about: 'Questions, answers and question topics.' },
  },
  settings: QUESTION_SETTINGS,
  routes: () => [
    questionTopicRoutes,
    questionRoutes,
    answerRoutes,
    paidViewRoutes,
    answerCollectionRoutes,
    watchRoutes,
    questionApplicationRoutes,
    questionRankRoutes,
    adminQuestionTopicRoutes,
    adminQuestionRoutes,
  ],
  personalData: { place: 14, tables: questionPersonal },
  statistics: { place: 6, ...questionStatistics },
  search: { place: 5, ...questionSearch },
  kinds: QUESTION_KINDS,
  counters: [anonymousLikes],
  erase: returnBounties,
  tasks: () => [questionTasks],
  schedules: questionSchedules,
}
