import type { Text } from '#platform/errors.ts'

/** A value of a placeholder, the same in both languages or one for each. */
export type MailValue = string | Text

type MailDefinition = {
  about: Text
  subject: Text
  text: Text
  /** Placeholders besides `{site}` and `{address}`, with an example for the preview. */
  values: Readonly<Record<string, { about: Text; example: MailValue }>>
  /** Placeholders that the text must contain. */
  needs?: readonly string[]
  /** True when the recipient's language is known, so that the mail is in one language. */
  inLanguageOfReader?: true
}

const REASON = {
  about: { en: 'Reason that the administrator gave, or nothing', zh: '管理员填写的说明，可能为空' },
  example: { en: ' Reason: Welcome!', zh: '说明：欢迎！' },
}
const DAY = { about: { en: 'Date in UTC', zh: '日期（UTC）' }, example: '2027-01-31' }

/** The mails that the server sends, by name. The recipient's language is unknown, so most are in both languages. */
export const MAILS = {
  code: {
    about: { en: 'Verification code', zh: '验证码' },
    subject: { en: 'Verification code', zh: '验证码' },
    text: {
      en: 'Your verification code for {site} is {code}. It is good for ten minutes. If you did not ask for it, ignore this message.',
      zh: '您在{site}的验证码是 {code}，十分钟内有效。如非本人操作，请忽略。',
    },
    values: { code: { about: { en: 'The six digits', zh: '六位验证码' }, example: '482913' } },
    needs: ['code'],
    inLanguageOfReader: true,
  },
  'account-changed': {
    about: { en: 'A credential was changed', zh: '账号安全提醒' },
    subject: { en: 'Your account was changed', zh: '账号安全提醒' },
    text: { en: '{change}', zh: '{change}' },
    values: {
      change: {
        about: { en: 'What was changed, and what to do if it was not you', zh: '变更内容及应对方法' },
        example: {
          en: 'The password of your account was just changed. If it was not you, reset it at once.',
          zh: '您的账号密码刚刚被修改。如非本人操作，请立即重置密码。',
        },
      },
    },
    needs: ['change'],
  },
  'sign-in': {
    about: { en: 'Sign-in from a new device', zh: '新设备登录' },
    subject: { en: 'Sign-in from a new device', zh: '新设备登录提醒' },
    text: {
      en: 'Somebody signed in to your account from a new device ({device}, {network}). If it was not you, change your password and end that session.',
      zh: '您的账号刚刚在新设备上登录（{device}，{network}）。如非本人操作，请立即修改密码，并将该设备退出登录。',
    },
    values: {
      device: {
        about: { en: 'Browser and system', zh: '浏览器和系统' },
        example: { en: 'Firefox on Linux', zh: 'Linux 上的 Firefox' },
      },
      network: { about: { en: 'Network of the device', zh: '设备所在网络' }, example: '203.0.113.0/24' },
    },
    needs: ['device'],
  },
  'second-factor': {
    about: { en: 'Two-step verification was changed', zh: '两步验证变更' },
    subject: { en: 'Two-step verification', zh: '两步验证' },
    text: { en: '{change}', zh: '{change}' },
    values: {
      change: {
        about: { en: 'What was changed', zh: '变更内容' },
        example: {
          en: 'Two-step verification of your account is now on.',
          zh: '您的账号已开启两步验证。',
        },
      },
    },
    needs: ['change'],
  },
  'signed-out': {
    about: { en: 'An administrator ended the sessions', zh: '管理员强制下线' },
    subject: { en: 'You were signed out', zh: '账号已被强制下线' },
    text: {
      en: 'An administrator just ended sessions of your account. Sign in again.',
      zh: '管理员刚刚将您的账号强制下线，请重新登录。',
    },
    values: {},
  },
  suspended: {
    about: { en: 'The account is suspended', zh: '账号被封禁' },
    subject: { en: 'Your account is suspended', zh: '账号已被封禁' },
    text: {
      en: 'Your account is suspended{until}. You can appeal.\n\n{reason}',
      zh: '您的账号已被封禁{until}。如有异议，可提出申诉。\n\n{reason}',
    },
    values: {
      until: {
        about: { en: 'The end, or nothing', zh: '结束时间，可能为空' },
        example: { en: ' until 2027-01-31 12:00 (UTC)', zh: '至 2027-01-31 12:00（UTC）' },
      },
      reason: {
        about: { en: 'Reason that the moderator gave', zh: '管理员填写的原因' },
        example: { en: 'Advertising in comments', zh: '在评论中发布广告' },
      },
    },
    needs: ['reason'],
  },
  'registration-accepted': {
    about: { en: 'A registration was accepted', zh: '注册申请通过' },
    subject: { en: 'Your registration was accepted', zh: '注册申请已通过' },
    text: {
      en: 'Your registration was accepted. You can sign in now.{reason}',
      zh: '您的注册申请已通过，现在可以登录。{reason}',
    },
    values: { reason: REASON },
  },
  'registration-rejected': {
    about: { en: 'A registration was not accepted', zh: '注册申请未通过' },
    subject: { en: 'Your registration was not accepted', zh: '注册申请未通过' },
    text: {
      en: 'Your registration was not accepted, and what you entered was deleted.{reason}',
      zh: '您的注册申请未通过，所填资料已删除。{reason}',
    },
    values: { reason: REASON },
  },
  renamed: {
    about: { en: 'An import changed the name of a user', zh: '迁移时更改了用户名' },
    subject: { en: 'Your name has changed', zh: '您的用户名已更改' },
    text: {
      en: 'This site has moved. {account} is now “{name}”. Sign in with this name, your e-mail address or your phone number, and your old password.',
      zh: '本站已迁移到新系统，{account}现为“{name}”。请用新用户名、邮箱或手机号及原密码登录。',
    },
    values: {
      account: {
        about: { en: 'The former name', zh: '原用户名' },
        example: { en: 'Your name “Ann Lee”', zh: '您的用户名“Ann Lee”' },
      },
      name: { about: { en: 'The new name', zh: '新用户名' }, example: 'Ann_Lee' },
    },
    needs: ['name'],
  },
  'deletion-planned': {
    about: { en: 'An account will be deleted', zh: '账号即将注销' },
    subject: { en: 'Your account will be deleted', zh: '账号即将注销' },
    text: {
      en: 'Your account will be deleted after {date} (UTC). Sign in before then to keep it.',
      zh: '您的账号将于 {date}（UTC）后注销，在此之前登录即可取消。',
    },
    values: { date: DAY },
    needs: ['date'],
  },
  'deletion-cancelled': {
    about: { en: 'A deletion was cancelled', zh: '账号注销已取消' },
    subject: { en: 'Your account will not be deleted', zh: '账号注销已取消' },
    text: {
      en: 'You signed in, so your account will not be deleted.',
      zh: '您已重新登录，账号注销已取消。',
    },
    values: {},
  },
  deleted: {
    about: { en: 'An account was deleted', zh: '账号已注销' },
    subject: { en: 'Your account was deleted', zh: '账号已注销' },
    text: {
      en: 'Your account and your personal data were deleted.',
      zh: '您的账号已注销，个人信息已删除。',
    },
    values: {},
  },
  receipt: {
    about: { en: 'Receipt of a payment', zh: '充值收据' },
    subject: { en: 'Receipt of your payment', zh: '充值收据' },
    text: {
      en: 'Your payment was credited.\nAmount: {amount}\nCredited: {credited}\nProvider: {provider}\nOrder: {order}\nPayment: {payment}\nTime: {time}',
      zh: '您的付款已到账。\n金额：{amount}\n到账：{credited}\n渠道：{provider}\n订单号：{order}\n支付单号：{payment}\n时间：{time}',
    },
    values: {
      amount: { about: { en: 'Amount paid', zh: '付款金额' }, example: '10.00 EUR' },
      credited: {
        about: { en: 'Points or wallet money', zh: '到账的积分或余额' },
        example: { en: '1000 points', zh: '1000 积分' },
      },
      provider: { about: { en: 'Payment provider', zh: '支付渠道' }, example: 'stripe' },
      order: { about: { en: 'Order number', zh: '订单号' }, example: '20270131000042' },
      payment: { about: { en: 'Payment number', zh: '支付单号' }, example: 'pi_42' },
      time: { about: { en: 'Time of the payment', zh: '付款时间' }, example: '2027-01-31 12:00:00 UTC' },
    },
    needs: ['amount', 'order'],
  },
  'export-ready': {
    about: { en: 'A data export is ready', zh: '数据导出已完成' },
    subject: { en: 'Your data export is ready', zh: '数据导出已完成' },
    text: {
      en: 'Your data export is ready. Sign in and download it before {until} (UTC).',
      zh: '您的数据导出已完成，请在 {until}（UTC）之前登录并下载。',
    },
    values: { until: DAY },
  },
  digest: {
    about: { en: 'Weekly mail', zh: '每周邮件' },
    subject: { en: 'Your week', zh: '一周精选' },
    text: {
      en: 'What happened in what you follow:\n\n{items}\n\nYou asked for this mail. End it: {unsubscribe}',
      zh: '您关注的内容本周动态：\n\n{items}\n\n您订阅了此邮件。退订：{unsubscribe}',
    },
    values: {
      items: {
        about: { en: 'Titles and links of the week', zh: '本周内容的标题和链接' },
        example: {
          en: 'From your groups\n• A walk along the river (Walkers)',
          zh: '您的圈子\n• 沿河散步 (Walkers)',
        },
      },
      unsubscribe: {
        about: { en: 'Link that ends the mail', zh: '退订链接' },
        example: 'https://site.example/unsubscribe?token=…',
      },
    },
    needs: ['items', 'unsubscribe'],
    inLanguageOfReader: true,
  },
  'export-failed': {
    about: { en: 'A data export failed', zh: '数据导出失败' },
    subject: { en: 'Your data could not be exported', zh: '数据导出失败' },
    text: {
      en: 'Your data could not be exported. Please request a new export.',
      zh: '您的数据导出失败，请重新申请。',
    },
    values: {},
  },
} as const satisfies Record<string, MailDefinition>

export type MailName = keyof typeof MAILS

/** Definition of a mail with the general type, for code that works on every mail. */
export const mailDefinition = (mail: MailName): MailDefinition => MAILS[mail]

export const MAIL_NAMES = Object.keys(MAILS) as MailName[]
