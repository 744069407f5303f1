import { apiError } from '#platform/errors.ts'

export const noSuchNode = apiError(404, 'no_such_node', 'There is nothing to buy here.', '付费节点不存在。')

export const paidAlready = apiError(
  422,
  'already_paid',
  'You have paid for this already.',
  '你已购买过该内容。',
)

/** 422 as well: the publisher has paid, in a way. */
export const ownNode = apiError(
  422,
  'own_content',
  'You cannot buy what is yours.',
  '不能购买自己发布的内容。',
)
