import { setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int } from '#platform/http'

export const NOTIFICATION_SETTINGS = {
  'notifications:keep-read-days': setting(Int(1, 3650), 180, {
    label: ['Retention of read notifications (days)', '已读通知保留天数'],
    help: ['The server deletes the notifications after this time.', '到期后自动删除。'],
  }),
  'notifications:keep-unread-days': setting(Int(1, 3650), 365, {
    label: ['Retention of unread notifications (days)', '未读通知保留天数'],
    help: ['The server deletes the notifications after this time.', '到期后自动删除。'],
  }),
  'notifications:keep-most': setting(Int(100, 1_000_000), 10_000, {
    label: ['Maximum notifications per type', '每类通知保留条数上限'],
    help: [
      'The limit applies to each user. The oldest notifications are deleted first.',
      '按每位用户计算。超出上限时先删除最早的通知。',
    ],
  }),
  'notifications:push-text': setting(Flag(), false, {
    label: ['Notification text in push messages', '推送消息包含通知内容'],
    help: [
      'FCM, APNs and JPush can read the text. Browsers always receive it encrypted.',
      'FCM、APNs 和极光推送能读取内容。浏览器收到的内容始终加密。',
    ],
    guard: 'security',
  }),
}

export const readNotificationSettings = settingsReader(NOTIFICATION_SETTINGS)
