import { Box, Chip } from '@mui/material'
import { useLocaleState } from 'react-admin'
import { Link } from 'react-router'
import type { Wire } from '../api/client.ts'
import { fileAddressOf } from '../api/pictures.ts'
import type { Choice, Shown } from '../areas/area.ts'
import { type Currency, formatAmount } from './money.ts'
import { Picture } from './picture.tsx'
import { Sound } from './sound.tsx'
import { useText } from './text.ts'

export function valueAt(row: Wire, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Wire | null | undefined)?.[key], row)
}

const TONES = { good: 'success', bad: 'error', wait: 'warning', quiet: 'default' } as const

const STATES: Record<string, { name: readonly [string, string]; tone: keyof typeof TONES }> = {
  pending: { name: ['pending', '待处理'], tone: 'wait' },
  waiting: { name: ['pending', '待审核'], tone: 'wait' },
  passed: { name: ['accepted', '已通过'], tone: 'good' },
  accepted: { name: ['accepted', '已通过'], tone: 'good' },
  active: { name: ['active', '生效中'], tone: 'good' },
  confirmed: { name: ['confirmed', '已确认'], tone: 'good' },
  delivered: { name: ['delivered', '已送达'], tone: 'good' },
  sent: { name: ['sent', '已发送'], tone: 'good' },
  done: { name: ['done', '已完成'], tone: 'good' },
  paid: { name: ['paid', '已支付'], tone: 'good' },
  held: { name: ['in escrow', '托管中'], tone: 'wait' },
  failed: { name: ['failed', '失败'], tone: 'bad' },
  rejected: { name: ['rejected', '已驳回'], tone: 'bad' },
  dead: { name: ['given up', '已放弃'], tone: 'bad' },
  open: { name: ['open', '未处理'], tone: 'wait' },
  resolved: { name: ['resolved', '已处理'], tone: 'good' },
  expired: { name: ['expired', '已过期'], tone: 'quiet' },
  cancelled: { name: ['cancelled', '已取消'], tone: 'quiet' },
  none: { name: ['none', '无'], tone: 'quiet' },
  points: { name: ['points', '积分'], tone: 'quiet' },
  wallet: { name: ['wallet', '钱包'], tone: 'quiet' },
  warning: { name: ['warning', '警告'], tone: 'quiet' },
  users: { name: ['user', '用户'], tone: 'quiet' },
  feeds: { name: ['feed', '动态'], tone: 'quiet' },
  'chat-messages': { name: ['chat message', '聊天消息'], tone: 'quiet' },
  comments: { name: ['comment', '评论'], tone: 'quiet' },
  news: { name: ['article', '资讯'], tone: 'quiet' },
  questions: { name: ['question', '问题'], tone: 'quiet' },
  'question-answers': { name: ['answer', '回答'], tone: 'quiet' },
  groups: { name: ['group', '圈子'], tone: 'quiet' },
  'group-posts': { name: ['group post', '圈子帖子'], tone: 'quiet' },
  feed_topics: { name: ['topic', '话题'], tone: 'quiet' },
  silence: { name: ['silence', '禁言'], tone: 'wait' },
  suspension: { name: ['suspension', '封禁'], tone: 'bad' },
}

export function timeOf(value: unknown): Date | null {
  if (typeof value !== 'string' || value === '') return null
  const date = new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(date.getTime()) ? null : date
}

const CURRENCY_COLUMNS = { charged: 'charge_currency', found: 'found_currency', fee: 'fee_currency' } as const

export const currencyOf = (as: Shown, row: Wire): Currency =>
  as === 'charged' || as === 'found' || as === 'fee'
    ? String(row[CURRENCY_COLUMNS[as]] ?? row.charge_currency ?? 'wallet')
    : as === 'money' || (as === 'amount' && row.currency === 'wallet')
      ? 'wallet'
      : 'points'

const AMOUNTS = ['points', 'money', 'amount', 'charged', 'found', 'fee'] as const
export type AmountShown = (typeof AMOUNTS)[number]

export const isAmount = (as: Shown | undefined): as is AmountShown =>
  (AMOUNTS as readonly unknown[]).includes(as)

export function Value({
  value,
  as = 'text',
  choices,
  row = {},
}: {
  value: unknown
  as?: Shown
  row?: Wire
  choices?: readonly Choice[]
}) {
  const t = useText()
  const [locale] = useLocaleState()
  const choice = choices?.find(({ id }) => id === value)
  if (choice) return <Tag label={t(choice.name)} tone={choice.tone ?? 'quiet'} />
  if (value === null || value === undefined || value === '')
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        —
      </Box>
    )
  switch (as) {
    case 'time': {
      const date = timeOf(value)
      return date ? (
        <time dateTime={date.toISOString()} title={date.toLocaleString(locale)}>
          {date.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })}
        </time>
      ) : (
        String(value)
      )
    }
    case 'number':
      return (
        <span style={{ fontVariantNumeric: 'tabular-nums' }}>{Number(value).toLocaleString(locale)}</span>
      )
    case 'points':
    case 'money':
    case 'amount':
    case 'charged':
    case 'found':
    case 'fee': {
      const currency = currencyOf(as, row)
      return (
        <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
          {formatAmount(Number(value), currency, locale)}
        </span>
      )
    }
    case 'flag':
      return value && value !== 0 ? (
        <Tag label={t(['yes', '是'])} tone="good" />
      ) : (
        <Tag label={t(['no', '否'])} tone="quiet" />
      )
    case 'state': {
      const state = STATES[String(value)]
      return <Tag label={state ? t(state.name) : String(value)} tone={state?.tone ?? 'quiet'} />
    }
    case 'person': {
      const { id, name } = (typeof value === 'object' ? value : { id: value, name: `#${value}` }) as Wire
      return Number(id) > 0 ? (
        <Box
          component={Link}
          to={`/people/${id}/show`}
          onClick={(event) => event.stopPropagation()}
          sx={{ color: 'primary.main' }}
        >
          {String(name ?? `#${id}`)}
        </Box>
      ) : (
        '—'
      )
    }
    case 'picture': {
      const url = fileAddressOf(value)
      return url ? <Picture url={url} alt="" height={36} width={36} /> : '—'
    }
    case 'upload':
      return <Picture id={Number(value)} alt="" height={36} width={36} />
    case 'sound':
      return <Sound id={Number(value)} />
    case 'list':
      return (Array.isArray(value) ? value : [value])
        .map((each) =>
          typeof each === 'object' && each !== null ? ((each as Wire).name ?? JSON.stringify(each)) : each,
        )
        .join(t([', ', '、']))
    case 'code':
      return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
    case 'long':
      return (
        <Box
          component="span"
          dir="auto"
          sx={{
            display: '-webkit-box',
            WebkitLineClamp: 2,
            WebkitBoxOrient: 'vertical',
            overflow: 'hidden',
            overflowWrap: 'anywhere',
          }}
        >
          {String(value)}
        </Box>
      )
    default:
      // Breaks only long words, because `anywhere` would also break short words in a narrow column.
      return (
        <span dir="auto" style={LONG_WORD.test(String(value)) ? { overflowWrap: 'anywhere' } : {}}>
          {String(value)}
        </span>
      )
  }
}

const LONG_WORD = /\S{20}/

function Tag({ label, tone }: { label: string; tone: keyof typeof TONES }) {
  return <Chip size="small" variant="outlined" color={TONES[tone]} label={label} />
}
