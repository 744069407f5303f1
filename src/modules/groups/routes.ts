import type { Multipart } from '@fastify/multipart'
import multipart from '@fastify/multipart'
import { wireTime } from '#lib/time.ts'
import { fileNotUsable, isTruncatedUpload, saveUpload, UPLOAD_ERRORS } from '#modules/files/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import {
  compileInput,
  Empty,
  encapsulate,
  localizedMessage,
  readFields,
  routesOn,
  type Server,
  Type,
  withQuery,
} from '#platform/http'
import { getManagedGroup, getOwnedGroup } from './access/service.ts'
import {
  formCutShort,
  noSuchCategory,
  noSuchGroup,
  notCertified,
  notFounder,
  notManager,
  unknownCategory,
} from './errors.ts'
import {
  countGroups,
  findGroup,
  listGroups,
  listGroupsOf,
  listMyGroups,
  listNearby,
  listRecommended,
  updateGroup,
} from './queries.ts'
import {
  Group,
  GroupBinding,
  GroupCategoryParams,
  GroupChanges,
  GroupCount,
  GroupDetail,
  GroupForm,
  GroupListQuery,
  GroupMade,
  GroupParams,
  GroupProtocol,
  MyGroup,
  MyGroupsQuery,
  NearbyQuery,
  NewGroup,
  RecommendedQuery,
  UserGroupsQuery,
} from './schema.ts'
import { changeGroup, groupContent, prepareGroup, requireCategory } from './service.ts'
import { readGroupSettings } from './settings.ts'
import { groupDetail, groupViews } from './view.ts'

const checkNew = compileInput(NewGroup)
const checkChanges = compileInput(GroupChanges)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A client may send `tags` as JSON in one field. */
function bodyOf(fields: [name: string, value: string][]): Record<string, unknown> {
  const body = readFields(fields)
  return typeof body.tags === 'string' && body.tags.startsWith('[{')
    ? { ...body, tags: parsed(body.tags) }
    : body
}

async function readForm(
  ctx: Context,
  senderId: number,
  parts: AsyncIterable<Multipart>,
): Promise<Record<string, unknown>> {
  const fields: [string, string][] = []
  let avatar: number | undefined
  try {
    for await (const part of parts) {
      if (part.type === 'field') fields.push([part.fieldname, String(part.value)])
      // Browsers send a file field without a choice as a file without a name.
      else if (part.fieldname === 'avatar' && part.filename !== '')
        avatar = await saveUpload(ctx, senderId, part.file, 'avatar')
      else part.file.resume()
    }
  } catch (error) {
    throw isTruncatedUpload(error) ? formCutShort() : error
  }
  return { ...bodyOf(fields), ...(avatar === undefined ? {} : { avatar }) }
}

function checked<T>(check: ReturnType<typeof compileInput>, body: unknown): T {
  const result = check(body)
  if ('error' in result) throw result.error
  return result.value as T
}

const checkNewGroup = (body: unknown) => checked<NewGroup>(checkNew, body)

const checkGroupChanges = (body: unknown) => checked<GroupChanges>(checkChanges, body)

const CONTENT_TYPES = ['application/json', 'multipart/form-data']

const VALUE_ERRORS = [sensitiveWords, formCutShort, fileNotUsable, ...UPLOAD_ERRORS] as const

export function groupRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('GET /groups', {
    operationId: 'listGroups',
    summary: 'List groups, newest first, or find them by name',
    access: 'optional',
    query: GroupListQuery,
    reply: { 200: Type.Array(Group) },
    handler: async ({ query, viewer }) => groupViews(ctx, await listGroups(sql, query), viewer.id),
  })

  route('GET /recommend/groups', {
    operationId: 'listRecommendedGroups',
    summary: 'List recommended groups',
    access: 'optional',
    query: RecommendedQuery,
    reply: { 200: Type.Array(Group) },
    handler: async ({ query, viewer }) => groupViews(ctx, await listRecommended(sql, query), viewer.id),
  })

  route('GET /round/groups', {
    operationId: 'listNearbyGroups',
    summary: 'List groups within 20 km, nearest first',
    access: 'optional',
    query: NearbyQuery,
    reply: { 200: Type.Array(Group) },
    handler: async ({ query, viewer }) => groupViews(ctx, await listNearby(sql, query), viewer.id),
  })

  route('GET /groups/count', {
    operationId: 'countGroups',
    summary: 'Count the groups',
    access: 'optional',
    reply: { 200: GroupCount },
    handler: async () => ({ count: await countGroups(sql) }),
  })

  route('GET /groups/protocol', {
    operationId: 'getGroupProtocol',
    summary: 'Read the terms for creating a group',
    access: 'optional',
    reply: { 200: GroupProtocol },
    handler: async () => ({ protocol: (await readGroupSettings(ctx))['group:protocol'] }),
  })

  route('GET /groups/users', {
    operationId: 'listGroupsOfUser',
    summary: 'List the groups a person is in',
    access: 'optional',
    query: UserGroupsQuery,
    reply: { 200: Type.Array(Group) },
    handler: async ({ query, viewer }) =>
      groupViews(ctx, await listGroupsOf(sql, query.user_id, query), viewer.id),
  })

  route('GET /user-groups', {
    operationId: 'listMyGroups',
    summary: 'List my groups: joined, pending, or those I may post in',
    access: 'user',
    query: MyGroupsQuery,
    reply: { 200: Type.Array(MyGroup) },
    handler: async ({ query, viewer }) => {
      const rows = await listMyGroups(sql, viewer.id, query)
      const views: MyGroup[] = await groupViews(ctx, rows, viewer.id)
      return views.map((view, n) =>
        view.joined?.audit === 0 ? { ...view, join_at: wireTime(rows[n]!.join_at) } : view,
      )
    },
  })

  route('GET /groups/:group', {
    operationId: 'getGroup',
    summary: 'Read a group',
    access: 'optional',
    params: GroupParams,
    reply: { 200: GroupDetail },
    errors: [noSuchGroup],
    handler: async ({ params, viewer }) => {
      const row = await findGroup(sql, params.group, viewer.id)
      if (!row) throw noSuchGroup()
      return groupDetail(ctx, row, viewer.id)
    },
  })

  encapsulate(server, async (scope) => {
    await scope.register(multipart, {
      limits: { files: 1, fields: 50, fieldSize: 20_000, fileSize: ctx.config.maxUploadBytes },
      throwFileSizeLimit: false,
    })
    const formRoute = routesOn(scope, ctx, { tag: 'Groups' })

    formRoute('POST /categories/:category/groups', {
      operationId: 'createGroup',
      summary: 'Create a group, subject to approval by an administrator; name and mode are required',
      access: 'user',
      consumes: CONTENT_TYPES,
      params: GroupCategoryParams,
      body: GroupForm,
      reply: { 201: GroupMade },
      errors: [noSuchCategory, notCertified, ...VALUE_ERRORS],
      idempotent: true,
      load: ({ params }) => requireCategory(sql, params.category),
      handler: async ({ request, viewer, params, body, atomically }) => {
        const sent = request.isMultipart()
          ? withQuery(Object(request.query), await readForm(ctx, viewer.id, request.parts()))
          : body
        const create = await prepareGroup(ctx, viewer.id, params.category, checkNewGroup(sent ?? {}))
        return atomically(async (tx) => ({
          ...localizedMessage(request, 'Created and waiting for review.', '创建成功，等待审核。'),
          group: await create(tx),
        }))
      },
    })

    formRoute('POST /groups/:group', {
      operationId: 'updateGroup',
      summary: 'Change a group, as its founder or an administrator',
      access: 'user',
      consumes: CONTENT_TYPES,
      params: GroupParams,
      body: GroupChanges,
      reply: { 201: GroupMade },
      errors: [noSuchGroup, notManager, notFounder, unknownCategory, ...VALUE_ERRORS],
      load: ({ params, viewer }) => getManagedGroup(sql, params.group, viewer.id),
      handler: async ({ request, viewer, params, body }) => {
        const sent = request.isMultipart()
          ? withQuery(Object(request.query), await readForm(ctx, viewer.id, request.parts()))
          : body
        const group = await changeGroup(ctx, viewer.id, params.group, checkGroupChanges(sent ?? {}))
        // iOS takes a text of five characters or more for a failure (conventions-6).
        return { ...localizedMessage(request, 'Done', '已修改'), group }
      },
    })
  })

  route('PUT /groups/:group/bind-im-group', {
    operationId: 'bindChatGroup',
    aliases: { bindChatGroupByOlderPath: '/group/groups/:group/bind-im-group' },
    summary: 'Link a chat group to a group, as its founder',
    access: 'user',
    params: GroupParams,
    body: GroupBinding,
    reply: { 204: Empty },
    errors: [noSuchGroup, notFounder],
    precheck: ({ params, viewer }) => getOwnedGroup(sql, params.group, viewer.id),
    handler: ({ params, viewer, body }) =>
      transaction(sql, async (tx) => {
        await getOwnedGroup(tx, params.group, viewer.id, { lock: true })
        await updateGroup(tx, params.group, { im_group_id: body.id })
      }),
  })

  mountReports(server, ctx, groupContent, {
    path: '/groups/:group/reports',
    required: true,
  })
}
