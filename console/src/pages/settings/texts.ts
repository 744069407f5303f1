import type { Text } from '../../shell/text.ts'
import { MONEY_TEXTS } from './money-texts.ts'

export const SETTING_TEXTS: Record<string, { label: Text; note: Text }> = {
  ...MONEY_TEXTS,
  'feed:topic:need-review': {
    label: ['Review new topics', '话题需要审核'],
    note: [
      'Topics that people make wait in the queue until they are passed.',
      '用户创建的话题需审核通过后才可见。',
    ],
  },
  'feed:list-hot-days': {
    label: ['Days of the hot list', '热门动态的天数'],
    note: ['How far back feeds count among the hot ones.', '统计热门动态时回溯的天数。'],
  },
  'feed:pay-word-limit': {
    label: ['Free words of a paid feed', '付费动态可见字数'],
    note: ['How many characters of a paid text everybody may read.', '付费文字动态中免费可见的字数。'],
  },
  'feed:reward': {
    label: ['Rewards for feeds', '动态打赏'],
    note: ['Whether people can reward feeds.', '是否允许打赏动态。'],
  },
  'feed:paycontrol': {
    label: ['Paid feeds', '付费动态'],
    note: ['Whether people can ask for points for a text or a picture.', '是否允许设置付费文字和图片。'],
  },
  'feed:items': {
    label: ['Prices to choose from', '付费动态价格选项'],
    note: ['Points that clients offer, one a line.', '客户端提供的价格选项，每行一个。'],
  },
  'news:contribute:verified': {
    label: ['Contributions by certified people only', '仅认证用户可投稿'],
    note: ['Who is not certified cannot send articles in.', '未认证的用户不能投稿。'],
  },
  'site:about-url': {
    label: ['Address of the page about the site', '关于页面地址'],
    note: ['Instead of a text of its own.', '替代自定义的关于内容。'],
  },
  'site:time-zone': {
    label: ['Time zone', '时区'],
    note: [
      'Check-ins and the rankings of today use it: Asia/Shanghai',
      '签到与今日排行按此时区计算：Asia/Shanghai',
    ],
  },
  'site:web-links': {
    label: ['Links to the web client', '网页客户端链接'],
    note: [
      'One a line: feeds https://app.example/feeds/{id}',
      '每行一个：feeds https://app.example/feeds/{id}',
    ],
  },
  'site:client-email': {
    label: ['Contact', '联系邮箱'],
    note: ['An e-mail address that clients show.', '客户端显示的邮箱地址。'],
  },
  'site:reserved-nickname': {
    label: ['Reserved names', '保留用户名'],
    note: ['Names that nobody can take, separated by commas.', '禁止使用的用户名，用逗号分隔。'],
  },
  'site:user-invite-template': {
    label: ['Text of an invitation', '邀请文案'],
    note: ['Sent when somebody invites a friend.', '用户邀请好友时发送的文字。'],
  },
  'site:currency-name': {
    label: ['Name of the points', '积分名称'],
    note: ['What points are called.', '积分的名称。'],
  },
  'site:currency-unit': {
    label: ['Unit of the points', '积分单位'],
    note: ['Written behind a number.', '显示在数字之后。'],
  },
  'site:gold': {
    label: ['Gold', '金币'],
    note: ['A switch that older clients read.', '供旧版客户端读取的开关。'],
  },
  'site:reward': {
    label: ['Rewards', '打赏'],
    note: ['Whether people can reward each other.', '是否允许打赏。'],
  },
  'site:reward-amounts': {
    label: ['Rewards to choose from', '打赏金额选项'],
    note: ['Separated by commas.', '用逗号分隔。'],
  },
  'site:anonymous': {
    label: ['Anonymous questions', '匿名提问'],
    note: ['Whether questions and answers can be anonymous.', '是否允许匿名提问和回答。'],
  },
  'site:anonymous-rule': {
    label: ['Rules of anonymity', '匿名规则'],
    note: ['Shown where somebody chooses to be anonymous.', '用户选择匿名时显示。'],
  },
  'register:show-terms': {
    label: ['Show the terms', '显示注册协议'],
    note: ['Whether clients show the terms when somebody registers.', '注册时是否显示协议。'],
  },
  'register:method': {
    label: ['Ways to register', '注册方式'],
    note: ['By e-mail, by phone, or both.', '邮箱、手机或两者皆可。'],
  },
  'register:content': {
    label: ['Terms', '注册协议内容'],
    note: ['The text, in Markdown.', '协议正文（Markdown）。'],
  },
  'register:fixed': {
    label: ['Complete the profile', '完善资料'],
    note: ['Whether clients ask for the profile after registering.', '注册后是否要求完善资料。'],
  },
  'register:type': {
    label: ['Who may register', '开放注册'],
    note: [
      'Everybody, those who were invited, those who are approved, accounts of other providers, or nobody.',
      '所有人、受邀者、审核通过者、第三方账号，或关闭注册。',
    ],
  },
  'register:email-allowed': {
    label: ['Allowed e-mail addresses', '允许的邮箱'],
    note: ['Addresses or domains, one a line; none are all.', '邮箱或域名，每行一个；留空为全部。'],
  },
  'register:email-blocked': {
    label: ['Refused e-mail addresses', '禁止的邮箱'],
    note: ['Addresses or domains, one a line.', '邮箱或域名，每行一个。'],
  },
  'register:invitations-by-everybody': {
    label: ['Everybody may invite', '所有人可邀请'],
    note: ['Without it only those with the ability.', '关闭时仅有权限者可邀请。'],
  },
  'register:invitation-uses': {
    label: ['Uses of an invitation', '邀请可用次数'],
    note: ['How many people may register with one.', '每个邀请可注册的人数。'],
  },
  'register:invitation-days': {
    label: ['Days of an invitation', '邀请有效天数'],
    note: ['How long it is good.', '邀请的有效期。'],
  },
  'register:phone-countries': {
    label: ['Countries of phone numbers', '手机号国家'],
    note: ['Two letters each, one a line.', '两位国家代码，每行一个。'],
  },
  'sms:templates': {
    label: ['Templates of text messages', '短信模板与签名'],
    note: [
      'Service, purpose, country, template or -, and signature, one a line: aliyun code CN SMS_1234 Kith.',
      '每行依次为服务、用途、国家、模板（无则填 -）与签名，如 aliyun code CN SMS_1234 签名。',
    ],
  },
  'sms:daily-per-number': {
    label: ['Text messages to a number a day', '每个号码每日短信数'],
    note: ['0 sets no limit.', '0 为不限制。'],
  },
  'sms:daily-per-address': {
    label: ['Codes of a network address a day', '每个网络地址每日验证码数'],
    note: ['0 sets no limit. Many people may share an address.', '0 为不限制。多人可能共用同一地址。'],
  },
  'sms:daily-per-country': {
    label: ['Codes to a country a day', '每个国家每日验证码数'],
    note: [
      'A country and a number, one a line: US 500. * stands for each other country.',
      '每行一个国家与数量，如 US 500；* 为其他各国。',
    ],
  },
  'sms:daily': {
    label: ['Codes by text message a day', '每日短信验证码总数'],
    note: ['0 sets no limit. It bounds what an attacker costs you.', '0 为不限制。用于限制被攻击时的费用。'],
  },
  'account:deletion-days': {
    label: ['Days before an account is deleted', '账号注销等待天数'],
    note: ['Until then whoever asked for it may change their mind.', '在此期间可以撤销注销。'],
  },
  'account:sign-in-notices': {
    label: ['Tell of sign-ins from new devices', '新设备登录提醒'],
    note: ['Whoever signs in from a new device gets a message.', '从新设备登录时通知本人。'],
  },
  'account:second-factor-for-administrators': {
    label: ['Second factor for administrators', '管理员需二次验证'],
    note: ['Without one the administration stays closed to them.', '未开启二次验证的管理员无法进入后台。'],
  },
  'account:export-hours': {
    label: ['Hours between exports', '数据导出间隔（小时）'],
    note: ['How soon somebody may take their data along again.', '同一用户再次导出数据的最短间隔。'],
  },
  'account:export-days': {
    label: ['Days an export is kept', '数据导出保留天数'],
    note: ['Afterwards its archive is deleted.', '到期后删除导出的压缩包。'],
  },
  'account:export-megabytes': {
    label: ['Megabytes of uploads in an export', '数据导出的文件上限（MB）'],
    note: ['What is beyond is listed and left out.', '超出部分只列出，不包含在内。'],
  },
  'register:role': {
    label: ['Role of newcomers', '新用户角色'],
    note: ['The name of the role that everybody gets.', '新用户获得的角色标识。'],
  },
  'users:tell-known-accounts': {
    label: ['Tell whether an account exists', '告知账号是否存在'],
    note: [
      'Needed by one-key sign-in; without it nobody learns who is here.',
      '一键登录所需；关闭后无法探知账号。',
    ],
  },
  'site:about-content': {
    label: ['About the site', '关于本站'],
    note: ['The text, in Markdown.', '正文（Markdown）。'],
  },
  'im:helper-user': {
    label: ['Account that helps', '客服账号'],
    note: ['The id of the person whom clients offer to write to.', '客户端提供联系的用户编号。'],
  },
  'group:need-verified': {
    label: ['Groups by certified people only', '仅认证用户可建圈子'],
    note: ['Who is not certified cannot found a group.', '未认证的用户不能创建圈子。'],
  },
  'group:report-handle': {
    label: ['Who handles reports in groups', '圈内举报处理人'],
    note: ['The managers of the group, or the site.', '圈子管理者或站点。'],
  },
  'group:protocol': {
    label: ['Terms of groups', '圈子协议'],
    note: ['Shown before a group is founded.', '创建圈子前显示。'],
  },
  'question:apply-amount': {
    label: ['Price of an excellent question', '精选申请价格'],
    note: ['In points, given back when it is rejected.', '积分，驳回时退还。'],
  },
  'question:onlookers-amount': {
    label: ['Price of a look', '围观价格'],
    note: ['Points for reading an answer that asks for them.', '围观回答所需积分。'],
  },
  'question:anonymity-rule': {
    label: ['Rules of anonymous questions', '匿名提问规则'],
    note: ['Shown where a question is asked.', '显示在提问页面。'],
  },
  'question:reward-rule': {
    label: ['Rules of bounties', '悬赏规则'],
    note: ['Shown where a bounty is set.', '显示在设置悬赏页面。'],
  },
  'locations:hots': {
    label: ['Places to choose from', '热门地点'],
    note: ['Country, province and city, one place a line.', '每行一个：国家 省 市。'],
  },
  'jobs:keep-failed-days': {
    label: ['Days that failed jobs are kept', '失败任务保留天数'],
    note: ['After that they are forgotten.', '之后自动清除。'],
  },
  'notifications:keep-read-days': {
    label: ['Days that read notifications are kept', '已读通知保留天数'],
    note: ['After that they are deleted.', '之后自动删除。'],
  },
  'notifications:keep-unread-days': {
    label: ['Days that unread notifications are kept', '未读通知保留天数'],
    note: ['After that they are deleted.', '之后自动删除。'],
  },
  'notifications:keep-most': {
    label: ['Most notifications of a type', '每类通知保留条数'],
    note: ['Of each person; the oldest are deleted first.', '按每位用户计算，先删除最早的。'],
  },
  'notifications:push-text': {
    label: ['Text of notifications in push messages', '推送消息包含通知内容'],
    note: [
      'FCM, APNs and JPush can read it. Browsers get it encrypted in any case.',
      'FCM、APNs 和极光推送能看到内容。浏览器始终收到加密的内容。',
    ],
  },
  'group:keep-request-days': {
    label: ['Days that decided requests to join are kept', '已处理入圈申请保留天数'],
    note: ['After that they are deleted; waiting ones stay.', '之后自动删除，待处理的保留。'],
  },
  'chat:edit-minutes': {
    label: ['Time to change a message (minutes)', '消息可修改时间（分钟）'],
    note: [
      'For how long people may edit and delete their messages.',
      '用户可在多长时间内编辑或删除自己的消息。',
    ],
  },
  'chat:keep-days': {
    label: ['Days that messages are kept', '消息保留天数'],
    note: ['0 keeps them for ever.', '0 表示永久保留。'],
  },
  'chat:push-text': {
    label: ['Text of chat messages in pushes', '推送包含聊天内容'],
    note: [
      'Whether services that push to telephones get the text of messages.',
      '是否将聊天内容发送给手机推送服务。',
    ],
  },
  'chat:presence': {
    label: ['Show who is online', '显示在线状态'],
    note: ['Members of a conversation learn who else of it is connected.', '会话成员可知晓谁当前在线。'],
  },
  'chat:seen': {
    label: ['Show what was read', '显示已读'],
    note: ['Whether people see up to where others have read.', '是否显示对方已读到哪里。'],
  },
}

export const SETTING_GROUPS: Record<string, Text> = {
  site: ['Site', '站点'],
  register: ['Registration', '注册'],
  users: ['People', '用户'],
  account: ['Accounts', '账号'],
  sms: ['Text messages', '短信'],
  feed: ['Feeds', '动态'],
  news: ['News', '资讯'],
  group: ['Groups', '圈子'],
  question: ['Questions', '问答'],
  checkin: ['Check-in', '签到'],
  currency: ['Points', '积分'],
  wallet: ['Wallet', '钱包'],
  im: ['Instant messages', '即时消息'],
  chat: ['Chat', '聊天'],
  locations: ['Places', '地点'],
  notifications: ['Notifications', '通知'],
  jobs: ['Background jobs', '后台任务'],
  other: ['Payments', '支付'],
}
