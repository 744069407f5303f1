import { apiError, fieldError, invalidField } from '#platform/errors.ts'

export const noSuchArea = apiError(404, 'no_such_area', 'There is no such area.', '地区不存在。')

export const areaInUse = apiError(
  422,
  'area_in_use',
  'This area holds others.',
  '该地区下还有其他地区，不能删除。',
)

export const areaTaken = fieldError(
  'name',
  'area_name_taken',
  'There is an area of this name already.',
  '该地区已存在。',
)

export const unknownParent = () =>
  invalidField('pid', { en: 'There is no such area.', zh: '上级地区不存在。' })

export const tooDeep = () =>
  invalidField('pid', { en: 'Areas have at most four levels.', zh: '地区最多四级。' })

export const blankName = () =>
  invalidField('name', { en: 'The name field is required.', zh: '名称不能为空。' })
