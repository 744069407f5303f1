import { groupBy } from '#lib/lists.ts'
import { isUser, noSuchUser, UserView, userPage } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint } from '#platform/database'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { attachTag, detachTag, listAlikeIds, listCategories, listTags, listTagsOf } from './queries.ts'
import {
  alreadyAttached,
  noSuchTag,
  notAttached,
  OwnerParams,
  PeopleQuery,
  Tag,
  TagCategory,
  TagParams,
} from './schema.ts'

/** Routes of tags that users choose (feeds-30). */
export function tagRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Tags' })

  route('GET /tags', {
    operationId: 'listTags',
    summary: 'List all categories with their tags, highest weight first',
    access: 'public',
    reply: { 200: Type.Array(TagCategory) },
    async handler() {
      const [categories, all] = await Promise.all([listCategories(sql), listTags(sql)])
      const byCategory = groupBy(all, (tag) => tag.tag_category_id)
      return categories.map((category) => ({ ...category, tags: byCategory.get(category.id) ?? [] }))
    },
  })

  route('GET /user/tags', {
    operationId: 'listOwnTags',
    summary: 'List my tags',
    access: 'user',
    reply: { 200: Type.Array(Tag) },
    handler: ({ viewer }) => listTagsOf(sql, viewer.id),
  })

  route('GET /users/:user/tags', {
    operationId: 'listUserTags',
    summary: 'List the tags of a person',
    access: 'public',
    params: OwnerParams,
    reply: { 200: Type.Array(Tag) },
    errors: [noSuchUser],
    async handler({ params: { user } }) {
      const [found, list] = await Promise.all([isUser(sql, user), listTagsOf(sql, user)])
      if (!found) throw noSuchUser()
      return list
    },
  })

  route('PUT /user/tags/:tag', {
    operationId: 'takeTag',
    summary: 'Add a tag to my profile',
    access: 'user',
    params: TagParams,
    reply: { 204: Empty },
    errors: [noSuchTag, alreadyAttached],
    async handler({ params, viewer }) {
      const { found, made } = await onConstraint(
        attachTag(sql, viewer.id, params.tag),
        // The tag was deleted in the meantime.
        { user_tags_tag_id_fkey: noSuchTag },
      )
      if (!found) throw noSuchTag()
      if (!made) throw alreadyAttached()
    },
  })

  route('DELETE /user/tags/:tag', {
    operationId: 'dropTag',
    summary: 'Remove a tag of mine',
    access: 'user',
    params: TagParams,
    reply: { 204: Empty },
    errors: [noSuchTag, notAttached],
    async handler({ params, viewer }) {
      const { found, gone } = await detachTag(sql, viewer.id, params.tag)
      if (!found) throw noSuchTag()
      if (!gone) throw notAttached()
    },
  })

  route('GET /user/find-by-tags', {
    operationId: 'listUsersBySharedTags',
    summary: 'List people who share a tag with me; empty for guests',
    tag: 'Users',
    access: 'optional',
    query: PeopleQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ query, viewer }) => userPage(ctx, await listAlikeIds(sql, viewer.id, query), viewer.id),
  })
}
