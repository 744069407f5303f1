import type { Content, Counts, Reader } from '#platform/content.ts'
import {
  findAnonymousAnswers,
  findAnonymousQuestions,
  findAnswerTarget,
  findExistingAnswers,
  findExistingQuestions,
  findQuestionTarget,
} from './queries.ts'
import { ANSWERS, answersById, QUESTIONS, questionsById } from './view.ts'

/** Questions as what is commented on and reported. */
export const questionContent: Content = {
  type: QUESTIONS,
  param: 'question',
  noun: 'Question',
  tag: 'Questions',
  find: findQuestionTarget,
  live: (sql, id) => sql`select id from questions where id = ${id}`,
}

/** Answers as what is commented on, liked, collected, rewarded and reported. */
export const answerContent: Content = {
  type: ANSWERS,
  param: 'answer',
  noun: 'Answer',
  tag: 'Answers',
  find: findAnswerTarget,
  live: (sql, id) => sql`select id from answers where id = ${id}`,
}

/** Who is named as the sender of a notification: nobody where the doer is anonymous, but blocks hold all the same. */
export const senderOf = (userId: number, anonymity: boolean) =>
  anonymity ? { senderId: 0, hiddenSenderId: userId } : { senderId: userId }

/** How lists of mixed things read questions. */
export const questionReader: Reader = {
  visible: findExistingQuestions,
  views: questionsById,
  anonymous: findAnonymousQuestions,
}

/** How lists of mixed things read answers. */
export const answerReader: Reader = {
  visible: findExistingAnswers,
  views: answersById,
  anonymous: findAnonymousAnswers,
}

export const countQuestionComments: Counts = (sql) => [
  sql`update questions q set comments_count = q.comments_count + c.by from changed c where q.id = c.id`,
]
export const countAnswerComments: Counts = (sql) => [
  sql`update answers a set comments_count = a.comments_count + c.by from changed c where a.id = c.id`,
]
// Who waited for an answer learns from its update whether it is anonymous by now: a join would read it as it was.
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
    update answers a set likes_count = a.likes_count + c.by from changed c where a.id = c.id
    returning a.user_id, a.anonymity, c.by`,
  sql`
    insert into question_people as x (user_id, likes_count)
    select user_id, greatest(by, 0) from content_count_0 where not anonymity
    on conflict (user_id) do update set likes_count = x.likes_count + (select c.by from changed c)`,
]
