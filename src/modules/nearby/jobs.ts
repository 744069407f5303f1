import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { deleteOldPlaces } from './queries.ts'

const BATCH = 5000

/** Places that are too old to be true are forgotten. */
export const nearbyTasks = ({ sql }: Context): TaskList => ({
  tidy_places: async () => {
    while ((await deleteOldPlaces(sql, BATCH)) === BATCH);
  },
})

export const nearbySchedules: Schedule[] = [{ task: 'tidy_places', pattern: '41 3 * * *' }]
