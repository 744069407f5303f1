import { Address, Flag, Int, Nullable, Text, TextList } from '#platform/http'
import { type SettingsOf, setting } from './definition.ts'
import { isWebLink } from './links.ts'
import { settingsReader } from './service.ts'

export const SITE_SETTINGS = {
  'site:name': setting(Nullable(Text(40)), null, {
    label: ['Name of the site', '站点名称'],
    help: [
      'Members see it in titles, mails, push messages and feeds. Leave empty for SITE_NAME of the environment.',
      '用户在标题、邮件、推送和订阅源中看到的名称。留空则使用环境变量 SITE_NAME。',
    ],
    see: 'docs/branding.md',
  }),
  'site:name-en': setting(Nullable(Text(40)), null, {
    label: ['Name in English', '英文名称'],
    help: ['Replaces the name for readers of English.', '英文读者看到的名称。'],
  }),
  'site:name-zh': setting(Nullable(Text(40)), null, {
    label: ['Name in Chinese', '中文名称'],
    help: ['Replaces the name for readers of Chinese.', '中文读者看到的名称。'],
  }),
  'site:description': setting(Nullable(Text(200)), null, {
    label: ['Description', '站点简介'],
    help: [
      'One sentence for search engines and previews of links.',
      '一句话简介，显示在搜索引擎和链接预览中。',
    ],
  }),
  'site:description-en': setting(Nullable(Text(200)), null, {
    label: ['Description in English', '英文简介'],
    help: ['Replaces the description for readers of English.', '英文读者看到的简介。'],
  }),
  'site:description-zh': setting(Nullable(Text(200)), null, {
    label: ['Description in Chinese', '中文简介'],
    help: ['Replaces the description for readers of Chinese.', '中文读者看到的简介。'],
  }),
  'site:welcome': setting(Nullable(Text(500)), null, {
    label: ['Welcome text for guests', '访客欢迎语'],
    help: ['The site shows it beside the sign-up button.', '显示在注册按钮旁。'],
  }),
  'site:welcome-en': setting(Nullable(Text(500)), null, {
    label: ['Welcome text in English', '英文欢迎语'],
    help: ['Replaces the welcome text for readers of English.', '英文读者看到的欢迎语。'],
  }),
  'site:welcome-zh': setting(Nullable(Text(500)), null, {
    label: ['Welcome text in Chinese', '中文欢迎语'],
    help: ['Replaces the welcome text for readers of Chinese.', '中文读者看到的欢迎语。'],
  }),
  'site:contact': setting(Nullable(Text(200)), null, {
    label: ['Contact', '联系方式'],
    help: ['An e-mail address, a URL or a phone number of the operator.', '运营者的邮箱、网址或电话。'],
  }),
  'site:imprint': setting(Nullable(Text(2000)), null, {
    label: ['Imprint', '站点信息'],
    help: [
      'Operator of the site, for countries that require it. The about page shows it.',
      '运营者信息，显示在关于页面。',
    ],
  }),
  'site:accent': setting(Nullable(Text(7, { pattern: '^#[0-9A-Fa-f]{6}$' })), null, {
    label: ['Accent colour', '主题色'],
    help: [
      'Colour of buttons and links, such as #0b7468. The server corrects it until text is readable in both themes.',
      '按钮和链接的颜色，例如 #0b7468。对比度不足时会自动调整。',
    ],
  }),
  'site:logo': setting(Nullable(Text(200)), null, {
    label: ['Logo', '标志'],
    help: [
      'The header shows it. Choose it on the page “Appearance”. The value is the node of an uploaded picture.',
      '显示在页眉。请在“外观”页面中选择。',
    ],
    see: 'docs/branding.md',
  }),
  'site:logo-has-name': setting(Flag(), false, {
    label: ['Logo contains the name', '标志包含名称'],
    help: ['The header then shows the logo without the name.', '开启后页眉只显示标志，不再显示名称。'],
  }),
  'site:icon': setting(Nullable(Text(200)), null, {
    label: ['Icon', '图标'],
    help: [
      'The server draws all sizes from it. Choose it on the page “Appearance”. The value is the node of an uploaded picture.',
      '服务器会由此生成各种尺寸。请在“外观”页面中选择。',
    ],
  }),
  'site:picture': setting(Nullable(Text(200)), null, {
    label: ['Sharing picture', '分享图片'],
    help: [
      'Previews of links show it. Choose it on the page “Appearance”. The value is the node of an uploaded picture.',
      '显示在链接预览中。请在“外观”页面中选择。',
    ],
  }),
  'site:setup': setting(TextList(10, 20), [], {
    label: ['First steps', '初始设置'],
    help: [
      'Finished steps of the page “First steps”: look, join, mail, backup, invite. The value closed hides the list.',
      '“初始设置”页面中已完成的步骤。',
    ],
  }),
  'site:powered-by': setting(Flag(), true, {
    label: ['Name the software', '显示软件名称'],
    help: ['Pages and mails say “Powered by Kith”.', '页面和邮件中显示“由 Kith 驱动”。'],
  }),
  'site:about-url': setting(Nullable(Address()), null, {
    label: ['URL of the about page', '关于页面网址'],
    help: [
      'The about page redirects there. Leave empty to show the text of the setting “About page”.',
      '填写后跳转到此网址，留空则显示“关于页面内容”。',
    ],
    guard: 'security',
  }),
  'site:time-zone': setting(Text(64), 'UTC', {
    label: ['Time zone', '时区'],
    help: [
      'Check-ins, daily rankings, statistics and times in rendered pages use this time zone, for example Asia/Shanghai.',
      '签到、每日排行、统计和页面中的时间使用此时区，例如 Asia/Shanghai。',
    ],
  }),
  'site:web-links': setting(TextList(20, 500), [], {
    label: ['Links to the web client', '网页客户端链接'],
    help: [
      'Each line contains a content type and its URL, for example: feeds https://app.example/feeds/{id}',
      '每行填写一种内容类型及其网址，例如：feeds https://app.example/feeds/{id}',
    ],
    see: 'notifications-17',
    guard: 'security',
    faultOf: (entry) =>
      isWebLink(entry)
        ? undefined
        : {
            en: `${entry} is not a link such as feeds https://app.example/feeds/{id}.`,
            zh: `${entry} 不是有效的链接（如 feeds https://app.example/feeds/{id}）。`,
          },
  }),
  'site:client-email': setting(Nullable(Text(128)), null, {
    label: ['Contact e-mail address', '联系邮箱'],
    help: ['Clients show this address to users.', '客户端向用户显示的邮箱地址。'],
  }),
  'site:user-invite-template': setting(Nullable(Text(2000)), null, {
    label: ['Invitation text', '邀请文案'],
    help: ['Clients send this text when a user invites a friend.', '用户邀请好友时，客户端发送的文案。'],
  }),
  'site:currency-name': setting(Nullable(Text(20)), null, {
    label: ['Name of points', '积分名称'],
    help: [
      'Clients show this name for points. Leave empty for “Points” in the language of the reader.',
      '客户端显示的积分名称。留空则按读者的语言显示“Points”或“积分”。',
    ],
  }),
  'site:currency-unit': setting(Text(20, { 'x-empty': true }), '', {
    label: ['Unit of points', '积分单位'],
    help: ['Clients show this unit after a number of points.', '显示在积分数值之后的单位。'],
  }),
  'site:gold': setting(Flag(), false, {
    label: ['Gold', '金币'],
    help: ['Only older clients read this switch.', '仅供旧版客户端读取的开关。'],
  }),
  'site:about-content': setting(Text(100_000, { 'x-empty': true }), '', {
    label: ['About page', '关于页面内容'],
    help: ['Text of the about page, in Markdown.', '关于页面的正文，支持 Markdown。'],
  }),
  'jobs:keep-failed-days': setting(Int(1, 3650), 30, {
    label: ['Retention of failed jobs (days)', '失败任务保留天数'],
    help: ['The server deletes failed jobs after this time.', '到期后自动删除。'],
  }),
}

export const readSiteSettings = settingsReader(SITE_SETTINGS)

export type SiteSettings = SettingsOf<typeof SITE_SETTINGS>
