import type { FastifyReply, FastifyRequest } from 'fastify'
import { wireTime } from '#lib/time.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Message, Type } from '#platform/schema.ts'
import { type PasswordCheck, passwordStep } from '../password.ts'
import { requireSwitch } from '../switches.ts'
import { listWithdrawals } from './queries.ts'
import { Cash, CashBody, CashQuery, PointsCashBody } from './schema.ts'
import { withdrawMoney, withdrawPoints } from './service.ts'

const tags = ['Wallet and points']
const STATUS = { pending: 0, passed: 1, rejected: 2 } as const

/** Requests to take money or points out (R §21.3), which ask for the payment password (R §27.2). */
export const withdrawalRoutes = (check: PasswordCheck) => (server: Server, ctx: Context) => {
  const askPassword = passwordStep(ctx, check)
  const admit =
    (name: 'wallet:cash' | 'currency:cash') => async (request: FastifyRequest, reply: FastifyReply) => {
      await askPassword(request, reply)
      await requireSwitch(ctx, name)
    }

  // The path of today, and the one that earlier clients know.
  for (const path of ['/plus-pay/cashes', '/wallet/cashes']) {
    server.get(
      path,
      {
        config: { access: 'user' },
        schema: {
          tags,
          summary: 'My withdrawals, newest first',
          querystring: CashQuery,
          response: { 200: Type.Array(Cash) },
        },
      },
      async (request) => {
        const { after = 0, limit = 15 } = request.query
        const rows = await listWithdrawals(ctx.sql, viewerOf(request).id, after, limit)
        return rows.map((row) => ({
          id: row.id,
          user_id: row.owner_id,
          value: row.amount,
          type: row.type ?? '',
          account: row.account ?? '',
          status: STATUS[row.state],
          remark: row.remark,
          created_at: wireTime(row.created_at),
          updated_at: wireTime(row.updated_at),
        }))
      },
    )

    server.post(
      path,
      {
        config: { access: 'user', before: admit('wallet:cash') },
        schema: {
          tags,
          summary: 'Ask for wallet money to be paid out',
          body: CashBody,
          response: { 201: Message },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await admit('wallet:cash')(request, reply)
          const settings = await readSettings(ctx)
          return atomically(async (tx) => {
            await withdrawMoney(tx, viewerOf(request).id, request.body, settings)
            return {
              status: 201,
              body: say(request, 'Your withdrawal is being reviewed.', '提现申请已提交。'),
            }
          })
        }),
    )
  }

  server.post(
    '/currency/cash',
    {
      config: { access: 'user', before: admit('currency:cash') },
      schema: {
        tags,
        summary: 'Ask for points to become wallet money',
        body: PointsCashBody,
        response: { 201: Message },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await admit('currency:cash')(request, reply)
        const settings = await readSettings(ctx)
        return atomically(async (tx) => {
          await withdrawPoints(tx, viewerOf(request).id, request.body.amount, settings)
          return { status: 201, body: say(request, 'Your withdrawal is being reviewed.', '提取申请已提交。') }
        })
      }),
  )
}
