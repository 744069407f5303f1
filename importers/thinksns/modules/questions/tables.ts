import { invalidatePeriodSums } from '#contracts/period-sums.ts'
import { ANSWERS_GIVEN } from '#modules/questions/index.ts'
import type { ImportStep } from '../../database/table.ts'
import { applyPictures } from '../files/pictures.ts'
import { noteImportedHolds } from '../ledger/balances.ts'
import { answers, income, onlookers } from './answers.ts'
import { applications, clearProposals, proposals } from './applications.ts'
import { questions, topicLinks } from './questions.ts'
import { experts, followers, invitations, topics, watchers } from './topics.ts'

export const settleQuestions: ImportStep = {
  name: 'bounties',
  async run({ transaction, options, note }) {
    const returned = await transaction(async (tx) => {
      const paid = await tx<{ id: number }[]>`
        update questions q set bounty = 'paid' where bounty = 'held' and automaticity and exists (
          select from answers a where a.question_id = q.id and a.invited)
        returning id`
      await noteImportedHolds(
        tx,
        'questions',
        paid.map(({ id }) => id),
        [],
      )
      await tx`
        insert into question_people (user_id) select distinct user_id from answers where not anonymity
        on conflict do nothing`
      await invalidatePeriodSums(tx, ANSWERS_GIVEN)
      if (options.waiting === 'keep') return []
      await tx`
        update questions set bounty = 'none', amount = 0, automaticity = false, look = false where bounty = 'held'`
      // Includes those of earlier runs, whose questions this run did not read again.
      return tx<{ id: number; amount: number }[]>`
        select subject_id as id, amount from import_holds where subject_type = 'questions' and given_back`
    })
    for (const { id, amount } of returned)
      await note(`question ${id}`, 'bounty refunded by the import', {
        column: 'amount',
        old: amount,
        new: 0,
      })
  },
}

export const showTopicPictures: ImportStep = {
  name: 'pictures of question topics',
  run: ({ transaction }) =>
    transaction((tx) => applyPictures(tx, 'question_topics.avatar', 'question_topics', 'avatar')),
}

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
  clearProposals,
  ...proposals,
]
