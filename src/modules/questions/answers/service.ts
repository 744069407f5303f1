import { EXCERPT_LENGTH } from '#contracts/content.ts'
import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachUnattached, detachFiles } from '#modules/files/index.ts'
import { deleteLikesOf, latestLikes, setLikesCounted } from '#modules/likes/index.ts'
import { notify, removeSender, withdrawContent } from '#modules/notifications/index.ts'
import { latestRewards } from '#modules/rewards/index.ts'
import { deleteMentions, recordMentions, requireNotBlocked } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database'
import { countView } from '#platform/memory'
import { senderOf } from '../anonymity.ts'
import { payBounty } from '../bounties.ts'
import { answerViewCounts } from '../counters.ts'
import {
  adoptedAlready,
  answerAdopted,
  answerInvited,
  noSuchAnswer,
  noSuchQuestion,
  nothingToChange,
  notYourAnswer,
  ownAnswer,
} from '../errors.ts'
import { findQuestionRow, lockQuestion } from '../queries.ts'
import { announceAnonymity } from '../ranks.ts'
import { ANSWERS, type AnswerView, excerptOf } from '../schema.ts'
import { holdOwnQuestion, resolveListedUser } from '../service.ts'
import { questionsById, questionViews } from '../view.ts'
import {
  type AnswerDetail,
  type AnswerPatch,
  type AnswerRow,
  type AnswersQuery,
  adoptAnswer,
  deleteAnswerRow,
  findAnswerRow,
  findAnswerRows,
  hasAdoption,
  insertAnswer,
  listAnswers,
  listAnswersByAuthor,
  lockAnswer,
  type NewAnswer,
  type UserAnswersQuery,
  updateAnswer,
} from './queries.ts'
import { answerViews, byId, isForPay } from './view.ts'

const PREVIEW = 5

const REWARDS = 10

export async function listAnswersOf(
  ctx: Context,
  questionId: number,
  viewerId: number,
  query: AnswersQuery,
): Promise<AnswerView[]> {
  const question = await findQuestionRow(ctx.sql, questionId)
  if (!question) throw noSuchQuestion()
  return answerViews(ctx, await listAnswers(ctx.sql, question, query, viewerId), viewerId)
}

export async function getAnswer(ctx: Context, id: number, viewerId: number): Promise<AnswerDetail> {
  const { sql } = ctx
  const row = await findAnswerRow(sql, id)
  if (!row) throw noSuchAnswer()
  countView(() => answerViewCounts(ctx).add([id]))
  const [[answer], asked, adopted, likes, rewards] = await Promise.all([
    answerViews(ctx, [row], viewerId),
    findQuestionRow(sql, row.question_id).then((found) =>
      found ? questionViews(ctx, [found], viewerId) : [],
    ),
    hasAdoption(sql, row.question_id),
    row.likes_count > 0
      ? latestLikes(ctx, { type: ANSWERS, contentIds: [id], each: PREVIEW, viewerId })
      : undefined,
    row.rewarder_count > 0
      ? latestRewards(ctx, { type: ANSWERS, contentId: id, limit: REWARDS, viewerId })
      : [],
  ])
  const [question] = asked
  if (!answer || !question) throw noSuchAnswer()
  const hidden = answer.user_id === 0
  return {
    ...answer,
    likes: (likes?.get(id) ?? []).map((like) => (hidden ? { ...like, target_user: 0 } : like)),
    rewarders: rewards.map((reward) => (hidden ? { ...reward, target_user: 0 } : reward)),
    question: { ...question, has_adoption: adopted },
  }
}

export async function listUserAnswers(ctx: Context, viewerId: number, query: UserAnswersQuery) {
  const { userId, own } = resolveListedUser(viewerId, query.user_id)
  const rows = await listAnswersByAuthor(ctx.sql, userId, query, { own, viewerId })
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

export async function listRepostedAnswers(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findAnswerRows(ctx.sql, ids, viewerId)
  const answers = byId(await answerViews(ctx, rows, viewerId))
  const found = [...new Set(ids)].flatMap((id) => answers.get(id) ?? [])
  return withQuestions(ctx, found, viewerId)
}

/** Answers a question. The first answer of an invited user earns an automatic bounty immediately. */
export async function answerQuestion(
  tx: Tx,
  questionId: number,
  userId: number,
  { body, text_body: textBody, anonymity = false }: NewAnswer,
): Promise<AnswerRow> {
  const question = await lockQuestion(tx, questionId)
  if (!question) throw noSuchQuestion()
  const draft = { questionId, userId, body, textBody: excerptOf(body, textBody), anonymity }
  const answer = await insertAnswer(tx, draft)
  const { id } = answer
  await attachUnattached(tx, {
    ids: findAttachments(body),
    ownerId: userId,
    channel: 'answer:images',
    raw: id,
  })
  await recordMentions(tx, userId, { type: ANSWERS, id }, body, mentionOptions(answer, body))
  if (answer.invited && question.automaticity) await payBounty(tx, question, answer)
  await notify(tx, {
    type: 'system',
    recipients: [question.user_id],
    hidesRecipients: question.anonymity,
    ...senderOf(userId, anonymity),
    cause: { type: ANSWERS, id },
    data: {
      type: 'question:answer',
      resource: { type: ANSWERS, id },
      question: { id: questionId, subject: question.subject },
      answer: { id },
    },
  })
  return answer
}

/** Notifications do not show the text of an answer that costs points. */
const mentionOptions = (answer: AnswerRow, body: string) => ({
  format: 'markdown' as const,
  excerpt: isForPay(answer) ? '' : plainText(body, EXCERPT_LENGTH),
  sender: senderOf(answer.user_id, answer.anonymity),
})

export async function requireOwnAnswer(sql: Db, id: number, userId: number): Promise<AnswerRow> {
  const answer = await findAnswerRow(sql, id)
  if (!answer) throw noSuchAnswer()
  if (answer.user_id !== userId) throw notYourAnswer()
  return answer
}

/** Changes an unadopted answer. Returns true when it became anonymous. */
export async function editAnswer(tx: Tx, id: number, userId: number, patch: AnswerPatch): Promise<boolean> {
  const { body, text_body: textBody, anonymity } = patch
  if (body === undefined && textBody === undefined && anonymity === undefined) throw nothingToChange()
  const changes = {
    body,
    textBody: body === undefined ? textBody : excerptOf(body, textBody),
    anonymity,
  }
  const updated = await updateAnswer(tx, id, changes)
  if (!updated) throw (await findAnswerRow(tx, id)) ? answerAdopted() : noSuchAnswer()
  if (anonymity !== undefined) await setLikesCounted(tx, ANSWERS, id, !anonymity)
  // Announces only an answer that was public before. Otherwise a repeated change would briefly remove the
  // author from the rankings, and so reveal the author of an anonymous answer.
  const hid = anonymity === true && updated.wasNamed
  if (hid) {
    const cause = { type: ANSWERS, id }
    await removeSender(tx, { senderId: userId, systemType: 'question:answer', cause })
    await removeSender(tx, { senderId: userId, type: 'at', cause })
    await announceAnonymity(tx, userId)
  }
  if (body !== undefined) {
    await attachUnattached(tx, {
      ids: findAttachments(body),
      ownerId: userId,
      channel: 'answer:images',
      raw: id,
    })
    const answer = await lockAnswer(tx, id)
    if (answer)
      await recordMentions(tx, userId, { type: ANSWERS, id }, body, {
        ...mentionOptions(answer, body),
        isEdit: true,
      })
  }
  return hid
}

/**
 * Adopts an answer to the user's question. The answer earns the bounty unless an automatic bounty goes to the
 * invited answer (questions-11).
 */
export async function adopt(tx: Tx, questionId: number, answerId: number, userId: number): Promise<void> {
  const question = await holdOwnQuestion(tx, questionId, userId)
  const answer = await lockAnswer(tx, answerId)
  if (!answer || answer.question_id !== questionId) throw noSuchAnswer()
  if (answer.user_id === userId) throw ownAnswer()
  // Ignores a block by an anonymous author, because an error would reveal the author.
  if (!answer.anonymity) await requireNotBlocked(tx, userId, [answer.user_id])
  if (!(await adoptAnswer(tx, questionId, answerId))) throw adoptedAlready()
  if (!question.automaticity) await payBounty(tx, question, answer)
  await notify(tx, {
    type: 'system',
    recipients: [answer.user_id],
    hidesRecipients: answer.anonymity,
    ...senderOf(userId, question.anonymity),
    cause: { type: ANSWERS, id: answerId },
    data: {
      type: 'qa:answer-adoption',
      resource: { type: ANSWERS, id: answerId },
      question: { id: questionId, subject: question.subject },
      answer: { id: answerId },
    },
  })
}

/**
 * Deletes an answer. Only moderators may delete an adopted or invited answer, because other users may have paid
 * for it.
 */
export async function deleteAnswer(
  tx: Tx,
  id: number,
  by: { userId: number; anybodys: boolean },
): Promise<AnswerRow> {
  const answer = await lockAnswer(tx, id)
  if (!answer) throw noSuchAnswer()
  if (!by.anybodys) {
    if (answer.user_id !== by.userId) throw notYourAnswer()
    if (answer.adoption) throw answerAdopted()
    if (answer.invited) throw answerInvited()
  }
  await deleteLikesOf(tx, ANSWERS, [id])
  await deleteCommentsOf(tx, ANSWERS, [id])
  await deleteCollectionsOf(tx, ANSWERS, [id])
  await detachFiles(tx, { channel: 'answer:images', raws: [id] })
  await deleteAnswerRow(tx, id)
  await deleteMentions(tx, ANSWERS, [id])
  await withdrawContent(tx, { type: ANSWERS, ids: [id] })
  return answer
}
