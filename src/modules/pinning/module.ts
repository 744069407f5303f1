import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { expirePins, pinChecks, selectPinContents } from './queries.ts'
import { cancelPinsOfPerson } from './service.ts'

export const pinningTasks = ({ sql }: Context): TaskList => ({
  async expire_pins() {
    await expirePins(sql)
  },
})

export const pinningSchedules: Schedule[] = [{ task: 'expire_pins', pattern: '*/10 * * * *' }]

export const pinPersonal = [
  personalTable({
    file: 'pins',
    about: { en: 'Pins you requested', zh: '您的置顶申请' },
    table: 'pins',
    within: 'channel',
    key: ['id'],
    columns: [
      ...(['id', 'channel', 'thing_id', 'target_id', 'amount', 'day', 'state'] as const),
      ...(['expires_at', 'decided_at', 'created_at'] as const),
    ],
  }),
]

export const module: Module = {
  personalData: { place: 22, tables: pinPersonal },
  endings: (kinds) => [
    {
      type: 'pins',
      on: (sql) =>
        selectPinContents(
          sql,
          kinds.flatMap(({ type, pinChannel: channel }) =>
            channel === undefined ? [] : [{ type, channel }],
          ),
        ),
    },
  ],
  paymentChecks: pinChecks,
  erase: cancelPinsOfPerson,
  tasks: () => [pinningTasks],
  schedules: pinningSchedules,
}
