import type { Currency } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty } from '#platform/schema.ts'
import { CheckinState } from './schema.ts'
import { checkIn, readCheckins, requireCheckins } from './service.ts'

const tags = ['Check-ins']

/** A small reward for coming by, once a day (R §22). */
export function checkinRoutes(server: Server, ctx: Context) {
  server.get(
    '/user/checkin',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Whether I checked in today, and who came first',
        response: { 200: CheckinState },
      },
    },
    (request) => readCheckins(ctx, viewerOf(request).id),
  )

  const ways = [
    ['/user/checkin/currency', 'points', 'Check in for points, once a day'],
    ['/user/checkin', 'wallet', 'Check in for wallet money, once a day'],
  ] as const satisfies [string, Currency, string][]
  for (const [path, currency, summary] of ways)
    server.put(
      path,
      { config: { access: 'user' }, schema: { tags, summary, response: { 204: Empty } } },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          const amount = await requireCheckins(ctx)
          return atomically(
            async (tx) => {
              await checkIn(tx, viewerOf(request).id, currency, amount)
              return { status: 204 }
            },
            { single: true },
          )
        }),
    )
}
