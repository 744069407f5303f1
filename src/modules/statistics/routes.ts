import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { DailyStatistics, DaysQuery, WaitingQueues } from './schema.ts'
import { type Counted, readDays, readWaiting } from './service.ts'

const anyOf = (all: { ability: string }[]) => ({
  anyAbility: [...new Set(all.map(({ ability }) => ability))],
})

/** What waits for decisions, and what happened day by day: to each what their abilities let them see. */
export const statisticRoutes = (counted: Counted) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })

  route('GET /admin/statistics/waiting', {
    operationId: 'adminListWaitingQueues',
    summary: 'Count what waits for decisions that one may make, and since when',
    access: anyOf(counted.queues),
    reply: { 200: WaitingQueues },
    handler: ({ viewer }) => readWaiting(ctx, counted, viewer.id),
  })

  route('GET /admin/statistics/days', {
    operationId: 'adminListDailyStatistics',
    summary: 'Sum sign-ups, active people, content, points and money by day',
    description:
      'At most 366 days. Only series of areas that one may see. A finished day is counted ' +
      'soon after it ended and then stays; today is as it is now.',
    access: anyOf(counted.series),
    query: DaysQuery,
    reply: { 200: DailyStatistics },
    handler: ({ viewer, query }) => readDays(ctx, counted, viewer.id, query),
  })
}
