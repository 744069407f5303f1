import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { TextFormat } from '#lib/markup/parse.ts'
import type { TextTree } from '#lib/markup/tree.ts'

/** Largest integer that JavaScript clients parse exactly (conventions-4). */
export const MAX_ID = Number.MAX_SAFE_INTEGER

export const Id = Type.Integer({ minimum: 1, maximum: MAX_ID })

export const Int = (minimum: number, maximum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, ...options })

export const FilterId = Type.Optional(Int(1, MAX_ID, { 'x-any': 0, description: '0 is the same as absent' }))

/** 0 or an absent cursor starts at the beginning of the list (conventions-15). */
export const Cursor = Type.Optional(Int(0, MAX_ID))

/** Cursor with the value of a field other than the id. OpenAPI names the field in `x-key`. */
export const CursorBy = (key: string) => Type.Optional(Int(0, MAX_ID, { 'x-key': key }))

/** Declares a newer name of the parameter `older`. The older name takes precedence when a request has both. */
export const WithAlias = <T extends TSchema>(older: string, schema: T) =>
  Type.Optional({ ...schema, description: `The same as \`${older}\``, 'x-same-as': older } as T)

/** Page size (conventions-14). */
export const Limit = (standard = 15) => Type.Optional(Int(1, 100, { default: standard }))

export const Offset = Type.Optional(Int(0, 1_000_000_000, { default: 0 }))

/** Page number. Anything but a positive integer counts as page 1 (conventions-16). */
export const Page = Type.Optional(
  Type.Unsafe<number>({ type: 'integer', minimum: 1, maximum: 1_000_000, default: 1, 'x-page': true }),
)

export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

export const Direction = Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' }))

/** Trimmed text. `maxLength` counts Unicode characters, and invisible text counts as absent. */
export const Text = (maxLength: number, options: object = {}) => Type.String({ maxLength, ...options })

/** Untrimmed text, for passwords (conventions-20). */
export const RawText = (maxLength: number, options: object = {}) =>
  Type.String({ maxLength, 'x-raw': true, ...options })

/** Pattern of an http or https URL, to exclude `javascript:` URLs. */
export const ADDRESS_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/]\\S*$'

export const Address = (maxLength = 2000, options: object = {}) =>
  Text(maxLength, { pattern: ADDRESS_PATTERN, ...options })

/** Accepts true, false, 1 and 0, and these as text (conventions-18). */
export const Flag = () => Type.Boolean()

const listOf = <T extends TSchema>(items: T, maxItems: number, options: object) =>
  Type.Unsafe<Static<T>[]>({ type: 'array', items, maxItems, 'x-list': true, ...options })

/** Accepts `1,2`, `["1", 2]`, `id[]=1&id[]=2`, `id[0]=1&id[1]=2` and `id=1&id=2` (conventions-19). */
export const IdList = (maxItems = 100, options: object = {}) => listOf(Id, maxItems, options)

export const TextList = (maxItems: number, maxLength: number, options: object = {}) =>
  listOf(Text(maxLength), maxItems, options)

/** Adds null as a type, because the serializer would need a validator for `anyOf`. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  })
}

export const Empty = Type.Unsafe<void>({ type: 'null', description: 'No body' })

export const Shared = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { title })

/** Success message in the client's language (conventions-6). */
export const Message = Shared('Message', { message: Type.Array(Type.String()) })

export const MessageWithId = Shared('MessageWithId', {
  message: Type.Array(Type.String()),
  id: Type.Integer(),
})

/** Response body with the id of a created row (administration-3). */
export const Created = Shared('Created', { id: Type.Integer() })

export const Time = Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' })

export const ZuluTime = Type.String({ description: 'UTC, YYYY-MM-DDTHH:MM:SSZ' })

export const OpenObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** OpenAPI describes the nodes as `TextNode`. The serializer writes them as they are. */
export const TextNodes = Type.Unsafe<TextTree>({ type: 'array', items: {}, 'x-tree': true })

/** `of` is the type of the content whose id is the `id` beside the text. */
export type TextMark = { of: string; format: TextFormat }

/** A member's text, and its tree for requests with `trees` (conventions-43). */
export const MemberText = <N extends string, T extends TSchema>(name: N, mark: TextMark, schema: T) =>
  ({
    // Spreading the schema would lose the hidden property that makes a field optional.
    [name]: Object.defineProperties({ 'x-text': mark }, Object.getOwnPropertyDescriptors(schema)),
    [`${name}_tree`]: Type.Optional(TextNodes),
  }) as { [K in N]: T } & { [K in `${N}_tree`]: ReturnType<typeof Type.Optional<typeof TextNodes>> }

export type { Static, TObject, TProperties, TSchema }
export { Type }
