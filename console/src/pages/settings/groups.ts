import type { Text } from '../../shell/text.ts'

export const SETTING_GROUPS: Record<string, Text> = {
  site: ['Site', '站点'],
  register: ['Registration', '注册'],
  users: ['Users', '用户'],
  account: ['Accounts', '账号'],
  sms: ['Text messages', '短信'],
  feed: ['Feeds', '动态'],
  news: ['Articles', '资讯'],
  group: ['Groups', '圈子'],
  question: ['Questions', '问答'],
  checkin: ['Check-in', '签到'],
  currency: ['Points', '积分'],
  wallet: ['Wallet', '钱包'],
  mail: ['Mail', '邮件'],
  im: ['Instant messaging', '即时通讯'],
  chat: ['Chat', '聊天'],
  locations: ['Places', '地点'],
  notifications: ['Notifications', '通知'],
  jobs: ['Background jobs', '后台任务'],
  other: ['Payments', '支付'],
}

export function groupOf(name: string): string {
  const [first = ''] = name.split(':')
  return first in SETTING_GROUPS ? first : 'other'
}

export const settingPath = (name: string): string => `/settings/${groupOf(name)}#${encodeURIComponent(name)}`
