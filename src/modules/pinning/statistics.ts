import type { Queue } from '#platform/statistics.ts'

/** Requests for pins of one channel that administrators decide on. */
export const pinQueue = (channel: string, ability: string): Queue => ({
  name: `${channel}-pins`,
  ability,
  waiting: (sql) => sql`
    select created_at as since from pins
    where decider_id = 0 and channel = ${channel} and state = 'pending' order by id`,
})
