import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { fieldError, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { notEnough } from '../../errors.ts'
import { findBalance, move } from '../../movements/service.ts'
import { type Currency, PLATFORM } from '../../schema.ts'
import { isAccount, listPostings } from './queries.ts'
import { Adjustment, Balance, PostingListing, PostingQuery, UserParams } from './schema.ts'

const nothingToMove = fieldError(
  'amount',
  'validation_failed',
  'The amount may not be zero.',
  '数额不能为零。',
)

/** What people own: looked at, given and taken (money-17). */
export function adminBalanceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: money' })
  const balances = [
    ['points', 'Points', 'admin: currency'],
    ['wallet', 'Wallet', 'admin: wallet'],
  ] as const satisfies [Currency, string, string][]

  const requireAccount = async (id: number) => {
    if (!(await isAccount(sql, id))) throw notFound()
  }

  for (const [currency, noun, ability] of balances) {
    route(`GET /admin/users/:user/${currency}`, {
      operationId: `adminList${noun}Postings`,
      summary: `List the movements of a person's ${currency}, with the balance`,
      access: { ability },
      params: UserParams,
      query: PostingQuery,
      reply: { 200: PostingListing },
      load: ({ params }) => requireAccount(params.user),
      handler: async ({ params: { user }, query }) => {
        const [{ data, total }, balance] = await Promise.all([
          listPostings(sql, user, currency, query),
          findBalance(sql, user, currency),
        ])
        return { data: data.map((row) => ({ ...row, created_at: wireTime(row.created_at) })), total, balance }
      },
    })

    route(`POST /admin/users/:user/${currency}`, {
      operationId: `adminAdjust${noun}`,
      summary: `Give ${currency} to a person, or take them with a negative amount`,
      access: { ability },
      params: UserParams,
      body: Adjustment,
      reply: { 201: Balance },
      errors: [nothingToMove, notEnough],
      load: ({ params }) => requireAccount(params.user),
      idempotent: true,
      handler: async (call) => {
        const { user } = call.params
        const { amount, reason } = call.body
        if (amount === 0) throw nothingToMove()
        const { issuance } = PLATFORM
        return call.atomically(async (tx) => {
          const posted = await move(tx, {
            currency,
            amount: Math.abs(amount),
            ...(amount > 0 ? { from: issuance, to: user } : { from: user, to: issuance }),
            kind: 'adjustment',
            subject: { type: 'users', id: call.viewer.id },
            body: reason,
          })
          const balance = posted.find(({ owner_id }) => owner_id === user)?.balance_after ?? 0
          await recordAudit(tx, call, {
            action: `${currency}.adjust`,
            subjectType: 'users',
            subjectId: user,
            before: { balance: balance - amount },
            after: { balance, amount, reason },
          })
          return { balance }
        })
      },
    })
  }
}
