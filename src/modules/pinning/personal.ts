import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of the pins they asked for. */
export const pinPersonal = [
  personalTable({
    file: 'pins',
    about: { en: 'Pins you asked for', zh: '您的置顶申请' },
    table: 'pins',
    within: 'channel',
    key: ['id'],
    columns: [
      ...(['id', 'channel', 'thing_id', 'target_id', 'amount', 'day', 'state'] as const),
      ...(['expires_at', 'decided_at', 'created_at'] as const),
    ],
  }),
]
