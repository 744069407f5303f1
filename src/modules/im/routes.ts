import { hasAbility } from '#modules/abilities/index.ts'
import { isUser, noSuchUser } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { Empty, Message, Type } from '#platform/schema.ts'
import { findPeople } from './queries/accounts.ts'
import {
  BriefGroupView,
  GroupChange,
  GroupChanged,
  GroupFace,
  GroupId,
  GroupMade,
  GroupsQuery,
  GroupView,
  MemberChange,
  NewGroup,
  Nothing,
  Password,
  UserIdParams,
  UserIds,
} from './schema.ts'
import { readPassword, register, rotatePassword } from './service/accounts.ts'
import { startRegistration } from './service/everybody.ts'
import {
  addMembers,
  changeGroup,
  createGroup,
  deleteGroup,
  findVisibleGroups,
  getGroups,
  removeMembers,
} from './service/groups.ts'
import { briefGroupViews, faceUrl, groupViews } from './view.ts'

const tags = ['Instant messaging']

/**
 * The twelve operations of specification 4.1, and `GET /groups`, which existing clients read many groups with. They call
 * all of them under `/easemob` (decisions §1).
 */
export function imRoutes(server: Server, ctx: Context) {
  for (const { prefix, hide } of [
    { prefix: '/im', hide: false },
    { prefix: '/easemob', hide: true },
  ]) {
    accountRoutes(server, ctx, prefix, hide)
    groupRoutes(server, ctx, prefix, hide)
  }
}

/** 202 while the provider has not confirmed what is stored (decisions §10). */
const made = (confirmed: boolean) => (confirmed ? 201 : 202)

function accountRoutes(server: Server, ctx: Context, prefix: string, hide: boolean) {
  const manage = { ability: 'im: manage' }

  server.post(
    `${prefix}/register/:user_id`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Register a person with the provider; again changes nothing',
        params: UserIdParams,
        response: { 201: Nothing, 202: Nothing },
      },
    },
    async (request, reply) => {
      const { user_id: id } = request.params
      const viewer = viewerOf(request).id
      if (!(await isUser(ctx.sql, id))) throw noSuchUser()
      if (id !== viewer && !(await hasAbility(ctx, viewer, 'im: manage'))) throw forbidden()
      return reply.code(made(await register(ctx, [id]))).send([])
    },
  )

  server.post(
    `${prefix}/register`,
    {
      config: { access: manage },
      schema: {
        tags,
        hide,
        summary: 'Register people with the provider; unknown ids are passed over',
        body: UserIds,
        response: { 201: Nothing, 202: Nothing },
      },
    },
    async (request, reply) => {
      const people = await findPeople(ctx.sql, request.body.user_ids)
      return reply.code(made(await register(ctx, [...people]))).send([])
    },
  )

  server.post(
    `${prefix}/register-old-users`,
    {
      config: { access: manage },
      schema: {
        tags,
        hide,
        summary: 'Begin to register everybody who is not; GET /admin/im tells how far it came',
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      const begun = await startRegistration(ctx, viewerOf(request).id)
      return reply
        .code(201)
        .send(
          begun
            ? say(request, 'The registration has begun.', '已开始注册用户。')
            : say(request, 'The registration is going on.', '用户注册正在进行中。'),
        )
    },
  )

  server.put(
    `${prefix}/password`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Make another password for the provider',
        response: { 201: Nothing, 202: Nothing },
      },
    },
    async (request, reply) => reply.code(made(await rotatePassword(ctx, viewerOf(request).id))).send([]),
  )

  server.get(
    `${prefix}/password`,
    {
      config: { access: 'user' },
      schema: { tags, hide, summary: 'Read your password for the provider', response: { 201: Password } },
    },
    async (request, reply) => {
      const im_pwd_hash = await readPassword(ctx, viewerOf(request).id)
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({ ...say(request, 'Here is your password.', '获取成功。'), im_pwd_hash })
    },
  )
}

function groupRoutes(server: Server, ctx: Context, prefix: string, hide: boolean) {
  server.get(
    `${prefix}/group`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Read groups with their members; those you may not know of are left out',
        querystring: GroupsQuery,
        response: { 200: Type.Array(GroupView) },
      },
    },
    async (request) => {
      const { id } = viewerOf(request)
      return groupViews(ctx, await getGroups(ctx, request.query.im_group_id, id), id)
    },
  )

  server.get(
    `${prefix}/groups`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Read groups with the account names of their members alone',
        querystring: GroupsQuery,
        response: { 200: Type.Array(BriefGroupView) },
      },
    },
    async (request) =>
      briefGroupViews(ctx, await getGroups(ctx, request.query.im_group_id, viewerOf(request).id)),
  )

  server.post(
    `${prefix}/group`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Create a group',
        body: NewGroup,
        response: { 201: GroupMade, 202: GroupMade },
      },
    },
    async (request, reply) => {
      const { wireId, confirmed } = await createGroup(ctx, viewerOf(request).id, request.body)
      const said = say(request, 'The group was created.', '群组创建成功。')
      return reply.code(made(confirmed)).send({ ...said, im_group_id: wireId })
    },
  )

  server.patch(
    `${prefix}/group`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Change a group; what is absent becomes the default, its picture excepted',
        body: GroupChange,
        response: { 201: GroupChanged, 202: GroupChanged },
      },
    },
    async (request, reply) => {
      const { before, after, confirmed } = await changeGroup(ctx, viewerOf(request).id, request.body)
      return reply.code(made(confirmed)).send({
        groupname: after.name,
        desc: after.description,
        public: after.public,
        maxusers: after.max_users,
        members_only: after.members_only,
        allowinvites: after.allow_invites,
        group_face: faceUrl(ctx, after.face_id),
        im_group_id: after.wire_id,
        ...(after.owner_id === before.owner_id ? {} : { newowner: String(after.owner_id) }),
      })
    },
  )

  server.delete(
    `${prefix}/group`,
    {
      config: { access: 'user' },
      schema: { tags, hide, summary: 'Delete a group', body: GroupId, response: { 204: Empty } },
    },
    async (request, reply) => {
      await deleteGroup(ctx, viewerOf(request).id, request.body.im_group_id)
      return reply.code(204).send()
    },
  )

  server.get(
    `${prefix}/group/face`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'The uploads that are the pictures of groups, 0 for none',
        querystring: GroupsQuery,
        response: { 200: Type.Array(GroupFace) },
      },
    },
    async (request) => {
      const rows = await findVisibleGroups(ctx, request.query.im_group_id, viewerOf(request).id)
      return rows.map(({ wire_id, face_id }) => ({ im_group_id: wire_id, group_face: face_id ?? 0 }))
    },
  )

  server.post(
    `${prefix}/group/member`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Add people to a group',
        body: MemberChange,
        response: { 201: Nothing, 202: Nothing },
      },
    },
    async (request, reply) =>
      reply.code(made(await addMembers(ctx, viewerOf(request).id, request.body))).send([]),
  )

  server.delete(
    `${prefix}/group/member`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        hide,
        summary: 'Remove people from a group, or leave it',
        body: MemberChange,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await removeMembers(ctx, viewerOf(request).id, request.body)
      return reply.code(204).send()
    },
  )
}
