import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import { Empty, routesOn, type Server } from '#platform/http'
import type { Module } from '../../module.ts'
import {
  CheckinState,
  checkedInAlready,
  checkIn,
  checkinChecks,
  checkinCounters,
  checkinsDisabled,
  noReward,
  readCheckins,
  requireCheckins,
} from './service.ts'
import { CHECKIN_SETTINGS } from './settings.ts'

export function checkinRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Check-ins' })

  route('GET /user/checkin', {
    operationId: 'getCheckin',
    summary: 'Read whether I checked in today, and the first people who did',
    access: 'user',
    reply: { 200: CheckinState },
    errors: [checkinsDisabled],
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
      errors: [checkinsDisabled, noReward, checkedInAlready],
      load: () => requireCheckins(ctx),
      idempotent: true,
      handler: ({ viewer, loaded: amount, atomically }) =>
        atomically((tx) => checkIn(tx, viewer.id, currency, amount), { single: true }),
    })
}

export const checkinPersonal = [
  personalTable({
    file: 'checkins',
    about: { en: 'Your check-ins', zh: '您的签到' },
    table: 'checkin_logs',
    key: ['day'],
    columns: ['day', 'currency', 'amount', 'created_at'],
  }),
]

export const module: Module = {
  settings: CHECKIN_SETTINGS,
  routes: () => [checkinRoutes],
  personalData: { place: 23, tables: checkinPersonal },
  counters: checkinCounters,
  paymentChecks: checkinChecks,
}
