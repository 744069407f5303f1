import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of questions and answers, those without their name included. */
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
      ...(['likes_count', 'views_count', 'created_at', 'updated_at'] as const),
    ],
    extra: (sql) => sql`,
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
      ...(['rewards_amount', 'rewarder_count', 'likes_count', 'views_count', 'onlookers_count'] as const),
      ...(['onlookers_total', 'created_at', 'updated_at'] as const),
    ],
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
    about: { en: 'Questions you proposed as excellent', zh: '您的精选问题申请' },
    table: 'question_applications',
    key: ['id'],
    columns: ['id', 'question_id', 'amount', 'state', 'decided_at', 'created_at'],
  }),
  personalTable({
    file: 'question-numbers',
    about: { en: 'What your answers earned', zh: '您的回答收益' },
    table: 'question_people',
    key: ['user_id'],
    columns: ['income', 'likes_count'],
  }),
]
