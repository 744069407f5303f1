import { apiError, invalidField } from '#platform/errors.ts'

export const noSuchQuestion = apiError(
  404,
  'no_such_question',
  'This question does not exist.',
  '问题不存在。',
)
export const noSuchAnswer = apiError(404, 'no_such_answer', 'This answer does not exist.', '回答不存在。')
export const noSuchQuestionTopic = apiError(
  404,
  'no_such_question_topic',
  'This topic does not exist.',
  '话题不存在。',
)
export const topicNameTaken = apiError(
  422,
  'question_topic_name_taken',
  'A topic of this name exists already.',
  '该名称的话题已存在。',
)
export const notYourQuestion = apiError(
  403,
  'not_your_question',
  'Only who asked the question may do this.',
  '只有提问者可以执行此操作。',
)
export const notYourAnswer = apiError(
  403,
  'not_your_answer',
  'Only who wrote the answer may do this.',
  '只有回答者可以执行此操作。',
)
export const bountyFixed = apiError(
  403,
  'bounty_fixed',
  'The bounty of this question cannot be changed any more.',
  '该问题的悬赏已无法修改。',
)
export const answerAdopted = apiError(
  422,
  'answer_adopted',
  'An adopted answer stays as it is.',
  '已被采纳的回答不能修改或删除。',
)
export const answerInvited = apiError(
  422,
  'answer_invited',
  'The answer of who was invited cannot be deleted.',
  '受邀回答不能删除。',
)

/** 422: the payer has less than what is to be paid (R §19.4). */
export const notEnoughPoints = apiError(
  422,
  'insufficient_balance',
  'You do not have enough points.',
  '积分余额不足。',
)

export const anonymityOff = () =>
  invalidField(
    'anonymity',
    { en: 'Anonymity is switched off on this site.', zh: '本站未开放匿名功能。' },
    'anonymity_off',
  )

export const nothingToChange = () =>
  invalidField('body', { en: 'There is nothing to change.', zh: '没有需要修改的内容。' }, 'nothing_to_change')
