import { apiError, invalidField } from '#platform/errors.ts'

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
export const unknownCategory = (field: string) => () =>
  invalidField(field, { en: 'There is no such category.', zh: '分类不存在。' }, 'no_such_category')
