import type { FastifyRequest } from 'fastify'
import { wireTime } from '#lib/time.ts'
import { type Currency, findBalance, move, notEnough, PLATFORM } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { recordAudit } from '../../audit/queries.ts'
import { isUser, listPostings } from '../queries.ts'
import { Adjustment, Balance, LedgerQuery, PostingListing, UserParams } from '../schema.ts'

const tags = ['Administration']

const nothingToMove = () =>
  invalidField('amount', { en: 'The amount may not be zero.', zh: '数额不能为零。' })

/** What people own: looked at, given and taken. */
export function adminBalanceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const areas = [
    ['points', 'points', 'admin: currency'],
    ['wallet', 'wallet', 'admin: wallet'],
  ] as const satisfies [string, Currency, string][]

  const requireUser = async (request: FastifyRequest) => {
    if (!(await isUser(sql, (request.params as { user: number }).user))) throw notFound()
  }

  for (const [path, currency, ability] of areas) {
    server.get(
      `/admin/users/:user/${path}`,
      {
        config: { access: { ability }, before: requireUser },
        schema: {
          tags,
          summary: `The ${path} of a user, with every movement`,
          params: UserParams,
          querystring: LedgerQuery,
          response: { 200: PostingListing },
        },
      },
      async (request) => {
        await requireUser(request)
        const { user } = request.params
        const [{ data, total }, balance] = await Promise.all([
          listPostings(sql, user, currency, request.query),
          findBalance(sql, user, currency),
        ])
        return { data: data.map((row) => ({ ...row, created_at: wireTime(row.created_at) })), total, balance }
      },
    )

    server.post(
      `/admin/users/:user/${path}`,
      {
        config: { access: { ability }, before: requireUser },
        schema: {
          tags,
          summary: `Give ${path} to a user, or take them with a negative amount`,
          params: UserParams,
          body: Adjustment,
          response: { 201: Balance },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await requireUser(request)
          const { user } = request.params
          const { amount, reason } = request.body
          if (amount === 0) throw nothingToMove()
          const { issuance } = PLATFORM
          return atomically(async (tx) => {
            const posted = await move(
              tx,
              {
                currency,
                amount: Math.abs(amount),
                ...(amount > 0 ? { from: issuance, to: user } : { from: user, to: issuance }),
                kind: 'adjustment',
                subject: { type: 'users', id: viewerOf(request).id },
                body: reason,
              },
              notEnough,
            )
            const balance = posted.find(({ owner_id }) => owner_id === user)?.balance_after ?? 0
            await recordAudit(tx, request, {
              action: `${path}.adjust`,
              subjectType: 'users',
              subjectId: user,
              before: { balance: balance - amount },
              after: { balance, amount, reason },
            })
            return { status: 201, body: { balance } }
          })
        }),
    )
  }
}
