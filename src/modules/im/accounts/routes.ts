import { hasAbility } from '#modules/abilities/index.ts'
import { findEnabledIds, isUser, noSuchUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { localizedMessage, Message, routesOn, type Server } from '#platform/http'
import { madeStatus } from '../sync/queries.ts'
import {
  ImPassword,
  Nothing,
  readPassword,
  register,
  rotatePassword,
  startRegistration,
  UserIdParams,
  UserIds,
} from './service.ts'

const ABILITY = 'im: manage'

export function imAccountRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Instant messaging' })
  const replies = { 201: Nothing, 202: Nothing }

  route('POST /im/register/:user_id', {
    operationId: 'registerImUser',
    aliases: { easemobRegisterImUser: '/easemob/register/:user_id' },
    summary: 'Register a person with the provider; repeating it changes nothing',
    access: 'user',
    params: UserIdParams,
    reply: replies,
    errors: [noSuchUser, forbidden],
    handler: async ({ params: { user_id: id }, viewer, reply }) => {
      if (!(await isUser(ctx.sql, id))) throw noSuchUser()
      if (id !== viewer.id && !(await hasAbility(ctx, viewer.id, ABILITY))) throw forbidden()
      reply.code(madeStatus(await register(ctx, [id])))
      return []
    },
  })

  route('POST /im/register', {
    operationId: 'registerImUsers',
    aliases: { easemobRegisterImUsers: '/easemob/register' },
    summary: 'Register people with the provider; unknown ids are skipped',
    access: { ability: ABILITY },
    body: UserIds,
    reply: replies,
    handler: async ({ body, reply }) => {
      const people = await findEnabledIds(ctx.sql, body.user_ids)
      reply.code(madeStatus(await register(ctx, people)))
      return []
    },
  })

  route('POST /im/register-old-users', {
    operationId: 'registerAllImUsers',
    aliases: { easemobRegisterAllImUsers: '/easemob/register-old-users' },
    summary: 'Start registering all missing people; GET /admin/im shows the progress',
    access: { ability: ABILITY },
    reply: { 201: Message },
    handler: async ({ request, viewer }) =>
      (await startRegistration(ctx, viewer.id))
        ? localizedMessage(request, 'The registration has begun.', '已开始同步用户。')
        : localizedMessage(request, 'The registration is already running.', '正在同步用户。'),
  })

  route('PUT /im/password', {
    operationId: 'rotateImPassword',
    aliases: { easemobRotateImPassword: '/easemob/password' },
    summary: 'Replace my password for the provider',
    access: 'user',
    cookie: 'never',
    reply: replies,
    handler: async ({ viewer, reply }) => {
      reply.code(madeStatus(await rotatePassword(ctx, viewer.id)))
      return []
    },
  })

  route('GET /im/password', {
    operationId: 'getImPassword',
    aliases: { easemobGetImPassword: '/easemob/password' },
    summary: 'Read my password for the provider',
    access: 'user',
    cookie: 'never',
    reply: { 201: ImPassword },
    handler: async ({ request, viewer, reply }) => {
      const im_pwd_hash = await readPassword(ctx, viewer.id)
      reply.header('Cache-Control', 'no-store')
      return { ...localizedMessage(request, 'Here is your password.', '获取成功。'), im_pwd_hash }
    },
  })
}
