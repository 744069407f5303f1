import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { attemptCounter, Created, Empty, Listing, routesOn, type Server } from '#platform/http'
import { OUTSIDE_ERRORS } from '../identity/schema.ts'
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
    summary: 'Appeal my active sanction; one appeal at a time',
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
  const get = async ({ params }: { params: { appeal: number } }) => {
    const row = await findAppeal(ctx.sql, params.appeal)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/appeals', {
    operationId: 'adminListAppeals',
    summary: 'List appeals',
    access,
    query: AppealQuery,
    reply: { 200: Listing(Appeal) },
    handler: async ({ query }) => {
      const { data, total } = await listAppeals(ctx.sql, query)
      return { data: data.map(appealView), total }
    },
  })

  route('GET /admin/appeals/:appeal', {
    operationId: 'adminGetAppeal',
    summary: 'Read an appeal',
    access,
    params: AppealParams,
    reply: { 200: Appeal },
    load: get,
    handler: ({ loaded }) => appealView(loaded),
  })

  route('PATCH /admin/appeals/:appeal', {
    operationId: 'adminDecideAppeal',
    summary: 'Decide an appeal once; accepting lifts the sanction, and the person is notified',
    access,
    params: AppealParams,
    body: AppealDecision,
    reply: { 204: Empty },
    errors: [appealDecided],
    load: get,
    handler: (call) => decideAppeal(ctx, call, call.params.appeal, call.body),
  })
}
