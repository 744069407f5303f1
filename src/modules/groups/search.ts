import type { Searchable } from '#platform/search.ts'
import { listGroups } from './queries.ts'
import { Group } from './schema.ts'
import { groupViews } from './view.ts'

/** Groups that passed, by a part of their name. Private ones are found too: their posts are what is private. */
export const groupSearch: Searchable = {
  type: 'groups',
  item: Group,
  find: async (ctx, { q, after, limit, viewerId }) =>
    groupViews(ctx, await listGroups(ctx.sql, { keyword: q, after, limit }), viewerId),
}
