import { setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int } from '#platform/http'

export const CHAT_SETTINGS = {
  'chat:edit-minutes': setting(Int(0, 525_600), 10, {
    label: ['Time limit for editing messages (minutes)', '消息编辑时限（分钟）'],
    help: [
      'Users can edit and delete their own messages within this time.',
      '在此时限内，用户可以编辑或删除自己的消息。',
    ],
  }),
  'chat:keep-days': setting(Int(0, 36_500), 0, {
    label: ['Retention of messages (days)', '消息保留天数'],
    help: ['0 keeps messages permanently.', '0 表示永久保留。'],
    guard: 'security',
  }),
  'chat:push-text': setting(Flag(), false, {
    label: ['Chat text in push messages', '推送消息包含聊天内容'],
    help: ['Mobile push services and push gateways can read the text.', '手机推送服务和推送网关能读取内容。'],
    guard: 'security',
  }),
  'chat:presence': setting(Flag(), true, {
    label: ['Online status', '在线状态'],
    help: [
      'Members of a conversation see which other members are online.',
      '会话成员可以看到其他成员是否在线。',
    ],
  }),
  'chat:seen': setting(Flag(), true, {
    label: ['Read receipts', '已读状态'],
    help: [
      'Members of a conversation see how far other members have read.',
      '会话成员可以看到其他成员已读到哪条消息。',
    ],
  }),
}

export const readChatSettings = settingsReader(CHAT_SETTINGS)
