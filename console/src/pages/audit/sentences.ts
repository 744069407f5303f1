import type { Wire } from '../../api/client.ts'
import { currencyName, formatAmount } from '../../shell/money.ts'
import type { Text } from '../../shell/text.ts'
import { cutText, plural } from '../../shell/text.ts'

export type AuditEntry = Wire & {
  id: number
  user_id: number
  action: string
  subject_type: string
  subject_id: string
  before: Wire | null
  after: Wire | null
  redacted: boolean
  created_at: string
}

export const SUBJECTS: Record<string, { noun: Text; page?: (id: string) => string }> = {
  abilities: { noun: ['the ability', '权限'], page: (id) => `/abilities/${encodeURIComponent(id)}/show` },
  'address-blocks': { noun: ['the address block', 'IP 封禁'], page: () => '/address-blocks' },
  'account-waves': { noun: ['the account wave', '批量处理'], page: (id) => `/account-waves/${id}/show` },
  advertising: { noun: ['the advertisement', '广告'], page: (id) => `/advertising/${id}` },
  appeals: { noun: ['the appeal', '申诉'], page: (id) => `/appeals/${id}/show` },
  'app-versions': { noun: ['the app version', '客户端版本'], page: (id) => `/app-versions/${id}` },
  areas: { noun: ['the area', '地区'], page: (id) => `/areas/${id}` },
  'certification-categories': { noun: ['the certification category', '认证类型'] },
  backups: { noun: ['the backup', '备份'], page: () => '/backups' },
  certifications: { noun: ['the certification', '认证'], page: (id) => `/certifications/${id}/show` },
  comments: { noun: ['the comment', '评论'] },
  feedback: { noun: ['the feedback', '反馈'] },
  feeds: { noun: ['the feed', '动态'], page: (id) => `/feeds/${id}/show` },
  'feed-topics': { noun: ['the topic', '话题'], page: (id) => `/topics/${id}` },
  'group-categories': { noun: ['the group category', '圈子分类'], page: (id) => `/group-categories/${id}` },
  'group-posts': { noun: ['the group post', '圈子帖子'], page: (id) => `/group-posts/${id}/show` },
  groups: { noun: ['the group', '圈子'], page: (id) => `/groups/${id}/show` },
  invitations: { noun: ['the invitation', '邀请'], page: () => '/invitations' },
  mails: { noun: ['the mail', '邮件'], page: () => '/mails' },
  'music-singers': { noun: ['the singer', '歌手'], page: (id) => `/singers/${id}` },
  'music-songs': { noun: ['the song', '歌曲'], page: (id) => `/songs/${id}` },
  'music-specials': { noun: ['the album', '专辑'], page: (id) => `/albums/${id}` },
  news: { noun: ['the article', '资讯'], page: (id) => `/news/${id}` },
  'news-categories': { noun: ['the article category', '资讯分类'], page: (id) => `/news-categories/${id}` },
  notices: { noun: ['the system notice', '系统通知'], page: () => '/notices' },
  pages: { noun: ['the page', '页面'], page: (id) => `/pages/${id}` },
  payment_differences: {
    noun: ['the payment difference', '支付差异'],
    page: (id) => `/payment-differences/${id}`,
  },
  payment_notices: { noun: ['the payment notice', '支付通知'], page: (id) => `/payment-notices/${id}/show` },
  payment_refunds: { noun: ['the refund', '退款'], page: () => '/payment-refunds' },
  pins: { noun: ['the pin', '置顶'] },
  'question-answers': { noun: ['the answer', '回答'], page: (id) => `/answers/${id}/show` },
  'question-applications': { noun: ['the request for excellence', '精选申请'] },
  'question-topic-applications': { noun: ['the proposed question topic', '问答话题申请'] },
  'question-topics': { noun: ['the question topic', '问答话题'], page: (id) => `/question-topics/${id}` },
  questions: { noun: ['the question', '问题'], page: (id) => `/questions/${id}/show` },
  recharges: { noun: ['the recharge', '充值'], page: (id) => `/recharges/${id}/show` },
  'earlier-orders': { noun: ['the order before the move', '迁移前的订单'] },
  registrations: {
    noun: ['the registration request', '注册申请'],
    page: (id) => `/registrations/${id}/show`,
  },
  reports: { noun: ['the report', '举报'], page: (id) => `/reports/${id}/show` },
  roles: { noun: ['the role', '角色'], page: (id) => `/roles/${id}` },
  sanctions: { noun: ['the sanction', '处罚'], page: (id) => `/sanctions/${id}/show` },
  'sensitive-words': { noun: ['the sensitive word', '敏感词'], page: (id) => `/words/${id}` },
  settings: { noun: ['the settings', '设置'], page: () => '/settings' },
  tag_categories: { noun: ['the tag category', '标签分类'], page: (id) => `/tag-categories/${id}` },
  tags: { noun: ['the tag', '标签'], page: (id) => `/tags/${id}` },
  users: { noun: ['the account of', '账号'], page: (id) => `/people/${id}/show` },
  webhooks: { noun: ['the webhook', 'Webhook'], page: (id) => `/webhooks/${id}/show` },
  withdrawals: { noun: ['the withdrawal', '提现'], page: (id) => `/withdrawals/${id}/show` },
}

const VERBS: Record<string, Text> = {
  create: ['created', '创建了'],
  update: ['changed', '修改了'],
  delete: ['deleted', '删除了'],
  accept: ['accepted', '通过了'],
  reject: ['rejected', '驳回了'],
  check: ['started a check of', '开始检查'],
  download: ['downloaded', '下载了'],
  deal: ['handled', '处理了'],
  resolve: ['resolved', '处理了'],
  review: ['reviewed', '审核了'],
  hot: ['changed the hot mark of', '修改了热门标记：'],
  recommend: ['recommended', '推荐了'],
  unrecommend: ['stopped recommending', '取消推荐'],
  excellence: ['decided on', '处理了'],
  proposal: ['decided on', '处理了'],
  expert: ['changed the experts of', '修改了专家：'],
  end: ['ended', '停用了'],
  send: ['sent', '发送了'],
  withdraw: ['withdrew', '撤回了'],
  replay: ['resent deliveries of', '重新投递了'],
  rotate: ['replaced the secret of', '更换了密钥：'],
  reset: ['restored the original of', '恢复了原文：'],
  template: ['used the template for', '使用模板填写了'],
  restore: ['restored a version of', '恢复了旧版本：'],
  pass: ['accepted', '通过了'],
  'delete-comment': ['deleted', '删除了'],
}

/** Sentences by action. `{a}` is the actor and `{s}` the subject. */
const SENTENCES: Record<string, Text> = {
  'account-waves.delete': [
    '{a} decided to delete the accounts of {s} with their content',
    '{a} 决定删除{s}的账号及其内容',
  ],
  'account-waves.disable': ['{a} disabled the accounts of {s}', '{a} 停用了{s}的账号'],
  'account-waves.undo': ['{a} undid {s}', '{a} 撤销了{s}'],
  'backups.restore': ['{a} restored {s}', '{a} 恢复了{s}'],
  'sanctions.lift': ['{a} lifted a sanction on {s}', '{a} 解除了 {s} 的处罚'],
  'users.create': ['{a} created the account of {s}', '{a} 创建了账号 {s}'],
  'users.update': ['{a} changed the account of {s}', '{a} 修改了账号 {s}'],
  'users.famous': ['{a} marked {s} as famous', '{a} 将 {s} 设为名人'],
  'users.unfamous': ['{a} removed the famous mark of {s}', '{a} 取消了 {s} 的名人标记'],
  'users.sign-out': ['{a} signed {s} out', '{a} 强制 {s} 退出登录'],
  'users.second-factor-off': ['{a} turned off the two-step verification of {s}', '{a} 关闭了 {s} 的两步验证'],
  'settings.update': ['{a} changed {s}', '{a} 修改了{s}'],
  'feeds.comments.delete': ['{a} deleted {s} on a feed', '{a} 删除了动态下的{s}'],
  'news.deletion.accept': ['{a} accepted the request to delete {s}', '{a} 通过了删除{s}的申请'],
  'news.deletion.reject': ['{a} rejected the request to delete {s}', '{a} 驳回了删除{s}的申请'],
}

const SANCTIONED: Record<string, Text> = {
  warning: ['{a} warned {s}', '{a} 警告了 {s}'],
  silence: ['{a} silenced {s}', '{a} 禁言了 {s}'],
  suspension: ['{a} suspended {s}', '{a} 暂停了 {s} 的账号'],
}

const timeOf = (text: unknown) => Date.parse(`${String(text).replace(' ', 'T').replace(/Z$/, '')}Z`)

function periodOf(entry: AuditEntry, end: unknown): Text {
  if (typeof end !== 'string') return [' until lifted', '，直至解除']
  const hours = Math.round((timeOf(end) - timeOf(entry.created_at)) / 3_600_000)
  if (hours % 24 !== 0) return [` for ${plural(hours, 'hour')}`, `，为期 ${hours} 小时`]
  const days = hours / 24
  return [` for ${plural(days, 'day')}`, `，为期 ${days} 天`]
}

const withReason = ([en, zh]: Text, reason: unknown): Text =>
  typeof reason === 'string' && reason !== '' ? [`${en}: ${reason}`, `${zh}：${reason}`] : [en, zh]

export function sentenceOf(entry: AuditEntry): Text {
  const { action, after, before } = entry
  const reason = after?.mark ?? after?.remark ?? after?.reason ?? after?.answer ?? after?.reject_content
  if (action === 'sanctions.impose') {
    const known = SANCTIONED[String(after?.kind)]
    if (!known) return ['{a} sanctioned {s}', '{a} 处罚了 {s}']
    const [en, zh] = after?.kind === 'warning' ? ['', ''] : periodOf(entry, after?.ends_at)
    return withReason([`${known[0]}${en}`, `${known[1]}${zh}`], reason)
  }
  const [first = '', verb = ''] = [
    action.slice(0, action.indexOf('.')),
    action.slice(action.lastIndexOf('.') + 1),
  ]
  if (verb === 'adjust') {
    const currency = currencyName(first)
    const amount = Number(after?.amount ?? 0)
    const [en, zh] = (['en', 'zh'] as const).map((locale) => formatAmount(Math.abs(amount), currency, locale))
    return withReason(
      amount < 0
        ? [`{a} deducted ${en} from {s}`, `{a} 扣除了 {s} 的 ${zh}`]
        : [`{a} granted ${en} to {s}`, `{a} 向 {s} 发放了 ${zh}`],
      reason,
    )
  }
  const own = SENTENCES[action]
  if (own) return withReason(own, verb === 'reject' ? reason : (before?.reason ?? after?.reason))
  const [en, zh] = VERBS[verb] ?? [`did "${verb}" to`, `执行了“${verb}”：`]
  return withReason([`{a} ${en} {s}`, `{a} ${zh}{s}`], reason)
}

export const nounOf = (entry: AuditEntry): Text =>
  SUBJECTS[entry.subject_type]?.noun ?? [entry.subject_type, entry.subject_type]

export function nameOf(entry: AuditEntry): string {
  for (const name of [
    'name',
    'title',
    'subject',
    'word',
    'display_name',
    'network',
    'code',
    'url',
    'version',
    'slug',
  ])
    for (const side of [entry.after, entry.before]) {
      const value = side?.[name]
      if (typeof value === 'string' && value !== '')
        return value.length > 60 ? `${cutText(value, 60)}…` : value
    }
  if (entry.subject_type === 'settings') return ''
  return /^\d+$/.test(entry.subject_id) ? `#${entry.subject_id}` : entry.subject_id
}

export const pageOf = (entry: AuditEntry): string | undefined =>
  /\.delete$/.test(entry.action) && entry.after === null
    ? undefined
    : SUBJECTS[entry.subject_type]?.page?.(entry.subject_id)

export function differencesOf(entry: AuditEntry): { name: string; before: unknown; after: unknown }[] {
  const isObject = (value: unknown): value is Wire =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const compare = (before: Wire, after: Wire, path: string): ReturnType<typeof differencesOf> =>
    [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
      const [old, now] = [before[key], after[key]]
      if (JSON.stringify(old) === JSON.stringify(now)) return []
      const name = path ? `${path}.${key}` : key
      if (isObject(old) && isObject(now)) return compare(old, now, name)
      return [{ name, before: old, after: now }]
    })
  return compare(entry.before ?? {}, entry.after ?? {}, '')
}
