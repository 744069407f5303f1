import { apiError, fieldError, invalidField } from '#platform/errors.ts'
import { Cursor, Id, Limit, Offset, Shared, type Static, Type } from '#platform/http'

export const noSuchTag = apiError(404, 'no_such_tag', 'This tag does not exist.', '标签不存在。')
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

/** Maps unique and foreign keys to errors on the field. */
export const TAG_CONSTRAINTS = {
  tags_name_taken: tagNameTaken,
  tag_categories_name_taken: categoryNameTaken,
  tags_tag_category_id_fkey: () =>
    invalidField('tag_category_id', { en: 'This category does not exist.', zh: '标签分类不存在。' }),
}

export const Tag = Shared('Tag', {
  id: Type.Integer(),
  name: Type.String(),
  tag_category_id: Type.Integer(),
  weight: Type.Integer(),
})
export type Tag = Static<typeof Tag>

/** A category with its tags. */
export const TagCategory = Shared('TagCategory', {
  id: Type.Integer(),
  name: Type.String(),
  weight: Type.Integer(),
  tags: Type.Array(Tag),
})
export type TagCategory = Static<typeof TagCategory>

export const TagParams = Type.Object({ tag: Id })
export const OwnerParams = Type.Object({ user: Id })
export const PeopleQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })
