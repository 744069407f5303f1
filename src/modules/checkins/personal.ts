import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their check-ins. */
export const checkinPersonal = [
  personalTable({
    file: 'checkins',
    about: { en: 'Your check-ins', zh: '您的签到' },
    table: 'checkin_logs',
    key: ['day'],
    columns: ['day', 'currency', 'amount', 'created_at'],
  }),
]
