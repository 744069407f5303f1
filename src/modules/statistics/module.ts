import type { Probe } from '#contracts/health-check.ts'
import type { Context } from '#platform/context.ts'
import { Empty, routesOn, type Server } from '#platform/http'
import { addJob, type Schedule, type TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { databaseProbe } from './health/database.ts'
import { browserProbe, proxyProbe } from './health/seen.ts'
import { checkHealth, readHealth, ServerHealth } from './health/service.ts'
import {
  DailyStatistics,
  DaysQuery,
  type MergedStatistics,
  readDays,
  readWaiting,
  sumFinishedDays,
  WaitingQueues,
} from './service.ts'
import { readTraffic, TrafficHistory, TrafficQuery, tidyTraffic } from './traffic/service.ts'

const anyOf = (all: { ability: string }[]) => ({
  anyAbility: [...new Set(all.map(({ ability }) => ability))],
})

export const statisticRoutes = (counted: MergedStatistics) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })

  route('GET /admin/statistics/waiting', {
    operationId: 'adminListWaitingQueues',
    summary: 'Count the items waiting for a decision that I may make',
    access: anyOf(counted.queues),
    reply: { 200: WaitingQueues },
    handler: ({ viewer }) => readWaiting(ctx, counted, viewer.id),
  })

  route('GET /admin/statistics/days', {
    operationId: 'adminListDailyStatistics',
    summary: 'Sum sign-ups, active people, content, points and money by day',
    description:
      'At most 366 days, and only series that the viewer may see. Past days are counted ' +
      'once, soon after they end; today has its current values.',
    access: anyOf(counted.series),
    query: DaysQuery,
    reply: { 200: DailyStatistics },
    handler: ({ viewer, query }) => readDays(ctx, counted, viewer.id, query),
  })
}

export const healthRoutes = (probes: readonly Probe[]) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin: health' }

  route('GET /admin/health', {
    operationId: 'adminGetHealth',
    summary: 'Read the health of database, jobs, mail, chat, uploads and backups',
    access,
    reply: { 200: ServerHealth },
    handler: () => readHealth(ctx, probes),
  })

  route('POST /admin/health/checks', {
    operationId: 'adminCheckHealth',
    summary: 'Check all parts of the server now',
    description: 'A job checks them. `GET /admin/health` has the results seconds later.',
    access,
    reply: { 204: Empty },
    handler: () => addJob(ctx.sql, 'check_health', {}, { key: 'check_health', maxAttempts: 1 }),
  })

  route('GET /admin/health/requests', {
    operationId: 'adminListRequestTimes',
    summary: 'Read recent request counts and durations of all processes',
    access,
    query: TrafficQuery,
    reply: { 200: TrafficHistory },
    handler: ({ query }) => readTraffic(ctx, query.hours ?? 24),
  })
}

export const statisticTasks =
  (counted: MergedStatistics, probes: readonly Probe[]) =>
  (ctx: Context): TaskList => ({
    sum_statistics: (_payload, { abortSignal }) => sumFinishedDays(ctx, counted, abortSignal),
    check_health: () =>
      checkHealth(
        ctx,
        probes.filter(({ isWeekly }) => !isWeekly),
      ),
    check_backup: () =>
      checkHealth(
        ctx,
        probes.filter(({ isWeekly }) => isWeekly),
      ),
    tidy_traffic: async () => void (await tidyTraffic(ctx)),
  })

export const statisticSchedules: Schedule[] = [
  { task: 'sum_statistics', pattern: '7 * * * *' },
  { task: 'check_health ?max=1', pattern: '*/5 * * * *' },
  { task: 'check_backup ?max=1', pattern: '11 5 * * 0' },
  { task: 'tidy_traffic', pattern: '47 3 * * *' },
]

export const module: Module = {
  routes: (site) => [statisticRoutes(site.statistics), healthRoutes(site.probes)],
  tasks: (site) => [statisticTasks(site.statistics, site.probes)],
  schedules: statisticSchedules,
  probes: [databaseProbe, browserProbe, proxyProbe],
}
