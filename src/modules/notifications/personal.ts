import { personalTable } from '#platform/personal-data.ts'
import { findNotifications } from './queries.ts'
import { findMissing } from './system/service.ts'
import { notificationView } from './view.ts'

/** What a person takes along of what they were told, as they see it. */
export const notificationPersonal = [
  personalTable({
    file: 'notifications',
    about: { en: 'What you were told', zh: '您收到的通知' },
    table: 'notifications',
    key: ['seq'],
    columns: ['seq'],
    async show(ctx, places, { userId, language }) {
      const found = await findNotifications(
        ctx.sql,
        places.map(({ seq }) => [userId, Number(seq)]),
      )
      const told = await findMissing(ctx, found, () => userId)
      const shown = new Map(
        found.map((row) => [row.seq, { type: row.type, ...notificationView(row, language, told) }]),
      )
      return places.flatMap(({ seq }) => shown.get(Number(seq)) ?? [])
    },
  }),
  personalTable({
    file: 'devices',
    about: { en: 'Devices that notifications are sent to', zh: '接收通知的设备' },
    table: 'push_devices',
    key: ['token'],
    columns: ['platform', 'language', 'updated_at'],
  }),
]
