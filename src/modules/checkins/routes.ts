import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { checkedInAlready, checkinsOff, noReward } from './errors.ts'
import { CheckinState } from './schema.ts'
import { checkIn, readCheckins, requireCheckins } from './service.ts'

/** A small reward for coming by, once a day (feeds-36, feeds-37). */
export function checkinRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Check-ins' })

  route('GET /user/checkin', {
    operationId: 'getCheckin',
    summary: 'Read whether I checked in today, and who came first',
    access: 'user',
    reply: { 200: CheckinState },
    errors: [checkinsOff],
    handler: ({ viewer }) => readCheckins(ctx, viewer.id),
  })

  const ways = [
    ['/user/checkin/currency', 'points', 'checkInForPoints', 'Check in for points, once a day'],
    ['/user/checkin', 'wallet', 'checkInForMoney', 'Check in for wallet money, once a day'],
  ] as const
  for (const [path, currency, operationId, summary] of ways)
    route(`PUT ${path}`, {
      operationId,
      summary,
      access: 'user',
      reply: { 204: Empty },
      errors: [checkinsOff, noReward, checkedInAlready],
      load: () => requireCheckins(ctx),
      idempotent: true,
      handler: ({ viewer, loaded: amount, atomically }) =>
        atomically((tx) => checkIn(tx, viewer.id, currency, amount), { single: true }),
    })
}
