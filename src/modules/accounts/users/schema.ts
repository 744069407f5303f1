import { Cursor, Direction, Id, IdList, Int, OneOf, SameAs, Text, Type } from '#platform/schema.ts'

/** The query of GET /users (sign-in-13). `name` is a part of the name, or with `fetch_by=username` whole names. */
export const UserListQuery = Type.Object({
  id: Type.Optional(IdList(100)),
  name: Type.Optional(Text(2000)),
  q: SameAs('name', Type.Optional(Text(2000))),
  fetch_by: Type.Optional(OneOf(['username'])),
  tags: Type.Optional(IdList(50)),
  since: Cursor,
  after: SameAs('since', Cursor),
  order: Direction,
  limit: Type.Optional(Int(1, 100, { description: '15 by default, or as many as were named' })),
})

/** Somebody by id, name, phone or e-mail. */
export const UserKeyParams = Type.Object({ user: Text(128) })

/** Whose relation the flags of GET /users/{user} tell, instead of the viewer's. */
export const UserFlagsQuery = Type.Object({
  following: Type.Optional(Id),
  follower: Type.Optional(Id),
})

/** Somebody by id. */
export const UserParams = Type.Object({ user: Id })
