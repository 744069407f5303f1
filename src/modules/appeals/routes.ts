import { OUTSIDE_ERRORS } from '#modules/accounts/index.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { attemptCounter, Created, Empty, routesOn, type Server } from '#platform/http'
import {
  Appeal,
  AppealDecision,
  AppealInput,
  AppealParams,
  AppealQuery,
  appeal,
  appealDecided,
  appealOpen,
  appealOutside,
  appealView,
  decideAppeal,
  findAppeal,
  listAppeals,
  nothingToAppeal,
  OutsideAppealInput,
} from './service.ts'

export function appealRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })
  const errors = [nothingToAppeal, appealOpen]

  route('POST /user/appeals', {
    operationId: 'appeal',
    summary: 'Appeal my active sanction; only one appeal may be pending',
    tag: 'Me',
    whileSilenced: true,
    access: 'user',
    body: AppealInput,
    reply: { 201: Created },
    errors,
    handler: async ({ viewer, body }) => ({ id: await appeal(ctx.sql, viewer.id, body) }),
  })

  route('POST /auth/appeals', {
    operationId: 'appealOutside',
    summary: 'Appeal a suspension with login and password',
    access: 'public',
    body: OutsideAppealInput,
    example: { login: 'ann', password: 'the password', contents: 'It was not me.' },
    reply: { 201: Created },
    errors: [...errors, ...OUTSIDE_ERRORS],
    handler: async (call) => ({ id: await appealOutside(ctx, attemptCounter(ctx, call), call.body) }),
  })
}

export function adminAppealRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: sanctions' }

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/appeals',
    tag: 'Admin: moderation',
    ability: access.ability,
    subject: 'appeals',
    entity: 'Appeal',
    noun: 'an appeal',
    nouns: 'appeals',
    param: 'appeal',
    item: Appeal,
    query: AppealQuery,
    list: listAppeals,
    find: findAppeal,
    view: async (rows) => rows.map(appealView),
  })

  route('PATCH /admin/appeals/:appeal', {
    operationId: 'adminDecideAppeal',
    summary: 'Decide an appeal once; accepting lifts the sanction, and the person is notified',
    access,
    params: AppealParams,
    body: AppealDecision,
    reply: { 204: Empty },
    errors: [appealDecided],
    load: ({ params }) => get(params.appeal),
    handler: (call) => decideAppeal(ctx, call, call.params.appeal, call.body),
  })
}
