import { Int, MAX_ID, Nullable, Open, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** A place, under another or at the top. */
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

/** A found place with those around it, up to the top. */
export const FoundArea = Shared('FoundArea', {
  items: Type.Unsafe<Area[] | null>({
    type: ['array', 'null'],
    items: Area,
    description: 'What is directly in it; null from the third level on',
  }),
  tree: Shared('AreaTree', { ...Area.properties, parent: Nullable(Open) }),
})
export type FoundArea = Static<typeof FoundArea>

export const AreaSearch = Type.Object({ name: Text(100) })

/** What an area is made of. */
export const NewArea = Shared('NewArea', {
  name: Text(100),
  extends: Type.Optional(Text(255, { 'x-empty': true })),
  longitude: Type.Optional(Nullable(Type.Number({ minimum: -180, maximum: 180 }))),
  latitude: Type.Optional(Nullable(Type.Number({ minimum: -90, maximum: 90 }))),
  pid: Type.Optional(Int(0, MAX_ID, { description: '0, and by default, at the top' })),
})
export type NewArea = Static<typeof NewArea>
