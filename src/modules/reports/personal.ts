import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of what they reported; reports about them tell who reported, so they stay out. */
export const reportPersonal = [
  personalTable({
    file: 'reports',
    about: { en: 'What you reported', zh: '您的举报' },
    table: 'reports',
    key: ['id'],
    columns: [
      'id',
      'reportable_type',
      'reportable_id',
      'subject',
      'reason',
      'status',
      'created_at',
      'handled_at',
    ],
  }),
]
