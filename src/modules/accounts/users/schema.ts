import { apiError } from '#platform/errors.ts'
import { Cursor, Direction, Id, IdList, Int, OneOf, Text, Type, WithAlias } from '#platform/http'

export const noSuchUser = apiError(404, 'no_such_user', 'This user does not exist.', '该用户不存在。')

/**
 * Query of GET /users (sign-in-13). `name` is a part of the name, or with `fetch_by=username` whole names.
 */
export const UserListQuery = Type.Object({
  id: Type.Optional(IdList(100)),
  name: Type.Optional(Text(2000)),
  q: WithAlias('name', Type.Optional(Text(2000))),
  fetch_by: Type.Optional(OneOf(['username'])),
  tags: Type.Optional(IdList(50)),
  since: Cursor,
  after: WithAlias('since', Cursor),
  order: Direction,
  limit: Type.Optional(Int(1, 100, { description: '15 by default, or as many as were named' })),
})

export const UserKeyParams = Type.Object({ user: Text(128) })

/** A user who replaces the viewer in the flags of GET /users/{user}. */
export const UserFlagsQuery = Type.Object({
  following: Type.Optional(Id),
  follower: Type.Optional(Id),
})

export const UserParams = Type.Object({ user: Id })
