import type { Area } from '../../areas/area.ts'
import type { Text } from '../../shell/text.ts'
import { settingText } from '../settings/texts.ts'

/** Names of fields that no list or form of the console shows. */
const WORDS: Record<string, Text> = {
  abilities: ['Abilities', '权限'],
  action: ['Decision', '处理结果'],
  amount: ['Amount', '数额'],
  answer: ['Answer', '回答'],
  appeal: ['Appeal', '申诉'],
  body: ['Text', '正文'],
  contents: ['Contents', '内容'],
  credited: ['Credited', '入账数额'],
  currency: ['Currency', '币种'],
  day: ['Days', '天数'],
  deleted: ['Deleted', '已删除'],
  disabled: ['Disabled', '已禁用'],
  display_name: ['Displayed name', '显示名称'],
  email: ['E-mail address', '邮箱'],
  ends_at: ['End', '结束时间'],
  excellent: ['Featured', '精华'],
  expires_at: ['Expiry', '到期时间'],
  hours: ['Hours', '小时数'],
  id: ['Number', '编号'],
  kind: ['Kind', '种类'],
  language: ['Language', '语言'],
  mark: ['Reason for the applicant', '告知申请人的原因'],
  name: ['Name', '名称'],
  network: ['Network', '网段'],
  number: ['Number', '号码'],
  owner_id: ['Owner', '所有者'],
  password: ['Password', '密码'],
  phone: ['Phone number', '手机号'],
  reason: ['Reason', '原因'],
  reference: ['Reference', '凭据'],
  remark: ['Remark', '备注'],
  replace: ['Replacement', '替换为'],
  roles: ['Roles', '角色'],
  sanction: ['Sanction', '处罚'],
  sessions: ['Sessions', '会话'],
  sort_by: ['Position', '排序'],
  state: ['Status', '状态'],
  status: ['Status', '状态'],
  subject: ['Title', '标题'],
  title: ['Title', '标题'],
  to: ['Target', '目标'],
  type: ['Type', '类型'],
  user_id: ['User', '用户'],
  version: ['Version', '版本'],
}

/** Name of a field in words: of its setting, of its list or form, or of all records. */
export function fieldText(subject: string, path: string, areas: readonly Area[] = []): Text {
  if (subject === 'settings') return settingText(path).label
  const name = path.split('.').at(-1) ?? path
  const labelIn = (all: readonly Area[]) =>
    all.flatMap(({ fields = [], columns }) => [...fields, ...columns]).find((part) => part.name === name)
      ?.label
  const own = labelIn(areas.filter((area) => area.name === subject))
  const words = name.replaceAll('_', ' ')
  return own ?? WORDS[name] ?? labelIn(areas) ?? [words, words]
}

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** A value in words. Times are in UTC, as the record has them. */
export function valueText(value: unknown): Text {
  if (value === null || value === undefined || value === '') return ['—', '—']
  if (typeof value === 'boolean') return value ? ['yes', '是'] : ['no', '否']
  if (typeof value === 'string' && TIME.test(value)) return [`${value} UTC`, `${value} UTC`]
  if (Array.isArray(value)) {
    if (value.length === 0) return ['none', '无']
    const parts = value.map(valueText)
    return [parts.map(([en]) => en).join(', '), parts.map(([, zh]) => zh).join('、')]
  }
  if (typeof value !== 'object') return [String(value), String(value)]
  const parts = Object.entries(value).map(([name, inner]) => [fieldText('', name), valueText(inner)] as const)
  if (parts.length === 0) return ['none', '无']
  return [
    parts.map(([[name], [shown]]) => `${name}: ${shown}`).join('; '),
    parts.map(([[, name], [, shown]]) => `${name}：${shown}`).join('；'),
  ]
}
