import { apiError, fieldError, invalidField } from '#platform/errors.ts'

export const noSuchTag = apiError(404, 'no_such_tag', 'There is no such tag.', '标签不存在。')
export const alreadyAttached = apiError(
  422,
  'tag_attached',
  'You have this tag already.',
  '你已经选择了该标签。',
)
export const notAttached = apiError(
  422,
  'tag_not_attached',
  'You do not have this tag.',
  '你没有选择该标签。',
)

export const tagInUse = apiError(422, 'tag_in_use', 'This tag is in use.', '该标签正在使用中。')
export const categoryInUse = apiError(
  422,
  'category_in_use',
  'This category holds tags.',
  '该分类下存在标签。',
)

export const tagNameTaken = fieldError(
  'name',
  'name_taken',
  'There is a tag of this name already.',
  '标签名称已存在。',
)
export const categoryNameTaken = fieldError(
  'name',
  'name_taken',
  'There is a category of this name already.',
  '分类名称已存在。',
)

/** The unique and foreign keys, as errors on the field. */
export const TAG_CONSTRAINTS = {
  tags_name_taken: tagNameTaken,
  tag_categories_name_taken: categoryNameTaken,
  tags_tag_category_id_fkey: () =>
    invalidField('tag_category_id', { en: 'There is no such category.', zh: '标签分类不存在。' }),
}
