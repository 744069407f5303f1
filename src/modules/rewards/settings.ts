import { POINTS, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Text } from '#platform/http'

export const REWARD_SETTINGS = {
  'site:reward': setting(Flag(), true, {
    label: ['Rewards', '打赏'],
    help: ['Users can reward authors and other users.', '允许用户打赏作者和其他用户。'],
  }),
  'site:reward-amounts': setting(Text(200, POINTS), '5,10,15', {
    label: ['Suggested reward amounts', '打赏金额选项'],
    help: ['Clients offer these amounts. Enter one per line.', '客户端提供的打赏金额，每行一个。'],
  }),
}

export const readRewardSettings = settingsReader(REWARD_SETTINGS)
