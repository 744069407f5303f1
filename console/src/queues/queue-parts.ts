import type { Wire } from '../api/client.ts'
import type { Text } from '../shell/text.ts'
import type { Decided, Queue, Verdict } from './queue.ts'

export const text = (value: unknown) => (typeof value === 'string' ? value : '')
const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
export const list = <T = Wire>(value: unknown) => (Array.isArray(value) ? (value as T[]) : [])
/** The one upload of a row that may have none. */
export const upload = (value: unknown) => (value ? [Number(value)] : [])

/** Whose content it is, by the field that holds the id. */
export const authorIn = (field: string) => (row: Wire) => number(row[field])

export const ACCEPT: Text = ['Accept', '通过']
export const REJECT: Text = ['Reject', '驳回']
export const REASON: Text = ['Reason', '理由']

type Fact = Queue['facts'][number]

export const personFact = (label: Text, name = 'user'): Fact => ({ label, name, as: 'person' })

/** What several queues tell of a row. */
export const FACTS = {
  asked: { label: ['Asked', '提交时间'], name: 'created_at', as: 'time' },
  points: { label: ['Points', '积分'], name: 'amount', as: 'number' },
  days: { label: ['Days', '天数'], name: 'day', as: 'number' },
  money: { label: ['Amount', '金额'], name: 'amount', as: 'number' },
  currency: { label: ['Currency', '币种'], name: 'currency', as: 'state' },
  kind: { label: ['Kind', '类型'], name: 'category.display_name' },
  person: personFact(['Person', '申请人']),
} as const satisfies Record<string, Fact>

/** A verdict that is one request about a row of `path`, or about what `below` names of it. */
export function verdict(
  label: Text,
  { verb = 'PATCH', path, below = '' }: { verb?: Decided['verb']; path: string; below?: string },
  body: (reason: string, row: Wire) => Wire,
  reason?: Verdict['reason'],
): Verdict {
  return {
    label,
    ...(reason ? { reason } : {}),
    call: (row, given) => ({ verb, path: `/admin/${path}/${row.id}${below}`, body: body(given, row) }),
  }
}

/** The verdicts of an operation that takes `action`, and a text beside it. */
export function actions(
  path: string,
  field?: string,
  words: { accept?: string; acceptLabel?: Text; rejectLabel?: Text } = {},
): { accept: Verdict; reject: Verdict } {
  const act = (label: Text, action: string) =>
    verdict(
      label,
      { path },
      (reason) => ({ action, ...(field && reason ? { [field]: reason } : {}) }),
      field ? { label: REASON } : undefined,
    )
  return {
    accept: act(words.acceptLabel ?? ACCEPT, words.accept ?? 'accept'),
    reject: act(words.rejectLabel ?? REJECT, 'reject'),
  }
}
