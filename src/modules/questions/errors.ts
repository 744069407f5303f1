import { apiError, fieldError, invalidField } from '#platform/errors.ts'

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
  'A topic with this name already exists.',
  '该名称的话题已存在。',
)

export const notYourQuestion = apiError(
  403,
  'not_your_question',
  'Only the asker of the question may do this.',
  '只有提问者可以执行此操作。',
)

export const notYourAnswer = apiError(
  403,
  'not_your_answer',
  'Only the author of the answer may do this.',
  '只有回答者可以执行此操作。',
)

export const bountyFixed = apiError(
  403,
  'bounty_fixed',
  'The bounty of this question can no longer be changed.',
  '该问题的悬赏已无法修改。',
)

export const answerAdopted = apiError(
  422,
  'answer_adopted',
  'An adopted answer cannot be changed or deleted.',
  '已被采纳的回答不能修改或删除。',
)

export const answerInvited = apiError(
  422,
  'answer_invited',
  'An invited answer cannot be deleted.',
  '受邀回答不能删除。',
)

export const notEnoughPoints = apiError(
  422,
  'insufficient_balance',
  'You do not have enough points.',
  '积分余额不足。',
)

export const anonymityOff = fieldError(
  'anonymity',
  'anonymity_off',
  'Anonymity is disabled on this site.',
  '本站未开放匿名功能。',
)

export const nothingToChange = fieldError(
  'body',
  'nothing_to_change',
  'There is nothing to change.',
  '没有需要修改的内容。',
)

const rule = (field: string, en: string, zh: string) => () => invalidField(field, { en, zh })

export const noQuestionMark = rule(
  'subject',
  'A question ends with a question mark.',
  '问题标题必须以问号结尾。',
)

export const noTopics = rule('topics', 'A question needs a topic.', '问题必须选择话题。')

export const unknownTopics = rule('topics', 'One of the topics does not exist.', '所选话题不存在。')

export const topicTwice = rule('topics', 'A topic can be given once.', '话题不能重复。')

export const unknownPeople = rule('invitations', 'One of these people does not exist.', '邀请的用户不存在。')

export const personTwice = rule('invitations', 'A person can be invited once.', '不能重复邀请同一用户。')

export const inviteOneself = rule('invitations', 'You cannot invite yourself.', '不能邀请自己。')

export const automaticNeedsBounty = rule(
  'automaticity',
  'Paying at once needs a bounty.',
  '开启自动入账必须设置悬赏金额。',
)

export const automaticNeedsOne = rule(
  'automaticity',
  'Paying at once needs exactly one invited person.',
  '开启自动入账必须且只能邀请一人。',
)

export const lookNeedsBounty = rule('look', 'Paid looks need a bounty.', '开启围观必须设置悬赏金额。')

export const lookNeedsAutomatic = rule(
  'look',
  'Paid looks need a bounty that is paid at once.',
  '开启围观必须开启自动入账。',
)

export const bountyTooHigh = fieldError(
  'amount',
  'insufficient_balance',
  'You do not have enough points.',
  '积分余额不足。',
)

export const ownAnswer = apiError(
  422,
  'own_answer',
  'You cannot adopt your own answer.',
  '不能采纳自己的回答。',
)

export const adoptedAlready = apiError(
  422,
  'adopted_already',
  'This question already has an adopted answer.',
  '该问题已有采纳的回答。',
)

export const notForPay = apiError(
  422,
  'look_not_for_pay',
  'You do not need to pay to view this answer.',
  '该回答无需围观。',
)

export const lookedAlready = apiError(
  422,
  'looked_already',
  'You have already paid for this answer.',
  '你已经围观过该回答。',
)

export const appliedAlready = apiError(
  422,
  'excellence_pending',
  'This question already has a pending request.',
  '该问题已有待审核的精选申请。',
)

export const excellentAlready = apiError(
  422,
  'excellent_already',
  'This question is already marked as excellent.',
  '该问题已是精选问题。',
)

export const applicationDecided = apiError(
  422,
  'application_decided',
  'This request has already been decided.',
  '该申请已处理。',
)

export const proposedAlready = apiError(
  422,
  'question_topic_proposed',
  'You have already proposed this topic.',
  '你已提交过该话题的申请。',
)
