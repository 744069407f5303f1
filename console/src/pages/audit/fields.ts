import type { Area, Choice, Shown } from '../../areas/area.ts'
import type { Text } from '../../shell/text.ts'
import { settingText } from '../settings/texts.ts'

type FieldOfRecord = { label: Text; as: Shown; choices?: readonly Choice[] }

/** Fields that no area of the console shows. */
const COMMON: Record<string, Text> = {
  abilities: ['Abilities', '权限'],
  accounts: ['Accounts', '账号数'],
  action: ['Action', '操作'],
  amount: ['Amount', '数额'],
  answer: ['Answer', '回复'],
  appeal: ['Appeal', '申诉'],
  audit: ['Decision', '审核结果'],
  audit_status: ['Decision', '审核结果'],
  balance: ['Balance', '余额'],
  body: ['Text', '正文'],
  contents: ['Contents', '内容'],
  created_at: ['Created', '创建时间'],
  credited: ['Credited', '入账数额'],
  currency: ['Currency', '币种'],
  day: ['Days', '天数'],
  deleted: ['Deleted', '已删除'],
  deleted_at: ['Deleted', '删除时间'],
  description: ['Description', '说明'],
  disabled: ['Disabled', '已禁用'],
  display_name: ['Label', '显示名称'],
  email: ['E-mail', '邮箱'],
  ended_at: ['Ended', '结束时间'],
  ends_at: ['Ends', '结束时间'],
  excellent: ['Featured', '精华'],
  expires_at: ['Expiry', '到期时间'],
  filters: ['Filters', '筛选条件'],
  hot_at: ['Marked as hot', '设为热门的时间'],
  hours: ['Hours', '小时数'],
  id: ['Number', '编号'],
  kind: ['Kind', '类型'],
  language: ['Language', '语言'],
  languages: ['Languages', '语言'],
  mark: ['Reason', '原因'],
  name: ['Name', '名称'],
  network: ['Network', '网段'],
  number: ['Number', '号码'],
  owner_id: ['Owner', '所有者'],
  processed: ['Finished accounts', '已处理账号数'],
  password: ['Password', '密码'],
  phone: ['Phone', '手机号'],
  place: ['Sort order', '排序'],
  reason: ['Reason', '原因'],
  reference: ['Reference', '凭据'],
  reject_content: ['Reason', '原因'],
  remark: ['Remark', '备注'],
  replace: ['Replacement', '替换为'],
  roles: ['Roles', '角色'],
  sanction: ['Sanction', '处罚'],
  sessions: ['Sessions', '会话'],
  sort_by: ['Position', '排序'],
  state: ['State', '状态'],
  status: ['State', '状态'],
  subject: ['Title', '标题'],
  subject_en: ['Subject in English', '英文标题'],
  subject_zh: ['Subject in Chinese', '中文标题'],
  text_en: ['Text in English', '英文正文'],
  text_zh: ['Text in Chinese', '中文正文'],
  title: ['Title', '标题'],
  to: ['Target', '目标'],
  type: ['Type', '类型'],
  updated_at: ['Changed', '更新时间'],
  url: ['Address', '地址'],
  user_id: ['User', '用户'],
  version: ['Version', '版本'],
}

const isTime = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.test(value)

const SHOWN = new Set<string | undefined>(['time', 'flag', 'points', 'money'])

/** Names the field of an audit record as the console does elsewhere, and says how to show its values. */
export function fieldOfRecord(
  areas: readonly Area[],
  subject: string,
  path: string,
  values: readonly unknown[],
): FieldOfRecord {
  const given = values.filter((value) => value !== null && value !== undefined)
  const as: Shown =
    given.length > 0 && given.every((value) => typeof value === 'boolean')
      ? 'flag'
      : given.length > 0 && given.every(isTime)
        ? 'time'
        : 'text'
  if (subject === 'settings') return { label: settingText(path).label, as }
  const area = areas.find(({ path: of }) => of === subject || of.replaceAll('-', '_') === subject)
  const parts = [...(area?.columns ?? []), ...(area?.fields ?? [])].filter(({ name }) => name === path)
  const name = path.split('.').at(-1) ?? path
  const own = parts[0]?.label ?? COMMON[path] ?? COMMON[name]
  const elsewhere = () =>
    areas.flatMap(({ fields = [], columns }) => [...fields, ...columns]).find((part) => part.name === name)
  const choices = parts.find((part) => part.choices)?.choices
  const label: Text = own ?? elsewhere()?.label ?? wordsOf(path)
  const shown = parts.find((part) => SHOWN.has(part.as))?.as as Shown | undefined
  return { label, as: shown ?? as, ...(choices ? { choices } : {}) }
}

/** A field without a label reads as words: `question.reward_rule` becomes `question reward rule`. */
const wordsOf = (path: string): Text => {
  const words = path.replaceAll(/[._:-]+/g, ' ').trim()
  return [words, words]
}

/** A list or an object in words. */
export function wordsOfParts(value: unknown): Text {
  if (value === null || value === undefined || value === '') return ['—', '—']
  if (typeof value === 'boolean') return value ? ['yes', '是'] : ['no', '否']
  if (isTime(value)) return [`${value} UTC`, `${value} UTC`]
  if (typeof value !== 'object') return [String(value), String(value)]
  const parts: Text[] = Array.isArray(value)
    ? value.map(wordsOfParts)
    : Object.entries(value).map(([name, inner]) => {
        const [label, shown] = [COMMON[name] ?? wordsOf(name), wordsOfParts(inner)]
        return [`${label[0]}: ${shown[0]}`, `${label[1]}：${shown[1]}`]
      })
  if (parts.length === 0) return ['none', '无']
  const [en, zh] = Array.isArray(value) ? [', ', '、'] : ['; ', '；']
  return [parts.map(([text]) => text).join(en), parts.map(([, text]) => text).join(zh)]
}
