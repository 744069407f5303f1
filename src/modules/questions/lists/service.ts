import type { Context } from '#platform/context.ts'
import { unauthenticated } from '#platform/errors.ts'
import { questionViewCounts } from '../counters/queries.ts'
import { noSuchQuestion } from '../errors.ts'
import { findQuestionRow, findQuestionRows } from '../queries.ts'
import type { QuestionItem } from '../schema.ts'
import { listTopicsOf } from '../topics/queries.ts'
import { peopleInOrder, topicView } from '../topics/view.ts'
import { answersById, answerViews, questionItems, questionsById, questionViews } from '../view.ts'
import { isWatched } from '../watches/queries.ts'
import { listAnswersOf, listInvitedIds, listQuestionsOf, listSpecialAnswers } from './queries.ts'
import type { QuestionDetail, UserAnswersQuery, UserQuestionsQuery } from './schema.ts'

/** A question with what its page shows beside it; reading it is one view. */
export async function getQuestion(ctx: Context, id: number, viewerId: number): Promise<QuestionDetail> {
  const { sql } = ctx
  const row = await findQuestionRow(sql, id)
  if (!row) throw noSuchQuestion()
  questionViewCounts(ctx).add([id])
  const [[question], rows, topics, invited, watched] = await Promise.all([
    questionViews(ctx, [row], viewerId),
    listSpecialAnswers(sql, id, viewerId),
    listTopicsOf(sql, id, viewerId),
    listInvitedIds(sql, id),
    isWatched(sql, id, viewerId),
  ])
  const insider = viewerId === row.user_id || invited.includes(viewerId)
  // Whoever was invited may answer anonymously, and then their name must not stand here either.
  const named = new Set(rows.filter((each) => each.invited && !each.anonymity).map((each) => each.user_id))
  const [answers, invitations] = await Promise.all([
    answerViews(ctx, rows, viewerId),
    peopleInOrder(
      ctx,
      invited.filter((each) => insider || named.has(each)),
      viewerId,
    ),
  ])
  const mine = rows.findLast((each) => viewerId > 0 && each.user_id === viewerId)
  return {
    ...question!,
    watched,
    my_answer: answers.find((answer) => answer.id === mine?.id) ?? null,
    invitation_answers: answers.filter((answer) => answer.invited === 1),
    adoption_answers: answers.filter((answer) => answer.adoption === 1),
    topics: topics.map((topic) => topicView(ctx, topic)),
    invitations,
  }
}

/** Whose list is asked for, and whether it is the viewer's own. */
function whose(viewerId: number, userId: number | undefined): { userId: number; own: boolean } {
  const id = userId ?? viewerId
  if (id === 0) throw unauthenticated()
  return { userId: id, own: id === viewerId }
}

/** The questions of a person. */
export async function listUserQuestions(
  ctx: Context,
  viewerId: number,
  query: UserQuestionsQuery,
): Promise<QuestionItem[]> {
  const { userId, own } = whose(viewerId, query.user_id)
  return questionItems(ctx, await listQuestionsOf(ctx.sql, userId, query, { own }), viewerId)
}

/** The answers of a person, with their questions. */
export async function listUserAnswers(ctx: Context, viewerId: number, query: UserAnswersQuery) {
  const { userId, own } = whose(viewerId, query.user_id)
  const rows = await listAnswersOf(ctx.sql, userId, query, { own })
  const answers = await answerViews(ctx, rows, viewerId)
  return withQuestions(ctx, answers, viewerId)
}

async function withQuestions<Answer extends { question_id: number }>(
  ctx: Context,
  answers: Answer[],
  viewerId: number,
) {
  const questions = await questionsById(
    ctx,
    answers.map((answer) => answer.question_id),
    viewerId,
  )
  return answers.map((answer) => ({ ...answer, question: questions.get(answer.question_id) ?? null }))
}

/** The questions that reposts point to, in the order of the ids; deleted ones are left out. */
export async function listRepostedQuestions(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findQuestionRows(ctx.sql, ids)
  const items = new Map((await questionItems(ctx, rows, viewerId)).map((item) => [item.id, item]))
  return [...new Set(ids)].flatMap((id) => items.get(id) ?? [])
}

/** The answers that reposts point to, with their questions. */
export async function listRepostedAnswers(ctx: Context, ids: number[], viewerId: number) {
  const answers = await answersById(ctx, ids, viewerId)
  const found = [...new Set(ids)].flatMap((id) => answers.get(id) ?? [])
  return withQuestions(ctx, found, viewerId)
}
