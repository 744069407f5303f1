import { Nullable, Shared, type TObject, Type } from '#platform/schema.ts'

const Id = Type.Integer()
const Words = Type.String()

/** Everything that a system notification can say besides what all say (notifications-9). */
export const FIELDS = {
  state: Words,
  subject: Words,
  remark: Words,
  ends_at: Words,
  amount: Type.Number(),
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
  answer: Shared('NotifiedAnswer', { id: Id, question_id: Type.Optional(Id) }),
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

/** A value in the form that a schema promises; undefined where it cannot be: older communities wrote what they liked. */
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

/** A field's value as its schema promises it, or undefined. */
export const fittedField = (name: Field, value: unknown): unknown => fitted(FIELDS[name] as Schema, value)

export const isField = (name: string): name is Field => Object.hasOwn(FIELDS, name)

/** What a field holds, as the rules write it: `group {id, name}`. */
export function fieldText(name: Field): string {
  const schema: object = FIELDS[name]
  const keys = Object.keys((schema as Partial<TObject>).properties ?? {})
  return `\`${name}${keys.length > 0 ? ` {${keys.join(', ')}}` : ''}\``
}

/** What there is to know of one system type; docs/rules/notifications.md has the same table (notifications-9). */
export type SystemNotice = {
  when: string
  who: string
  /** The fields of its `data`, each with what the rules say besides. */
  fields: Partial<Record<Field, string>>
  /** The code of notifications-8 in `resource.type`, as the rules write it. */
  resource: string
  /** A remark on `contents` or the like. */
  besides?: string
  /** How readers see it: clients know another name than the one it is stored and told to webhooks by. */
  shown?: { type: string; state?: 'passed' | 'rejected' }
  /** Clients know a refusal of this type by this word in `state`. */
  refused?: 'reject'
}
