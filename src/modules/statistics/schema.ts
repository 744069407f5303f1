import { Nullable, Shared, type Static, Text, TextList, Time, Type } from '#platform/schema.ts'

/** What waits in one queue. */
const WaitingQueue = Shared('WaitingQueue', {
  name: Type.String(),
  count: Type.Integer({ description: 'up to 10000' }),
  more: Type.Boolean({ description: 'more wait than count says' }),
  oldest_at: Nullable(Time),
})

/** What waits for the decisions of whoever asks. */
export const WaitingQueues = Shared('WaitingQueues', { data: Type.Array(WaitingQueue) })
export type WaitingQueues = Static<typeof WaitingQueues>

const Day = (options: object = {}) =>
  Type.Optional(Text(10, { pattern: '^\\d{4}-\\d{2}-\\d{2}$', ...options }))

/** From and to include both days; without them the last thirty days, today as the last. */
export const DaysQuery = Type.Object({
  from: Day({ description: 'YYYY-MM-DD, UTC' }),
  to: Day({ description: 'YYYY-MM-DD, UTC' }),
  series: Type.Optional(TextList(50, 50, { description: 'names; all that one may see without it' })),
})
export type DaysQuery = Static<typeof DaysQuery>

const DailySeries = Shared('DailySeries', {
  name: Type.String(),
  values: Type.Array(Nullable(Type.Integer()), {
    description: 'one for each of the days; null where it is not counted yet',
  }),
})

/** Sums by day (UTC). */
export const DailyStatistics = Shared('DailyStatistics', {
  days: Type.Array(Type.String()),
  series: Type.Array(DailySeries),
})
export type DailyStatistics = Static<typeof DailyStatistics>
