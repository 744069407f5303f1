import { MAX_AMOUNT } from '#lib/money.ts'
import { escapeLike } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, type Tx } from '#platform/database'
import { accountErased, fieldError, notFound } from '#platform/errors.ts'
import {
  Id,
  Int,
  Listing,
  listingQuery,
  Nullable,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { findBalance, moveFunds } from '../../movements.ts'
import { type Currency, IN_CURRENCY, notEnough, PLATFORM_ACCOUNTS } from '../../schema.ts'

const UserParams = Type.Object({ user: Id })

const Adjustment = Shared('BalanceAdjustment', {
  amount: Int(-MAX_AMOUNT, MAX_AMOUNT, IN_CURRENCY),
  reason: Text(255, { minLength: 1 }),
})

const Balance = Shared('Balance', { balance: Type.Integer(IN_CURRENCY) })

export const PostingQuery = Type.Object({
  ...listingQuery(['id', 'amount'] as const),
  kind: Type.Optional(Text(50)),
})
export type PostingQuery = Static<typeof PostingQuery>

const Posting = Shared('Posting', {
  id: Type.Integer(),
  transaction_id: Type.Integer(),
  amount: Type.Integer({ description: `Negative for outgoing amounts. ${IN_CURRENCY.description}` }),
  balance_after: Type.Integer(IN_CURRENCY),
  counterpart: Type.Integer({ description: 'Id of a user, or -1 escrow, -2 income, -3 issuance' }),
  kind: Type.String(),
  subject_type: Type.String(),
  subject_id: Type.Integer(),
  title: Nullable(Type.String()),
  body: Nullable(Type.String()),
  created_at: Time,
})
type Posting = Static<typeof Posting>

const PostingListing = Shared('PostingListing', {
  ...Listing(Posting).properties,
  balance: Type.Integer(IN_CURRENCY),
})

async function isAccount(sql: Db, id: number): Promise<boolean> {
  return (await sql`select from users where id = ${id}`).length > 0
}

/** Locks the account, so that no erasure forfeits the balance before the transaction ends. */
async function requireNotErased(tx: Tx, id: number): Promise<void> {
  const [row] = await tx<{ erased: boolean }[]>`
    select erased_at is not null as erased from users where id = ${id} for key share`
  if (row?.erased) throw accountErased()
}

function listPostings(sql: Db, ownerId: number, currency: Currency, query: PostingQuery) {
  const { sort = 'id', q, kind } = query
  const contains = (part: string) => {
    const like = `%${escapeLike(part)}%`
    return sql`and (title ilike ${like} or body ilike ${like})`
  }
  const where = sql`
    where owner_id = ${ownerId} and currency = ${currency}
      ${ifGiven(sql, kind, (value) => sql`and kind = ${value}`)} ${ifGiven(sql, q, contains)}`
  const by = sort === 'amount' ? sql`amount` : undefined
  return pageOf<Posting>(
    sql,
    sql`select id, transaction_id, amount, balance_after, counterpart, kind, subject_type, subject_id, title, body,
        created_at
      from ledger_postings ${where} ${listingClause(sql, query, { id: sql`id`, by, from: sql`ledger_postings` })}`,
    sql`select count(*)::int as total from ledger_postings ${where}`,
  )
}

const nothingToMove = fieldError(
  'amount',
  'validation_failed',
  'The amount must not be zero.',
  '数额不能为零。',
)

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
      summary: `Grant ${currency} to a person, or deduct with a negative amount`,
      access: { ability },
      params: UserParams,
      body: Adjustment,
      reply: { 201: Balance },
      errors: [accountErased, nothingToMove, notEnough],
      load: ({ params }) => requireAccount(params.user),
      idempotent: true,
      handler: async (call) => {
        const { user } = call.params
        const { amount, reason } = call.body
        if (amount === 0) throw nothingToMove()
        const { issuance } = PLATFORM_ACCOUNTS
        return call.atomically(async (tx) => {
          await requireNotErased(tx, user)
          const posted = await moveFunds(tx, {
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
