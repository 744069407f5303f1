import { applyPictures } from '#modules/files/index.ts'
import { setHolds } from '#modules/ledger/index.ts'
import type { ImportStep } from '#platform/database-import/table.ts'
import { forgetSums } from '#platform/period-sums.ts'
import { ANSWERS_GIVEN } from '../../queries.ts'
import { answers, income, onlookers } from './answers.ts'
import { applications, proposals } from './applications.ts'
import { questions, topicLinks } from './questions.ts'
import { experts, followers, invitations, topics, watchers } from './topics.ts'

/** Bounties that an invited expert has earned already, or that are given back, and who is ranked by answers. */
export const settleQuestions: ImportStep = {
  name: 'bounties',
  async run({ transaction, options, note }) {
    const returned = await transaction(async (tx) => {
      const paid = await tx<{ id: number }[]>`
        update questions q set bounty = 'paid' where bounty = 'held' and automaticity and exists (
          select from answers a where a.question_id = q.id and a.invited)
        returning id`
      await setHolds(
        tx,
        'questions',
        paid.map(({ id }) => id),
        [],
      )
      await tx`
        insert into question_people (user_id) select distinct user_id from answers where not anonymity
        on conflict do nothing`
      await forgetSums(tx, ANSWERS_GIVEN)
      if (options.waiting === 'keep') return []
      return tx<{ id: number }[]>`
        update questions set bounty = 'none', amount = 0, automaticity = false, look = false where bounty = 'held'
        returning id`
    })
    for (const { id } of returned)
      await note(`question ${id}`, 'its bounty was given back when the site moved')
  },
}

/** Shows the pictures of topics whose bytes are here. */
export const showTopicPictures: ImportStep = {
  name: 'pictures of question topics',
  run: ({ transaction }) =>
    transaction((tx) => applyPictures(tx, 'question_topics.avatar', 'question_topics', 'avatar')),
}

/** Questions, answers and the topics of both. */
export const questionTables = [
  topics,
  followers,
  experts,
  questions,
  topicLinks,
  invitations,
  watchers,
  answers,
  onlookers,
  income,
  applications,
  ...proposals,
]
