import { guarded, POINTS, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int } from '#platform/http'

export const CHECKIN_SETTINGS = guarded('money', {
  'checkin:switch': setting(Flag(), true, {
    label: ['Daily check-in', '每日签到'],
    help: ['Users can check in once a day.', '用户每天可以签到一次。'],
  }),
  'checkin:balance': setting(Int(0, 1_000_000, POINTS), 10, {
    label: ['Points per check-in', '签到积分'],
    help: ['Points that a user receives for each check-in.', '用户每次签到获得的积分。'],
  }),
})

export const readCheckinSettings = settingsReader(CHECKIN_SETTINGS)
