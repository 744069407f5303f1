import multipart from '@fastify/multipart'
import { wireTime } from '#lib/time.ts'
import { mountReports } from '#modules/reports/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { noSuchGroup } from '../errors.ts'
import { GroupParams } from '../schema.ts'
import { getManaged, getOwned } from '../service.ts'
import { readGroupChanges, readNewGroup } from './form.ts'
import { updateGroup } from './queries/changes.ts'
import { countGroups, findGroup, listCategories } from './queries/circles.ts'
import { listGroups, listGroupsOf, listMyGroups, listNearby, listRecommended } from './queries/lists.ts'
import {
  BindBody,
  Category,
  CategoryGroupsQuery,
  CategoryParams,
  Group,
  GroupChanges,
  GroupDetail,
  GroupListQuery,
  GroupMade,
  MyGroup,
  MyGroupsQuery,
  NearbyQuery,
  NewGroup,
  RecommendQuery,
  UserGroupsQuery,
} from './schema.ts'
import { changeGroup, createGroup, groupContent, requireCategory } from './service.ts'
import { categoryView, groupDetail, groupViews } from './view.ts'

const tags = ['Groups']

/** Circles: categories, lists, one by itself, making and changing them. */
export function circleRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const list = { tags, response: { 200: Type.Array(Group) } }

  server.get(
    '/categories',
    {
      config: { access: 'optional' },
      schema: { tags, summary: 'List categories of groups', response: { 200: Type.Array(Category) } },
    },
    async () => (await listCategories(sql)).map(categoryView),
  )

  server.get(
    '/categories/:category/groups',
    {
      config: {
        access: 'optional',
        before: (request) => requireCategory(ctx, (request.params as { category: number }).category),
      },
      schema: {
        ...list,
        summary: 'List the groups of a category',
        params: CategoryParams,
        querystring: CategoryGroupsQuery,
      },
    },
    async (request) => {
      const { category } = request.params
      await requireCategory(ctx, category)
      const rows = await listGroups(sql, { ...request.query, category_id: category })
      return groupViews(ctx, rows, viewerId(request))
    },
  )

  server.get(
    '/groups',
    {
      config: { access: 'optional' },
      schema: {
        ...list,
        summary: 'List groups, newest first, or find them by name',
        querystring: GroupListQuery,
      },
    },
    async (request) => groupViews(ctx, await listGroups(sql, request.query), viewerId(request)),
  )

  server.get(
    '/recommend/groups',
    {
      config: { access: 'optional' },
      schema: { ...list, summary: 'List recommended groups', querystring: RecommendQuery },
    },
    async (request) => groupViews(ctx, await listRecommended(sql, request.query), viewerId(request)),
  )

  server.get(
    '/round/groups',
    {
      config: { access: 'optional' },
      schema: {
        ...list,
        summary: 'List groups within 20 km, the nearest first',
        querystring: NearbyQuery,
      },
    },
    async (request) => groupViews(ctx, await listNearby(sql, request.query), viewerId(request)),
  )

  server.get(
    '/groups/count',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Count the groups',
        response: { 200: Type.Object({ count: Type.Integer() }) },
      },
    },
    async () => ({ count: await countGroups(sql) }),
  )

  server.get(
    '/groups/protocol',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Read the terms of making a group',
        response: { 200: Type.Object({ protocol: Type.String() }) },
      },
    },
    async () => ({ protocol: (await readSettings(ctx))['group:protocol'] }),
  )

  server.get(
    '/groups/users',
    {
      config: { access: 'optional' },
      schema: { ...list, summary: 'List the groups a person is in', querystring: UserGroupsQuery },
    },
    async (request) =>
      groupViews(ctx, await listGroupsOf(sql, request.query.user_id, request.query), viewerId(request)),
  )

  server.get(
    '/user-groups',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List my groups: joined, waiting, or those I may post in',
        querystring: MyGroupsQuery,
        response: { 200: Type.Array(MyGroup) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const rows = await listMyGroups(sql, viewer, request.query)
      const views: MyGroup[] = await groupViews(ctx, rows, viewer)
      return views.map((view, n) =>
        view.joined?.audit === 0 ? { ...view, join_at: wireTime(rows[n]!.join_at) } : view,
      )
    },
  )

  server.get(
    '/groups/:group',
    {
      config: { access: 'optional' },
      schema: { tags, summary: 'Read a group', params: GroupParams, response: { 200: GroupDetail } },
    },
    async (request) => {
      const viewer = viewerId(request)
      const row = await findGroup(sql, request.params.group, viewer)
      if (!row) throw noSuchGroup()
      return groupDetail(ctx, row, viewer)
    },
  )

  server.register(async (instance) => {
    const scope = instance as unknown as Server
    await scope.register(multipart, {
      limits: { files: 1, fields: 50, fieldSize: 20_000, fileSize: ctx.config.maxUploadBytes },
      throwFileSizeLimit: false,
    })
    const consumes = ['application/json', 'multipart/form-data']
    scope.post(
      '/categories/:category/groups',
      {
        config: {
          access: 'user',
          before: (request) => requireCategory(ctx, (request.params as { category: number }).category),
        },
        schema: {
          tags,
          summary: 'Create a group, which an administrator has to let pass; name and mode are required',
          consumes,
          params: CategoryParams,
          body: Type.Partial(NewGroup),
          response: { 201: GroupMade },
        },
      },
      async (request, reply) => {
        await requireCategory(ctx, request.params.category)
        const body = await readNewGroup(ctx, request)
        const group = await createGroup(ctx, viewerOf(request).id, request.params.category, body)
        return reply.code(201).send({
          ...say(request, 'Created. It waits for review.', '创建成功，等待审核。'),
          group,
        })
      },
    )
    scope.post(
      '/groups/:group',
      {
        config: {
          access: 'user',
          before: (request) =>
            getManaged(sql, (request.params as { group: number }).group, viewerOf(request).id),
        },
        schema: {
          tags,
          summary: 'Change a group, as its founder or an administrator',
          consumes,
          params: GroupParams,
          body: GroupChanges,
          response: { 201: GroupMade },
        },
      },
      async (request, reply) => {
        const { id: viewer } = viewerOf(request)
        await getManaged(sql, request.params.group, viewer)
        const body = await readGroupChanges(ctx, request)
        const group = await changeGroup(ctx, viewer, request.params.group, body)
        return reply.code(201).send({ ...say(request, 'Changed.', '修改成功。'), group })
      },
    )
  })

  // The older form of the path, and the plain one.
  for (const path of ['/group/groups/:group/bind-im-group', '/groups/:group/bind-im-group'])
    server.put(
      path,
      {
        config: {
          access: 'user',
          before: (request) =>
            getOwned(sql, (request.params as { group: number }).group, viewerOf(request).id),
        },
        schema: {
          tags,
          summary: 'Note the chat group of a group, as its founder',
          params: GroupParams,
          body: BindBody,
          response: { 204: Empty },
        },
      },
      async (request, reply) => {
        const { group } = request.params
        await transaction(sql, async (tx) => {
          await getOwned(tx, group, viewerOf(request).id, { lock: true })
          await updateGroup(tx, group, { im_group_id: request.body.id })
        })
        return reply.code(204).send()
      },
    )

  mountReports(server, ctx, groupContent, {
    path: '/groups/:group/reports',
    field: 'content',
    required: true,
  })
}
