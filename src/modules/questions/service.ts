import { EXCERPT_LENGTH } from '#contracts/content.ts'
import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachUnattached, detachFiles } from '#modules/files/index.ts'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { notify, withdrawContent } from '#modules/notifications/index.ts'
import {
  deleteMentions,
  findBlockers,
  findEnabledIds,
  recordMentions,
  userPage,
} from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database'
import { blocked, unauthenticated } from '#platform/errors.ts'
import { countView } from '#platform/memory'
import { hideAsker, senderOf } from './anonymity.ts'
import { listAnswerIds, listSpecialAnswers } from './answers/queries.ts'
import { answerViews } from './answers/view.ts'
import { changeBounty } from './bounties.ts'
import { questionViewCounts } from './counters.ts'
import {
  automaticNeedsBounty,
  automaticNeedsOne,
  bountyTooHigh,
  inviteOneself,
  lookNeedsAutomatic,
  lookNeedsBounty,
  noQuestionMark,
  noSuchQuestion,
  noTopics,
  nothingToChange,
  notYourQuestion,
  personTwice,
  topicTwice,
  unknownPeople,
  unknownTopics,
} from './errors.ts'
import {
  cancelApplications,
  deleteQuestionRow,
  findQuestionRow,
  findQuestionRows,
  insertInvitations,
  insertQuestion,
  listInvitedIds,
  listQuestionsOf,
  lockQuestion,
  type QuestionRow,
  updateQuestion,
} from './queries.ts'
import {
  ANSWERS,
  excerptOf,
  type NewQuestion,
  QUESTIONS,
  type QuestionDetail,
  type QuestionItem,
  type QuestionPatch,
  type UserQuestionsQuery,
} from './schema.ts'
import { linkTopics, listTopicsOf, unlinkTopics } from './topics/queries.ts'
import { topicView } from './topics/service.ts'
import { questionItems, questionViews } from './view.ts'
import { isWatched } from './watches.ts'

export async function getQuestion(ctx: Context, id: number, viewerId: number): Promise<QuestionDetail> {
  const { sql } = ctx
  const row = await findQuestionRow(sql, id)
  if (!row) throw noSuchQuestion()
  countView(() => questionViewCounts(ctx).add([id]))
  const [[question], rows, topics, invited, watched] = await Promise.all([
    questionViews(ctx, [row], viewerId),
    listSpecialAnswers(sql, id, viewerId),
    listTopicsOf(sql, id, viewerId),
    listInvitedIds(sql, id),
    isWatched(sql, id, viewerId),
  ])
  const insider = viewerId === row.user_id || invited.includes(viewerId)
  // Other viewers see only invited users who answered under their name. The full list would reveal the author of
  // an anonymous answer.
  const named = new Set(rows.filter((each) => each.invited && !each.anonymity).map((each) => each.user_id))
  const [answers, invitations] = await Promise.all([
    answerViews(ctx, rows, viewerId),
    userPage(
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

/**
 * Resolves the user whose list is requested, by default the viewer. Throws 401 when a guest names no user.
 */
export function resolveListedUser(
  viewerId: number,
  userId: number | undefined,
): { userId: number; own: boolean } {
  const id = userId ?? viewerId
  if (id === 0) throw unauthenticated()
  return { userId: id, own: id === viewerId }
}

export async function listUserQuestions(
  ctx: Context,
  viewerId: number,
  query: UserQuestionsQuery,
): Promise<QuestionItem[]> {
  const { userId, own } = resolveListedUser(viewerId, query.user_id)
  return questionItems(ctx, await listQuestionsOf(ctx.sql, userId, query, { own, viewerId }), viewerId)
}

export async function listRepostedQuestions(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findQuestionRows(ctx.sql, ids, viewerId)
  const items = new Map((await questionItems(ctx, rows, viewerId)).map((item) => [item.id, item]))
  return [...new Set(ids)].flatMap((id) => items.get(id) ?? [])
}

const requireQuestionMark = (subject: string) => {
  if (!/[?？]$/.test(subject)) throw noQuestionMark()
}

function distinct(ids: number[], twice: () => Error): number[] {
  if (new Set(ids).size < ids.length) throw twice()
  return ids
}

const topicIdsOf = (topics: NewQuestion['topics']) => {
  const ids = topics.map((topic) => (typeof topic === 'object' ? topic.id : topic))
  if (ids.length === 0) throw noTopics()
  return distinct(ids, topicTwice)
}

function requireConsistent({ amount = 0, look, automaticity }: NewQuestion, invited: number): void {
  if (automaticity && amount === 0) throw automaticNeedsBounty()
  if (automaticity && invited !== 1) throw automaticNeedsOne()
  if (look && amount === 0) throw lookNeedsBounty()
  if (look && !automaticity) throw lookNeedsAutomatic()
}

/** Creates a question. Its bounty moves from the asker into escrow. */
export async function askQuestion(tx: Tx, userId: number, body: NewQuestion): Promise<QuestionRow> {
  requireQuestionMark(body.subject)
  const topicIds = topicIdsOf(body.topics)
  const invited = distinct(
    (body.invitations ?? []).map((invitation) =>
      typeof invitation === 'object' ? invitation.user : invitation,
    ),
    personTwice,
  )
  if (invited.includes(userId)) throw inviteOneself()
  requireConsistent(body, invited.length)
  if (invited.length > 0) {
    if ((await findEnabledIds(tx, invited)).length < invited.length) throw unknownPeople()
    if ((await findBlockers(tx, userId, invited)).size > 0) throw blocked()
  }
  const amount = body.amount ?? 0
  const anonymity = body.anonymity ?? false
  const question = await insertQuestion(tx, {
    userId,
    subject: body.subject,
    body: body.body ?? null,
    textBody: excerptOf(body.body ?? null, body.text_body),
    anonymity,
    amount,
    automaticity: body.automaticity ?? false,
    look: body.look ?? false,
  })
  const { id } = question
  if ((await linkTopics(tx, id, topicIds)) < topicIds.length) throw unknownTopics()
  if (invited.length > 0) await insertInvitations(tx, id, invited)
  await attachUnattached(tx, {
    ids: findAttachments(question.body ?? ''),
    ownerId: userId,
    channel: 'question:images',
    raw: id,
  })
  await recordMentions(tx, userId, { type: QUESTIONS, id }, question.body ?? '', mentionOptions(question))
  if (amount > 0)
    await moveFunds(
      tx,
      {
        currency: 'points',
        from: userId,
        to: PLATFORM_ACCOUNTS.escrow,
        amount,
        kind: 'bounty',
        subject: { type: QUESTIONS, id },
        body: question.subject,
      },
      bountyTooHigh,
    )
  await notify(tx, {
    type: 'system',
    recipients: invited,
    ...senderOf(userId, anonymity),
    cause: { type: QUESTIONS, id },
    data: {
      type: 'qa:invitation',
      resource: { type: QUESTIONS, id },
      question: { id, subject: question.subject },
    },
  })
  return question
}

const mentionOptions = ({ user_id, anonymity, body }: QuestionRow) => ({
  format: 'markdown' as const,
  excerpt: plainText(body ?? '', EXCERPT_LENGTH),
  sender: senderOf(user_id, anonymity),
})

export async function requireOwnQuestion(sql: Db, id: number, userId: number): Promise<QuestionRow> {
  const question = await findQuestionRow(sql, id)
  if (!question) throw noSuchQuestion()
  if (question.user_id !== userId) throw notYourQuestion()
  return question
}

/** Locks the question until the transaction ends. Throws 404 or 403 unless the user asked the question. */
export async function holdOwnQuestion(tx: Tx, id: number, userId: number): Promise<QuestionRow> {
  const question = await lockQuestion(tx, id)
  if (!question) throw noSuchQuestion()
  if (question.user_id !== userId) throw notYourQuestion()
  return question
}

export async function resetBounty(tx: Tx, id: number, userId: number, amount: number): Promise<void> {
  await changeBounty(tx, await holdOwnQuestion(tx, id, userId), amount)
}

export async function editQuestion(tx: Tx, id: number, userId: number, patch: QuestionPatch): Promise<void> {
  const { subject, body, text_body: textBody, anonymity, topics, amount } = patch
  if ([subject, body, textBody, anonymity, topics, amount].every((given) => given === undefined))
    throw nothingToChange()
  if (subject !== undefined) requireQuestionMark(subject)
  const topicIds = topics === undefined ? undefined : topicIdsOf(topics)
  const question = await holdOwnQuestion(tx, id, userId)
  await updateQuestion(tx, question, {
    subject,
    body,
    textBody: body === undefined ? textBody : excerptOf(body, textBody),
    anonymity,
  })
  if (anonymity) await hideAsker(tx, id, userId)
  if (topicIds) {
    await unlinkTopics(tx, id, topicIds)
    if ((await linkTopics(tx, id, topicIds)) < topicIds.length) throw unknownTopics()
  }
  if (body !== undefined) {
    await attachUnattached(tx, {
      ids: findAttachments(body ?? ''),
      ownerId: userId,
      channel: 'question:images',
      raw: id,
    })
    const now = { ...question, body: body ?? null, anonymity: anonymity ?? question.anonymity }
    await recordMentions(tx, userId, { type: QUESTIONS, id }, body ?? '', {
      ...mentionOptions(now),
      isEdit: true,
    })
  }
  if (amount !== undefined) await changeBounty(tx, question, amount)
}

/** Deletes a question for its author or a moderator. Refunds an unearned bounty and pending fees. */
export async function deleteQuestion(
  tx: Tx,
  id: number,
  by: { userId: number; anybodys: boolean },
): Promise<QuestionRow> {
  const question = await lockQuestion(tx, id)
  if (!question) throw noSuchQuestion()
  if (question.user_id !== by.userId && !by.anybodys) throw notYourQuestion()
  const owner = question.user_id
  const answerIds = await listAnswerIds(tx, id)
  const fees = await cancelApplications(tx, id)
  if (answerIds.length > 0) {
    await deleteLikesOf(tx, ANSWERS, answerIds)
    await deleteCollectionsOf(tx, ANSWERS, answerIds)
    await detachFiles(tx, { channel: 'answer:images', raws: answerIds })
  }
  await deleteCommentsOf(tx, QUESTIONS, [id])
  if (answerIds.length > 0) await deleteCommentsOf(tx, ANSWERS, answerIds)
  await detachFiles(tx, { channel: 'question:images', raws: [id] })
  await unlinkTopics(tx, id)
  await deleteQuestionRow(tx, id)
  await deleteMentions(tx, QUESTIONS, [id])
  if (answerIds.length > 0) await deleteMentions(tx, ANSWERS, answerIds)
  const back = {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.escrow,
    to: owner,
    body: question.subject,
  } as const
  await moveFunds(tx, [
    ...(question.bounty === 'held'
      ? [
          {
            ...back,
            amount: question.amount,
            kind: 'bounty:refunded' as const,
            subject: { type: QUESTIONS, id },
          },
        ]
      : []),
    ...fees.map((fee) => ({
      ...back,
      amount: fee.amount,
      kind: 'excellence:refunded' as const,
      subject: { type: 'question-applications', id: fee.id },
    })),
  ])
  await withdrawContent(tx, { type: QUESTIONS, ids: [id] })
  await withdrawContent(tx, { type: ANSWERS, ids: answerIds })
  return question
}
