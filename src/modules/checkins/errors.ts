import { apiError } from '#platform/errors.ts'

export const checkinsOff = apiError(
  403,
  'checkin_off',
  'Check-ins are switched off on this site.',
  '本站未开放签到功能。',
)
export const noReward = apiError(
  403,
  'checkin_without_reward',
  'No reward for check-ins is set.',
  '签到奖励尚未配置。',
)
export const checkedInAlready = apiError(
  403,
  'checked_in_already',
  'You have checked in today already.',
  '今日已签到。',
)
