import { apiError, fieldError } from '#platform/errors.ts'

export const noSuchNews = apiError(404, 'no_such_news', 'This article does not exist.', '资讯不存在。')
export const noSuchCategory = apiError(
  404,
  'no_such_category',
  'This category does not exist.',
  '分类不存在。',
)
export const notYourNews = apiError(
  403,
  'not_your_article',
  'Only the author of the article may do this.',
  '只有作者可以执行此操作。',
)

/** The state of the article does not allow what is asked. */
export const newsInThisState = apiError(
  422,
  'news_in_this_state',
  'The article is in a state that does not allow this.',
  '资讯当前状态不允许该操作。',
)

const noCategory = ['no_such_category', 'There is no such category.', '分类不存在。'] as const
export const unknownCategory = fieldError('category_id', ...noCategory)
export const unknownFollows = fieldError('follows', ...noCategory)
export const unknownTag = fieldError('tags', 'no_such_tag', 'There is no such tag.', '标签不存在。')
export const unknownAuthor = fieldError('user_id', 'no_such_user', 'There is no such person.', '用户不存在。')
