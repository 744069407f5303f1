import type { Statistics } from '#platform/statistics.ts'

const ability = 'admin: questions'

/** Requests for excellence, proposals of topics, and what was asked and answered, anonymously too. */
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
  series: [
    {
      name: 'questions',
      ability,
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from questions where created_at >= ${from} and created_at < ${until}`,
    },
    {
      name: 'answers',
      ability,
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from answers where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
