import { apiError, invalidField } from '#platform/errors.ts'

export const tagInUse = apiError(422, 'tag_in_use', 'This tag is in use.', '该标签正在使用中。')
export const categoryInUse = apiError(
  422,
  'category_in_use',
  'This category holds tags.',
  '该分类下存在标签。',
)

/** The unique and foreign keys, as errors on the field. */
export const TAG_CONSTRAINTS = {
  tags_name_taken: () =>
    invalidField(
      'name',
      { en: 'There is a tag of this name already.', zh: '标签名称已存在。' },
      'name_taken',
    ),
  tag_categories_name_taken: () =>
    invalidField(
      'name',
      { en: 'There is a category of this name already.', zh: '分类名称已存在。' },
      'name_taken',
    ),
  tags_tag_category_id_fkey: () =>
    invalidField('tag_category_id', { en: 'There is no such category.', zh: '标签分类不存在。' }),
}

export const emptyName = () =>
  invalidField('name', { en: 'The name shows nothing.', zh: '名称不能为空白字符。' })
