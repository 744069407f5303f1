import { groupBy } from '#lib/lists.ts'
import { isUser, noSuchUser, UserView, userPage } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { attachTag, detachTag, listAlikeIds, listCategories, listTags, listTagsOf } from './queries.ts'
import { OwnerParams, PeopleQuery, Tag, TagCategory, TagParams } from './schema.ts'

const noSuchTag = apiError(404, 'no_such_tag', 'There is no such tag.', '标签不存在。')
const alreadyAttached = apiError(422, 'tag_attached', 'You have this tag already.', '你已经选择了该标签。')
const notAttached = apiError(422, 'tag_not_attached', 'You do not have this tag.', '你没有选择该标签。')

export function tagRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Tags']

  server.get(
    '/tags',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'All categories with their tags, the heaviest first',
        response: { 200: Type.Array(TagCategory) },
      },
    },
    async () => {
      const [categories, all] = await Promise.all([listCategories(sql), listTags(sql)])
      const byCategory = groupBy(all, (tag) => tag.tag_category_id)
      return categories.map((category) => ({ ...category, tags: byCategory.get(category.id) ?? [] }))
    },
  )

  server.get(
    '/user/tags',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Your tags', response: { 200: Type.Array(Tag) } },
    },
    (request) => listTagsOf(sql, viewerOf(request).id),
  )

  server.get(
    '/users/:user/tags',
    {
      config: { access: 'public' },
      schema: { tags, summary: "Somebody's tags", params: OwnerParams, response: { 200: Type.Array(Tag) } },
    },
    async (request) => {
      const { user } = request.params
      const [found, list] = await Promise.all([isUser(sql, user), listTagsOf(sql, user)])
      if (!found) throw noSuchUser()
      return list
    },
  )

  server.put(
    '/user/tags/:tag',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Take a tag', params: TagParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { found, made } = await onConstraint(
        attachTag(sql, viewerOf(request).id, request.params.tag),
        // It was deleted meanwhile.
        { user_tags_tag_id_fkey: noSuchTag },
      )
      if (!found) throw noSuchTag()
      if (!made) throw alreadyAttached()
      return reply.code(204).send()
    },
  )

  server.delete(
    '/user/tags/:tag',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Drop a tag', params: TagParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { found, gone } = await detachTag(sql, viewerOf(request).id, request.params.tag)
      if (!found) throw noSuchTag()
      if (!gone) throw notAttached()
      return reply.code(204).send()
    },
  )

  server.get(
    '/user/find-by-tags',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Users'],
        summary: 'People who share a tag with you; nobody for a guest',
        querystring: PeopleQuery,
        response: { 200: Type.Array(UserView) },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      return userPage(ctx, await listAlikeIds(sql, viewer, request.query), viewer)
    },
  )
}
