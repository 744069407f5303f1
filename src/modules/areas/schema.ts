import { apiError, fieldError, invalidField } from '#platform/errors.ts'
import { Int, MAX_ID, Nullable, OpenObject, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noSuchArea = apiError(404, 'no_such_area', 'This area does not exist.', '地区不存在。')

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
  invalidField('pid', { en: 'This area does not exist.', zh: '上级地区不存在。' })

export const tooDeep = () =>
  invalidField('pid', { en: 'Areas have at most four levels.', zh: '地区最多四级。' })

export const blankName = () =>
  invalidField('name', { en: 'The name field is required.', zh: '名称不能为空。' })

/** A geographic area. A root has no parent. */
export const Area = Shared('Area', {
  id: Type.Integer(),
  name: Type.String(),
  pid: Type.Integer({ description: 'The area that this one is in; 0 at the top' }),
  extends: Type.String(),
  longitude: Nullable(Type.Number({ description: 'degrees; null where nobody said where it lies' })),
  latitude: Nullable(Type.Number()),
  created_at: Time,
  updated_at: Time,
})
export type Area = Static<typeof Area>

/** A matching area with its children and ancestors. */
export const FoundArea = Shared('FoundArea', {
  items: Type.Unsafe<Area[] | null>({
    type: ['array', 'null'],
    items: Area,
    description: 'What is directly in it; null from the third level on',
  }),
  tree: Shared('AreaTree', { ...Area.properties, parent: Nullable(OpenObject) }),
})
export type FoundArea = Static<typeof FoundArea>

export const AreaSearch = Type.Object({ name: Text(100) })

export const NewArea = Shared('NewArea', {
  name: Text(100),
  extends: Type.Optional(Text(255, { 'x-empty': true })),
  longitude: Type.Optional(Nullable(Type.Number({ minimum: -180, maximum: 180 }))),
  latitude: Type.Optional(Nullable(Type.Number({ minimum: -90, maximum: 90 }))),
  pid: Type.Optional(Int(0, MAX_ID, { description: '0, and by default, at the top' })),
})
export type NewArea = Static<typeof NewArea>
