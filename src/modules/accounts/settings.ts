import { isEmail, isPhoneCountry } from '#lib/identifiers.ts'
import { type SettingsOf, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int, OneOf, Text, TextList } from '#platform/http'

const mailFault = (entry: string) =>
  isEmail(entry.includes('@') ? entry : `a@${entry}`)
    ? undefined
    : {
        en: `${entry} is neither an e-mail address nor a domain.`,
        zh: `${entry} 既不是邮箱地址，也不是域名。`,
      }

const countryFault = (entry: string) =>
  entry === '*' || isPhoneCountry(entry)
    ? undefined
    : {
        en: `${entry} is neither a country code such as CN nor *.`,
        zh: `${entry} 既不是国家代码（如 CN），也不是 *。`,
      }

export const ACCOUNT_SETTINGS = {
  'pay-validate-user-password': setting(Flag(), false, {
    label: ['Password before payments', '支付前验证密码'],
    help: ['Users enter their password before each payment or withdrawal.', '用户支付或提现前需输入密码。'],
    guard: 'security',
  }),
  'site:reserved-nickname': setting(Text(10_000, { 'x-empty': true }), 'root,admin,administrator,kith', {
    label: ['Reserved usernames', '保留用户名'],
    help: [
      'Users cannot choose these names. Separate them by commas.',
      '用户不能使用这些用户名，多个用户名用逗号分隔。',
    ],
    guard: 'security',
  }),
  'register:show-terms': setting(Flag(), false, {
    label: ['Terms at registration', '显示注册协议'],
    help: ['Clients show the terms when a user registers.', '用户注册时，客户端显示注册协议。'],
  }),
  'register:method': setting(OneOf(['all', 'mail-only', 'mobile-only', 'mail', 'mobile'] as const), 'all', {
    label: ['Registration contact', '注册联系方式'],
    help: ['Users register with this kind of contact.', '用户注册时使用的联系方式。'],
    see: 'registration-2',
    guard: 'security',
    choices: {
      all: ['e-mail or phone', '邮箱或手机号'],
      'mail-only': ['e-mail only', '仅邮箱'],
      'mobile-only': ['phone only', '仅手机号'],
      mail: ['e-mail only', '仅邮箱'],
      mobile: ['phone only', '仅手机号'],
    },
  }),
  'register:content': setting(Text(100_000, { 'x-empty': true }), '', {
    label: ['Terms', '注册协议'],
    help: ['Text of the terms, in Markdown.', '注册协议正文，支持 Markdown。'],
  }),
  'register:fixed': setting(OneOf(['need', 'no-need'] as const), 'need', {
    label: ['Profile completion', '完善资料'],
    help: ['Clients can ask new users to complete their profile.', '客户端可以要求新用户完善资料。'],
    choices: { need: ['required', '要求'], 'no-need': ['not required', '不要求'] },
  }),
  'register:type': setting(OneOf(['all', 'invited', 'approval', 'thirdPart', 'closed'] as const), 'all', {
    label: ['Registration mode', '注册模式'],
    help: ['Determines who can register.', '决定哪些人可以注册。'],
    see: 'registration-1',
    guard: 'security',
    choices: {
      all: ['open to everyone', '所有人'],
      invited: ['with an invitation', '凭邀请'],
      approval: ['after review', '需审核'],
      thirdPart: ['external account only', '仅第三方账号'],
      closed: ['no registration', '关闭注册'],
    },
  }),
  'register:email-allowed': setting(TextList(1000, 128), [], {
    label: ['Allowed e-mail addresses', '允许的邮箱'],
    help: [
      'Enter one address or domain per line. Leave empty to allow all.',
      '每行填写一个邮箱或域名，留空表示全部允许。',
    ],
    see: 'registration-3',
    guard: 'security',
    faultOf: mailFault,
  }),
  'register:email-blocked': setting(TextList(1000, 128), [], {
    label: ['Blocked e-mail addresses', '禁止的邮箱'],
    help: ['Enter one address or domain per line.', '每行填写一个邮箱或域名。'],
    see: 'registration-3',
    guard: 'security',
    faultOf: mailFault,
  }),
  'register:invitations-by-everybody': setting(Flag(), false, {
    label: ['Invitations by all users', '所有用户可邀请'],
    help: [
      'If off, only users with the ability to invite can create invitations.',
      '关闭后，仅有邀请权限的用户可以创建邀请。',
    ],
    see: 'registration-6',
    guard: 'security',
  }),
  'register:invitation-uses': setting(Int(1, 1000), 5, {
    label: ['Maximum uses of an invitation', '邀请可用次数'],
    help: [
      'Maximum number of users who can register with one invitation.',
      '每个邀请最多可供多少位用户注册。',
    ],
    see: 'registration-6',
    guard: 'security',
  }),
  'register:invitation-days': setting(Int(1, 365), 30, {
    label: ['Lifetime of an invitation (days)', '邀请有效期（天）'],
    help: ['An invitation expires after this time.', '超过此期限后，邀请失效。'],
    see: 'registration-6',
    guard: 'security',
  }),
  'register:phone-countries': setting(TextList(300, 2), ['CN'], {
    label: ['Allowed countries of phone numbers', '允许的手机号国家'],
    help: [
      'Enter one two-letter country code per line, or * for all countries.',
      '每行填写一个两位国家代码，* 表示所有国家。',
    ],
    see: 'registration-4',
    guard: 'security',
    faultOf: countryFault,
  }),
  'account:deletion-days': setting(Int(0, 365), 14, {
    label: ['Grace period of account deletion (days)', '账号注销等待期（天）'],
    help: [
      'Users can cancel the deletion of their account within this time.',
      '在此期限内，用户可以撤销注销申请。',
    ],
    see: 'rights-1',
    guard: 'security',
  }),
  'account:sign-in-notices': setting(Flag(), true, {
    label: ['Alerts about new devices', '新设备登录提醒'],
    help: [
      'Users receive a message after a sign-in from a new device.',
      '账号在新设备上登录时，系统会通知用户。',
    ],
    see: 'rights-5',
    guard: 'security',
  }),
  'account:second-factor-for-administrators': setting(Flag(), false, {
    label: ['Two-step verification for administrators', '管理员必须开启两步验证'],
    help: [
      'Administrators without two-step verification cannot use the console.',
      '未开启两步验证的管理员不能使用管理后台。',
    ],
    see: 'rights-8',
    guard: 'security',
  }),
  'account:export-hours': setting(Int(0, 720), 24, {
    label: ['Time between data exports (hours)', '数据导出间隔（小时）'],
    help: [
      'A user can request the next data export after this time.',
      '同一用户两次导出数据之间的最短间隔。',
    ],
    see: 'rights-9',
  }),
  'account:export-days': setting(Int(1, 30), 7, {
    label: ['Retention of data exports (days)', '数据导出保留天数'],
    help: ['The server deletes the archive after this time.', '到期后，服务器会删除导出的压缩包。'],
    see: 'rights-9',
  }),
  'account:export-megabytes': setting(Int(0, 1_000_000), 2000, {
    label: ['Maximum size of uploads in a data export (MB)', '数据导出的文件大小上限（MB）'],
    help: ['Uploads beyond this size are listed but left out.', '超出上限的文件只列入清单，不包含在导出中。'],
    see: 'rights-10',
  }),
  'register:role': setting(Text(100), 'owner', {
    label: ['Role of new users', '新用户角色'],
    help: ['Identifier of the role that new users receive.', '新用户获得的角色的标识。'],
    guard: 'security',
  }),
  'users:tell-known-accounts': setting(Flag(), true, {
    label: ['Account lookup', '账号查询'],
    help: [
      'Clients can check whether a phone number or e-mail address has an account. One-tap sign-in requires this.',
      '客户端可以查询手机号或邮箱是否已注册。一键登录需要开启此项。',
    ],
    see: 'sign-in-21',
    guard: 'security',
  }),
}

export const readAccountSettings = settingsReader(ACCOUNT_SETTINGS)

export type AccountSettings = SettingsOf<typeof ACCOUNT_SETTINGS>
