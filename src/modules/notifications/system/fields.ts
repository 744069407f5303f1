import type { Text } from '#platform/errors.ts'
import { Nullable, Shared, type TObject, Type } from '#platform/http'

const Id = Type.Integer()
const Words = Type.String()

export const FIELDS = {
  state: Words,
  subject: Words,
  remark: Words,
  ends_at: Words,
  amount: Type.Number({ description: 'In points; with `purchase` in fen: 15000 is 150.00 CNY' }),
  unit: Words,
  channel: Words,
  raw: Id,
  feed_id: Id,
  group_id: Id,
  user: Shared('NotifiedUser', { id: Id, name: Type.Optional(Words) }),
  feed: Shared('NotifiedFeed', { id: Id }),
  comment: Shared('NotifiedComment', { id: Id, contents: Words }),
  news: Shared('NotifiedNews', { id: Id, title: Words }),
  question: Shared('NotifiedQuestion', { id: Id, subject: Words }),
  answer: Shared('NotifiedAnswer', { id: Id, question_id: Type.Optional(Id), body: Type.Optional(Words) }),
  topic: Shared('NotifiedTopic', { id: Id, name: Words }),
  topic_application: Shared('NotifiedTopicApplication', { id: Id, name: Words, mark: Nullable(Words) }),
  application: Shared('NotifiedQuestionApplication', {
    question_id: Id,
    question: Shared('NotifiedQuestionSubject', { subject: Words }),
  }),
  group: Shared('NotifiedGroup', { id: Id, name: Words }),
  post: Shared('NotifiedPost', { id: Id, title: Words }),
  certification: Shared('NotifiedCertification', { id: Id }),
  notice: Shared('NotifiedNotice', { id: Id }),
} as const

export type Field = keyof typeof FIELDS

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
}

/**
 * Returns undefined for a value that does not fit the schema, because older versions stored arbitrary values.
 */
function fitted({ type, properties, required, anyOf }: Schema, value: unknown): unknown {
  if (anyOf) return anyOf.map((option) => fitted(option, value)).find((found) => found !== undefined)
  const kinds = [type].flat()
  if (value === null) return kinds.includes('null') ? null : undefined
  if (kinds.includes('string'))
    return typeof value === 'string' ? value : typeof value === 'number' ? `${value}` : undefined
  if (!properties) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    const fits = kinds.includes('integer') ? Number.isSafeInteger(number) : Number.isFinite(number)
    return fits ? number : undefined
  }
  if (typeof value !== 'object') return undefined
  const found = Object.entries(properties)
    .map(([name, schema]) => [name, fitted(schema, (value as Record<string, unknown>)[name])] as const)
    .filter(([, each]) => each !== undefined)
  const fields = Object.fromEntries(found)
  return required?.every((name) => name in fields) ? fields : undefined
}

export const fittedField = (name: Field, value: unknown): unknown => fitted(FIELDS[name] as Schema, value)

export const isField = (name: string): name is Field => Object.hasOwn(FIELDS, name)

export function fieldText(name: Field): string {
  const schema: object = FIELDS[name]
  const keys = Object.keys((schema as Partial<TObject>).properties ?? {})
  return `\`${name}${keys.length > 0 ? ` {${keys.join(', ')}}` : ''}\``
}

/**
 * Definition of a type of system notification. docs/rules/notifications.md lists all types in a table
 * (notifications-9).
 */
export type SystemNotice = {
  /** Sentence by state. The state of the empty name is the default. */
  texts: Readonly<Record<string, Text>>
  when: string
  who: string
  fields: Partial<Record<Field, string>>
  resource: string
  besides?: string
  shown?: Shown
  /** True if stored `contents` are only a reason. Clients then receive the default text and the reason. */
  explained?: boolean
  /** True if the notification tells of a deletion, and therefore outlives the content. */
  ofDeletion?: boolean
}

/**
 * Type and state that clients receive instead of the stored ones. With `states`, applies only to these stored
 * states.
 */
type Shown = { type: string; state?: 'passed' | 'rejected'; states?: readonly string[] }

/**
 * Type that clients receive instead of a type that they do not know. Clients display its text unchanged and
 * open no page.
 */
export const AS_TEXT = { type: 'news:audit' } as const satisfies Shown

export const DECIDED = '`passed`, `rejected`'
export const decided = (en: string, zh: string) => ({
  passed: { en: `${en} was accepted.`, zh: `${zh}已通过。` },
  rejected: { en: `${en} was rejected.`, zh: `${zh}未通过。` },
})
export const GIFT = { amount: '' } as const
/** Sends a rejection as plain text, because some clients would display it as an acceptance. */
export const REFUSED_AS_TEXT = { ...AS_TEXT, states: ['rejected'] } as const
/** Sends both decisions as plain text, because one client displays each of them as the other. */
export const DECIDED_AS_TEXT = { ...AS_TEXT, states: ['passed', 'rejected'] } as const
