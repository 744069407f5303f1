import { setting, settingsReader } from '#modules/settings/index.ts'
import { Flag } from '#platform/http'

export const PUSH_SETTINGS = {
  'notifications:push-text': setting(Flag(), false, {
    label: ['Notification text in push messages', '推送消息包含通知内容'],
    help: [
      'FCM, APNs and JPush can read the text. Browsers always receive it encrypted.',
      'FCM、APNs 和极光推送能读取内容。浏览器收到的内容始终加密。',
    ],
    guard: 'security',
  }),
}

export const readPushSettings = settingsReader(PUSH_SETTINGS)
