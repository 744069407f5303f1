import type { Text } from '../../shell/text.ts'
import { MONEY_TEXTS } from './money-texts.ts'

export type SettingText = { label: Text; note: Text; choices?: Readonly<Record<string, Text>> }

export const SETTING_TEXTS: Record<string, SettingText> = {
  ...MONEY_TEXTS,
  'feed:topic:need-review': {
    label: ['Review of new topics', '话题审核'],
    note: ['New topics stay hidden until a moderator accepts them.', '用户创建的话题需审核通过后才会公开。'],
  },
  'feed:topic:default-logo': {
    label: ['Default picture of topics', '话题默认图片'],
    note: ['Topics without a picture show this one.', '没有图片的话题将显示此图片。'],
  },
  'feed:list-hot-days': {
    label: ['Maximum age of hot feeds (days)', '热门动态时间范围（天）'],
    note: ['Older feeds do not appear in the hot list.', '超出此天数的动态不进入热门列表。'],
  },
  'feed:pay-word-limit': {
    label: ['Free characters of a paid feed', '付费动态免费字数'],
    note: ['All users can read this many characters without paying.', '用户无需付费即可阅读的字数。'],
  },
  'feed:reward': {
    label: ['Rewards for feeds', '动态打赏'],
    note: ['Users can reward feeds with points.', '允许用户用积分打赏动态。'],
  },
  'feed:paycontrol': {
    label: ['Paid feeds', '付费动态'],
    note: ['Users can charge points for the text or pictures of a feed.', '允许用户发布收费的文字和图片。'],
  },
  'feed:items': {
    label: ['Suggested feed prices', '付费动态价格选项'],
    note: [
      'Clients offer these prices in points. Enter one per line.',
      '客户端提供的价格选项，单位为积分，每行一个。',
    ],
  },
  'news:contribute:verified': {
    label: ['Contributions by certified users only', '仅认证用户可投稿'],
    note: ['Users without a certification cannot contribute articles.', '未认证的用户不能投稿。'],
  },
  'site:name': {
    label: ['Name of the site', '站点名称'],
    note: [
      'Members see it in titles, mails, push messages and feeds. Leave empty for SITE_NAME of the server.',
      '用户在标题、邮件、推送和订阅源中看到的名称。留空则使用服务器的 SITE_NAME。',
    ],
  },
  'site:name-en': {
    label: ['Name in English', '英文名称'],
    note: ['Replaces the name for readers of English.', '英文读者看到的名称。'],
  },
  'site:name-zh': {
    label: ['Name in Chinese', '中文名称'],
    note: ['Replaces the name for readers of Chinese.', '中文读者看到的名称。'],
  },
  'site:description': {
    label: ['Description', '站点简介'],
    note: [
      'One sentence for search engines and previews of links.',
      '一句话简介，显示在搜索引擎和链接预览中。',
    ],
  },
  'site:description-en': {
    label: ['Description in English', '英文简介'],
    note: ['Replaces the description for readers of English.', '英文读者看到的简介。'],
  },
  'site:description-zh': {
    label: ['Description in Chinese', '中文简介'],
    note: ['Replaces the description for readers of Chinese.', '中文读者看到的简介。'],
  },
  'site:welcome': {
    label: ['Welcome text for guests', '访客欢迎语'],
    note: ['The site shows it beside the sign-up button.', '显示在注册按钮旁。'],
  },
  'site:welcome-en': {
    label: ['Welcome text in English', '英文欢迎语'],
    note: ['Replaces the welcome text for readers of English.', '英文读者看到的欢迎语。'],
  },
  'site:welcome-zh': {
    label: ['Welcome text in Chinese', '中文欢迎语'],
    note: ['Replaces the welcome text for readers of Chinese.', '中文读者看到的欢迎语。'],
  },
  'site:contact': {
    label: ['Contact', '联系方式'],
    note: ['An e-mail address, a URL or a phone number of the operator.', '运营者的邮箱、网址或电话。'],
  },
  'site:imprint': {
    label: ['Imprint', '站点信息'],
    note: ['Operator of the site. The about page shows it.', '运营者信息，显示在关于页面。'],
  },
  'site:accent': {
    label: ['Accent colour', '主题色'],
    note: [
      'Colour of buttons and links, such as #0b7468. Kith corrects it until text is readable.',
      '按钮和链接的颜色，例如 #0b7468。对比度不足时会自动调整。',
    ],
  },
  'site:logo': {
    label: ['Logo', '标志'],
    note: ['Choose it on the page “Appearance”.', '请在“外观”页面中选择。'],
  },
  'site:logo-has-name': {
    label: ['Logo contains the name', '标志包含名称'],
    note: ['The header then shows the logo without the name.', '开启后页眉只显示标志，不再显示名称。'],
  },
  'site:icon': {
    label: ['Icon', '图标'],
    note: ['Choose it on the page “Appearance”.', '请在“外观”页面中选择。'],
  },
  'site:picture': {
    label: ['Sharing picture', '分享图片'],
    note: ['Choose it on the page “Appearance”.', '请在“外观”页面中选择。'],
  },
  'site:setup': {
    label: ['First steps', '初始设置'],
    note: ['Finished steps of the page “First steps”.', '“初始设置”页面中已完成的步骤。'],
  },
  'mail:weekly': {
    label: ['Weekly mail', '每周邮件'],
    note: ['Users may ask for a weekly mail about what they follow.', '用户可以订阅关注内容的每周邮件。'],
  },
  'site:powered-by': {
    label: ['Name the software', '显示软件名称'],
    note: ['Pages and mails say “Powered by Kith”.', '页面和邮件中显示“由 Kith 驱动”。'],
  },
  'site:about-url': {
    label: ['URL of the about page', '关于页面网址'],
    note: [
      'Replaces the text of the setting “About page”. Leave empty to show that text.',
      '填写后跳转到此网址，留空则显示“关于页面内容”。',
    ],
  },
  'site:time-zone': {
    label: ['Time zone', '时区'],
    note: [
      'Check-ins, daily rankings and statistics use this time zone, for example Asia/Shanghai.',
      '签到、每日排行和统计使用此时区，例如 Asia/Shanghai。',
    ],
  },
  'site:web-links': {
    label: ['Links to the web client', '网页客户端链接'],
    note: [
      'Each line contains a content type and its URL, for example: feeds https://app.example/feeds/{id}',
      '每行填写一种内容类型及其网址，例如：feeds https://app.example/feeds/{id}',
    ],
  },
  'site:client-email': {
    label: ['Contact e-mail address', '联系邮箱'],
    note: ['Clients show this address to users.', '客户端向用户显示的邮箱地址。'],
  },
  'site:reserved-nickname': {
    label: ['Reserved usernames', '保留用户名'],
    note: [
      'Users cannot choose these names. Separate them by commas.',
      '用户不能使用这些用户名，多个用户名用逗号分隔。',
    ],
  },
  'site:user-invite-template': {
    label: ['Invitation text', '邀请文案'],
    note: ['Clients send this text when a user invites a friend.', '用户邀请好友时，客户端发送的文案。'],
  },
  'site:currency-name': {
    label: ['Name of points', '积分名称'],
    note: ['Clients show this name for points.', '客户端显示的积分名称。'],
  },
  'site:currency-unit': {
    label: ['Unit of points', '积分单位'],
    note: ['Clients show this unit after a number of points.', '显示在积分数值之后的单位。'],
  },
  'site:gold': {
    label: ['Gold', '金币'],
    note: ['Only older clients read this switch.', '仅供旧版客户端读取的开关。'],
  },
  'site:reward': {
    label: ['Rewards', '打赏'],
    note: ['Users can reward authors and other users.', '允许用户打赏作者和其他用户。'],
  },
  'site:reward-amounts': {
    label: ['Suggested reward amounts', '打赏金额选项'],
    note: [
      'Clients offer these amounts in points. Enter one per line.',
      '客户端提供的打赏金额，单位为积分，每行一个。',
    ],
  },
  'site:anonymous': {
    label: ['Anonymous questions and answers', '匿名问答'],
    note: ['Users can ask and answer anonymously.', '允许用户匿名提问和回答。'],
  },
  'site:anonymous-rule': {
    label: ['Rules of anonymity', '匿名规则'],
    note: [
      'Clients show this text when a user chooses to be anonymous.',
      '用户选择匿名时，客户端显示的说明。',
    ],
  },
  'register:show-terms': {
    label: ['Terms at registration', '显示注册协议'],
    note: ['Clients show the terms when a user registers.', '用户注册时，客户端显示注册协议。'],
  },
  'register:method': {
    label: ['Registration contact', '注册联系方式'],
    note: ['Users register with this kind of contact.', '用户注册时使用的联系方式。'],
    choices: {
      all: ['e-mail or phone', '邮箱或手机号'],
      'mail-only': ['e-mail only', '仅邮箱'],
      'mobile-only': ['phone only', '仅手机号'],
      mail: ['e-mail only', '仅邮箱'],
      mobile: ['phone only', '仅手机号'],
    },
  },
  'register:content': {
    label: ['Terms', '注册协议'],
    note: ['Text of the terms, in Markdown.', '注册协议正文，支持 Markdown。'],
  },
  'register:fixed': {
    label: ['Profile completion', '完善资料'],
    note: ['Clients can ask new users to complete their profile.', '客户端可以要求新用户完善资料。'],
    choices: {
      need: ['required', '要求'],
      'no-need': ['not required', '不要求'],
    },
  },
  'register:type': {
    label: ['Registration mode', '注册模式'],
    note: ['Determines who can register.', '决定哪些人可以注册。'],
    choices: {
      all: ['open to everyone', '所有人'],
      invited: ['with an invitation', '凭邀请'],
      approval: ['after review', '需审核'],
      thirdPart: ['external account only', '仅第三方账号'],
      closed: ['no registration', '关闭注册'],
    },
  },
  'register:email-allowed': {
    label: ['Allowed e-mail addresses', '允许的邮箱'],
    note: [
      'Enter one address or domain per line. Leave empty to allow all.',
      '每行填写一个邮箱或域名，留空表示全部允许。',
    ],
  },
  'register:email-blocked': {
    label: ['Blocked e-mail addresses', '禁止的邮箱'],
    note: ['Enter one address or domain per line.', '每行填写一个邮箱或域名。'],
  },
  'register:invitations-by-everybody': {
    label: ['Invitations by all users', '所有用户可邀请'],
    note: [
      'If off, only users with the ability to invite can create invitations.',
      '关闭后，仅有邀请权限的用户可以创建邀请。',
    ],
  },
  'register:invitation-uses': {
    label: ['Maximum uses of an invitation', '邀请可用次数'],
    note: [
      'Maximum number of users who can register with one invitation.',
      '每个邀请最多可供多少位用户注册。',
    ],
  },
  'register:invitation-days': {
    label: ['Lifetime of an invitation (days)', '邀请有效期（天）'],
    note: ['An invitation expires after this time.', '超过此期限后，邀请失效。'],
  },
  'register:phone-countries': {
    label: ['Allowed countries of phone numbers', '允许的手机号国家'],
    note: [
      'Enter one two-letter country code per line, or * for all countries.',
      '每行填写一个两位国家代码，* 表示所有国家。',
    ],
  },
  'sms:templates': {
    label: ['Text message templates', '短信模板与签名'],
    note: [
      'Each line contains service, purpose, country, template (or -) and signature, for example: aliyun code CN SMS_1234 Kith.',
      '每行依次填写服务商、用途、国家、模板（无则填 -）和签名，例如：aliyun code CN SMS_1234 签名。',
    ],
  },
  'sms:daily-per-number': {
    label: ['Daily limit of text messages per number', '每个号码每日短信上限'],
    note: ['0 means no limit.', '0 表示不限制。'],
  },
  'sms:daily-per-address': {
    label: ['Daily limit of codes per IP address', '每个 IP 地址每日验证码上限'],
    note: [
      '0 means no limit. Several users can share one IP address.',
      '0 表示不限制。多位用户可能共用一个 IP 地址。',
    ],
  },
  'sms:daily-per-country': {
    label: ['Daily limit of codes per country', '每个国家每日验证码上限'],
    note: [
      'Each line contains a country and a number, for example: US 500. * stands for all other countries.',
      '每行填写一个国家和数量，例如：US 500。* 表示其他所有国家。',
    ],
  },
  'sms:daily': {
    label: ['Daily limit of codes by text message', '每日短信验证码总上限'],
    note: [
      '0 means no limit. The limit caps the cost of an attack.',
      '0 表示不限制。此上限可控制遭受攻击时的短信费用。',
    ],
  },
  'account:deletion-days': {
    label: ['Grace period of account deletion (days)', '账号注销等待期（天）'],
    note: [
      'Users can cancel the deletion of their account within this time.',
      '在此期限内，用户可以撤销注销申请。',
    ],
  },
  'account:sign-in-notices': {
    label: ['Alerts about new devices', '新设备登录提醒'],
    note: [
      'Users receive a message after a sign-in from a new device.',
      '账号在新设备上登录时，系统会通知用户。',
    ],
  },
  'account:second-factor-for-administrators': {
    label: ['Two-step verification for administrators', '管理员必须开启两步验证'],
    note: [
      'Administrators without two-step verification cannot use the console.',
      '未开启两步验证的管理员不能使用管理后台。',
    ],
  },
  'account:export-hours': {
    label: ['Time between data exports (hours)', '数据导出间隔（小时）'],
    note: [
      'A user can request the next data export after this time.',
      '同一用户两次导出数据之间的最短间隔。',
    ],
  },
  'account:export-days': {
    label: ['Retention of data exports (days)', '数据导出保留天数'],
    note: ['The server deletes the archive after this time.', '到期后，服务器会删除导出的压缩包。'],
  },
  'account:export-megabytes': {
    label: ['Maximum size of uploads in a data export (MB)', '数据导出的文件大小上限（MB）'],
    note: ['Uploads beyond this size are listed but left out.', '超出上限的文件只列入清单，不包含在导出中。'],
  },
  'register:role': {
    label: ['Role of new users', '新用户角色'],
    note: ['Identifier of the role that new users receive.', '新用户获得的角色的标识。'],
  },
  'users:tell-known-accounts': {
    label: ['Account lookup', '账号查询'],
    note: [
      'Clients can check whether a phone number or e-mail address has an account. One-tap sign-in requires this.',
      '客户端可以查询手机号或邮箱是否已注册。一键登录需要开启此项。',
    ],
  },
  'site:about-content': {
    label: ['About page', '关于页面内容'],
    note: ['Text of the about page, in Markdown.', '关于页面的正文，支持 Markdown。'],
  },
  'im:helper-user': {
    label: ['Support account', '客服账号'],
    note: ['ID of the user whom clients suggest for questions.', '客户端推荐用户咨询的账号，填写用户编号。'],
  },
  'group:need-verified': {
    label: ['Groups by certified users only', '仅认证用户可创建圈子'],
    note: ['Users without a certification cannot create groups.', '未认证的用户不能创建圈子。'],
  },
  'group:report-handle': {
    label: ['Handling of reports in groups', '圈内举报处理人'],
    note: ['Determines who handles reports about posts of a group.', '决定由谁处理圈内帖子的举报。'],
    choices: {
      managers: ['managers of the group', '圈主和圈子管理员'],
      site: ['moderators of the site', '站点管理员'],
    },
  },
  'group:protocol': {
    label: ['Terms of groups', '圈子协议'],
    note: ['Clients show this text before a user creates a group.', '用户创建圈子前，客户端显示的协议。'],
  },
  'question:apply-amount': {
    label: ['Price of a request for excellence', '精选申请价格'],
    note: ['In points. A rejection refunds the price.', '单位为积分，申请被驳回时退还。'],
  },
  'question:onlookers-amount': {
    label: ['Price of viewing a paid answer', '围观回答价格'],
    note: ['Points that a user pays to read a paid answer.', '用户围观付费回答所需的积分。'],
  },
  'question:anonymity-rule': {
    label: ['Rules of anonymous questions', '匿名提问规则'],
    note: ['Clients show this text on the page for a new question.', '显示在客户端的提问页面。'],
  },
  'question:reward-rule': {
    label: ['Rules of bounties', '悬赏规则'],
    note: ['Clients show this text where a user sets a bounty.', '显示在客户端设置悬赏的页面。'],
  },
  'locations:hots': {
    label: ['Suggested places', '热门地点'],
    note: ['Each line contains a country, a province and a city.', '每行填写一个地点：国家 省份 城市。'],
  },
  'jobs:keep-failed-days': {
    label: ['Retention of failed jobs (days)', '失败任务保留天数'],
    note: ['The server deletes failed jobs after this time.', '到期后自动删除。'],
  },
  'notifications:keep-read-days': {
    label: ['Retention of read notifications (days)', '已读通知保留天数'],
    note: ['The server deletes the notifications after this time.', '到期后自动删除。'],
  },
  'notifications:keep-unread-days': {
    label: ['Retention of unread notifications (days)', '未读通知保留天数'],
    note: ['The server deletes the notifications after this time.', '到期后自动删除。'],
  },
  'notifications:keep-most': {
    label: ['Maximum notifications per type', '每类通知保留条数上限'],
    note: [
      'The limit applies to each user. The oldest notifications are deleted first.',
      '按每位用户计算。超出上限时先删除最早的通知。',
    ],
  },
  'notifications:push-text': {
    label: ['Notification text in push messages', '推送消息包含通知内容'],
    note: [
      'FCM, APNs and JPush can read the text. Browsers always receive it encrypted.',
      'FCM、APNs 和极光推送能读取内容。浏览器收到的内容始终加密。',
    ],
  },
  'group:keep-request-days': {
    label: ['Retention of decided requests to join groups (days)', '已处理的入圈申请保留天数'],
    note: [
      'The server deletes decided requests after this time. Pending requests stay.',
      '到期后自动删除，待处理的申请会保留。',
    ],
  },
  'chat:edit-minutes': {
    label: ['Time limit for editing messages (minutes)', '消息编辑时限（分钟）'],
    note: [
      'Users can edit and delete their own messages within this time.',
      '在此时限内，用户可以编辑或删除自己的消息。',
    ],
  },
  'chat:keep-days': {
    label: ['Retention of messages (days)', '消息保留天数'],
    note: ['0 keeps messages permanently.', '0 表示永久保留。'],
  },
  'chat:push-text': {
    label: ['Chat text in push messages', '推送消息包含聊天内容'],
    note: ['Mobile push services and gateways can read the text.', '手机推送服务和推送网关能读取内容。'],
  },
  'chat:presence': {
    label: ['Online status', '在线状态'],
    note: [
      'Members of a conversation see which other members are online.',
      '会话成员可以看到其他成员是否在线。',
    ],
  },
  'chat:seen': {
    label: ['Read receipts', '已读状态'],
    note: [
      'Members of a conversation see how far other members have read.',
      '会话成员可以看到其他成员已读到哪条消息。',
    ],
  },
}

export const settingText = (name: string): SettingText =>
  SETTING_TEXTS[name] ?? { label: [name, name], note: ['', ''] }

/** Text that the search for settings matches. */
export function settingWords(name: string): string {
  const { label, note, choices = {} } = settingText(name)
  return [name, ...label, ...note, ...Object.entries(choices).flat(2)].join(' ')
}

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
  im: ['Instant messaging', '即时通讯'],
  chat: ['Chat', '聊天'],
  locations: ['Places', '地点'],
  notifications: ['Notifications', '通知'],
  jobs: ['Background jobs', '后台任务'],
  other: ['Payments', '支付'],
}
