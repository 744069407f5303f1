import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { expirePins } from './queries.ts'

/** Jobs of pins. */
export const pinningTasks = ({ sql }: Context): TaskList => ({
  async expire_pins() {
    await expirePins(sql)
  },
})

export const pinningSchedules: Schedule[] = [{ task: 'expire_pins', pattern: '*/10 * * * *' }]
