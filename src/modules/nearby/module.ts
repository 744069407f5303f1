import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { nearbyRoutes } from './routes.ts'
import { deleteOldPlaces, deletePlace } from './service.ts'

const BATCH = 5000

/** Deletes outdated places. */
export const nearbyTasks = ({ sql }: Context): TaskList => ({
  tidy_places: async () => {
    while ((await deleteOldPlaces(sql, BATCH)) === BATCH);
  },
})

export const nearbySchedules: Schedule[] = [{ task: 'tidy_places', pattern: '41 3 * * *' }]

/** The last known place in the personal data export. */
export const placePersonal = [
  personalTable({
    file: 'place',
    about: { en: 'Where others find you nearby', zh: '您的附近位置' },
    table: 'user_places',
    key: ['user_id'],
    columns: ['longitude', 'latitude', 'created_at', 'updated_at'],
  }),
]

export const module: Module = {
  routes: () => [nearbyRoutes],
  personalData: { place: 7, tables: placePersonal },
  erase: deletePlace,
  tasks: () => [nearbyTasks],
  schedules: nearbySchedules,
}
