import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of where they were last. */
export const placePersonal = [
  personalTable({
    file: 'place',
    about: { en: 'Where others find you nearby', zh: '您的附近位置' },
    table: 'user_places',
    key: ['user_id'],
    columns: ['longitude', 'latitude', 'created_at', 'updated_at'],
  }),
]
