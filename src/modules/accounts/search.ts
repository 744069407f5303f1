import type { Searchable } from '#platform/search.ts'
import { UserView } from './schema.ts'
import { listUserIds } from './users/queries.ts'
import { userPage } from './users/view.ts'

/** People by a part of their name. */
export const userSearch: Searchable = {
  type: 'users',
  item: UserView,
  find: async (ctx, { q, after, limit, viewerId }) =>
    userPage(ctx, await listUserIds(ctx.sql, { search: q, since: after, order: 'desc', limit }), viewerId),
}
