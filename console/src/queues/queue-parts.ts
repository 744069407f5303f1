import type { Wire } from '../api/client.ts'
import type { Text } from '../shell/text.ts'
import type { Decided, Queue, Verdict } from './queue.ts'

export const text = (value: unknown) => (typeof value === 'string' ? value : '')
const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
export const list = <T = Wire>(value: unknown) => (Array.isArray(value) ? (value as T[]) : [])
export const upload = (value: unknown) => (value ? [Number(value)] : [])

export const authorIn = (field: string) => (row: Wire) => number(row[field])

export const ACCEPT: Text = ['Accept', '通过']
export const REJECT: Text = ['Reject', '驳回']
export const REASON: Text = ['Reason', '理由']

type Fact = Queue['facts'][number]

export const personFact = (label: Text, name = 'user'): Fact => ({ label, name, as: 'person' })

export const FACTS = {
  asked: { label: ['Submitted', '提交时间'], name: 'created_at', as: 'time' },
  points: { label: ['Points', '积分'], name: 'amount', as: 'points' },
  days: { label: ['Days', '天数'], name: 'day', as: 'number' },
  kind: { label: ['Type', '类型'], name: 'category.display_name' },
  person: personFact(['Applicant', '申请人']),
} as const satisfies Record<string, Fact>

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
