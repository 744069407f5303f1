import { plainText } from '#lib/text.ts'
import { findBlockers } from '#modules/accounts/index.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { adoptFiles, detachFiles } from '#modules/files/index.ts'
import { move, PLATFORM } from '#modules/ledger/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { hideSender, notify, takeBack } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import { blocked, invalidField } from '#platform/errors.ts'
import { cancelApplications } from '../applications/queries.ts'
import { anonymityOff, bountyFixed, noSuchQuestion, nothingToChange, notYourQuestion } from '../errors.ts'
import { findQuestionRow, type QuestionRow } from '../queries.ts'
import { senderOf } from '../service.ts'
import { ANSWERS, QUESTIONS } from '../view.ts'
import {
  deleteQuestionRow,
  findPeople,
  hasInvitations,
  insertInvitations,
  insertQuestion,
  linkTopics,
  listAdoptedIds,
  listAnswerIds,
  lockQuestion,
  setBounty,
  unlinkTopics,
  updateQuestion,
} from './queries.ts'
import type { NewQuestion, QuestionPatch } from './schema.ts'

const rule = (field: string, en: string, zh: string) => () => invalidField(field, { en, zh })

const noQuestionMark = rule('subject', 'A question ends with a question mark.', '问题标题必须以问号结尾。')
const noTopics = rule('topics', 'A question needs a topic.', '问题必须选择话题。')
const unknownTopics = rule('topics', 'One of the topics does not exist.', '所选话题不存在。')
const topicTwice = rule('topics', 'A topic can be given once.', '话题不能重复。')
const unknownPeople = rule('invitations', 'One of these people does not exist.', '邀请的用户不存在。')
const personTwice = rule('invitations', 'A person can be invited once.', '不能重复邀请同一用户。')
const inviteOneself = rule('invitations', 'You cannot invite yourself.', '不能邀请自己。')
const automaticNeedsBounty = rule(
  'automaticity',
  'Paying at once needs a bounty.',
  '开启自动入账必须设置悬赏金额。',
)
const automaticNeedsOne = rule(
  'automaticity',
  'Paying at once needs exactly one invited person.',
  '开启自动入账必须且只能邀请一人。',
)
const lookNeedsBounty = rule('look', 'Paid looks need a bounty.', '开启围观必须设置悬赏金额。')
const lookNeedsAutomatic = rule(
  'look',
  'Paid looks need a bounty that is paid at once.',
  '开启围观必须开启自动入账。',
)

const EXCERPT = 1000

/** What a list shows of a text where the client does not say it. */
export const excerptOf = (body: string | null, given: string | null | undefined): string | null =>
  given ?? (body === null ? null : plainText(body, EXCERPT))

/** The pictures that a Markdown text names as `@![title](file id)`. */
export const picturesIn = (body: string | null): number[] => [
  ...new Set([...(body ?? '').matchAll(/@!\[[^\]\n]{0,500}\]\((\d{1,15})\)/g)].map(([, id]) => Number(id))),
]

/** 422 while the site does not let people be anonymous. */
export async function requireAnonymity(ctx: Context, anonymity: boolean | undefined): Promise<void> {
  if (anonymity && !(await readSettings(ctx))['site:anonymous']) throw anonymityOff()
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

/** The rules that span fields (R §19.3). */
function requireConsistent({ amount = 0, look, automaticity }: NewQuestion, invited: number): void {
  if (automaticity && amount === 0) throw automaticNeedsBounty()
  if (automaticity && invited !== 1) throw automaticNeedsOne()
  if (look && amount === 0) throw lookNeedsBounty()
  if (look && !automaticity) throw lookNeedsAutomatic()
}

/** Asks a question, in the caller's transaction: its bounty leaves the asker at once and waits in escrow. */
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
    if ((await findPeople(tx, invited)).length < invited.length) throw unknownPeople()
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
  await adoptFiles(tx, {
    ids: picturesIn(question.body),
    ownerId: userId,
    channel: 'question:images',
    raw: id,
  })
  if (amount > 0)
    await move(
      tx,
      {
        currency: 'points',
        from: userId,
        to: PLATFORM.escrow,
        amount,
        kind: 'bounty',
        subject: { type: QUESTIONS, id },
        body: question.subject,
      },
      notEnoughFor,
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

const notEnoughFor = () =>
  invalidField(
    'amount',
    { en: 'You do not have enough points.', zh: '积分余额不足。' },
    'insufficient_balance',
  )

/** 404 or 403 unless this person asked the question. */
export async function requireOwnQuestion(sql: Db, id: number, userId: number): Promise<QuestionRow> {
  const question = await findQuestionRow(sql, id)
  if (!question) throw noSuchQuestion()
  if (question.user_id !== userId) throw notYourQuestion()
  return question
}

/** The same within a transaction, which holds the question from then on. */
export async function holdOwnQuestion(tx: Tx, id: number, userId: number): Promise<QuestionRow> {
  const question = await lockQuestion(tx, id)
  if (!question) throw noSuchQuestion()
  if (question.user_id !== userId) throw notYourQuestion()
  return question
}

/**
 * Sets or changes the bounty of a held question: the earlier one goes back in the same movement (R §28, 23). Not after
 * an adoption, and not when people were invited with the promise of it.
 */
async function changeBounty(tx: Tx, question: QuestionRow, amount: number): Promise<void> {
  const { id, user_id: owner, status, bounty } = question
  if (status !== 0 || bounty === 'paid') throw bountyFixed()
  if (bounty === 'held' && (await hasInvitations(tx, id))) throw bountyFixed()
  if (amount === question.amount) return
  await setBounty(tx, id, amount)
  const movement = { currency: 'points', subject: { type: QUESTIONS, id }, body: question.subject } as const
  const back = {
    ...movement,
    from: PLATFORM.escrow,
    to: owner,
    amount: question.amount,
    kind: 'bounty:refunded',
  } as const
  const away = { ...movement, from: owner, to: PLATFORM.escrow, amount, kind: 'bounty' } as const
  await move(tx, bounty === 'held' ? [back, away] : away, notEnoughFor)
}

/** Changes the bounty alone. */
export async function resetBounty(tx: Tx, id: number, userId: number, amount: number): Promise<void> {
  await changeBounty(tx, await holdOwnQuestion(tx, id, userId), amount)
}

/** Takes the asker's name off what was told of a question before it became anonymous. */
async function hideAsker(tx: Tx, id: number, senderId: number): Promise<void> {
  await hideSender(tx, { senderId, systemType: 'qa:invitation', cause: { type: QUESTIONS, id } })
  const adopted = await listAdoptedIds(tx, id)
  if (adopted.length > 0)
    await hideSender(tx, {
      senderId,
      systemType: 'qa:answer-adoption',
      cause: { type: ANSWERS, id: adopted },
    })
}

/** Changes a question of one's own. */
export async function editQuestion(tx: Tx, id: number, userId: number, patch: QuestionPatch): Promise<void> {
  const { subject, body, text_body: textBody, anonymity, topics, amount } = patch
  if ([subject, body, textBody, anonymity, topics, amount].every((given) => given === undefined))
    throw nothingToChange()
  if (subject !== undefined) requireQuestionMark(subject)
  const topicIds = topics === undefined ? undefined : topicIdsOf(topics)
  const question = await holdOwnQuestion(tx, id, userId)
  await updateQuestion(tx, id, {
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
  if (body !== undefined)
    await adoptFiles(tx, { ids: picturesIn(body), ownerId: userId, channel: 'question:images', raw: id })
  if (amount !== undefined) await changeBounty(tx, question, amount)
}

/**
 * Deletes a question with everything below it, for its author or a moderator. A bounty that nobody earned and a fee
 * that nobody decided on go back to the asker, in the same transaction.
 */
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
  const back = { currency: 'points', from: PLATFORM.escrow, to: owner, body: question.subject } as const
  await move(tx, [
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
  await takeBack(tx, { cause: { type: QUESTIONS, id } })
  if (answerIds.length > 0) await takeBack(tx, { cause: { type: ANSWERS, id: answerIds } })
  return question
}
