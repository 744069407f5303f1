import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** Largest id and count that survive a JSON round trip (conventions-4). */
export const MAX_ID = Number.MAX_SAFE_INTEGER

/** A path or body id: a positive integer below 2^53. */
export const Id = Type.Integer({ minimum: 1, maximum: MAX_ID })

/** An id that filters a list; clients send 0 for any. */
export const FilterId = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_ID, 'x-any': 0, description: '0 is the same as absent' }),
)

/** An integer with both bounds, which every integer of a request needs. */
export const Int = (minimum: number, maximum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, ...options })

/** A cursor: zero, empty or missing means from the start (conventions-15). */
export const Cursor = Type.Optional(Int(0, MAX_ID))

/** A cursor on another field than the id of the last item, which the API description names as `x-key`. */
export const CursorBy = (key: string) => Type.Optional(Int(0, MAX_ID, { 'x-key': key }))

/** A parameter with its standard name and an older alias, which takes precedence. */
export const WithAlias = <T extends TSchema>(older: string, schema: T) =>
  Type.Optional({ ...schema, description: `The same as \`${older}\``, 'x-same-as': older } as T)

/** A page size: 1..100, else 422; absent means the documented default (conventions-14). */
export const Limit = (standard = 15) => Type.Optional(Int(1, 100, { default: standard }))

/** A row offset, for specified lists only. */
export const Offset = Type.Optional(Int(0, 1_000_000_000, { default: 0 }))

/** A page number; anything that is not a positive integer is page 1 (conventions-16). */
export const Page = Type.Optional(
  Type.Unsafe<number>({ type: 'integer', minimum: 1, maximum: 1_000_000, default: 1, 'x-page': true }),
)

export const Direction = Type.Optional(
  Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
)

/** Text: trimmed, counted in Unicode characters; invisible text counts as absent. */
export const Text = (maxLength: number, options: object = {}) => Type.String({ maxLength, ...options })

/** Text taken as typed, not trimmed (passwords; conventions-20). */
export const RawText = (maxLength: number, options: object = {}) =>
  Type.String({ maxLength, 'x-raw': true, ...options })

/** Pattern of a link, which excludes `javascript:` and the like. */
export const ADDRESS_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/]\\S*$'

export const Address = (maxLength = 2000, options: object = {}) =>
  Text(maxLength, { pattern: ADDRESS_PATTERN, ...options })

export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

/** A boolean as true, false, 1, 0, "1" or "0" (conventions-18). */
export const Flag = () => Type.Boolean()

/** Ids as `1,2`, `["1", 2]`, `id[]=1&id[]=2`, `id[0]=1&id[1]=2` or `id=1&id=2` (conventions-19). */
export const IdList = (maxItems = 100, options: object = {}) =>
  Type.Unsafe<number[]>({
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: MAX_ID },
    maxItems,
    'x-list': true,
    ...options,
  })

/** The same forms of a list, for strings. */
export const TextList = (maxItems: number, maxLength: number, options: object = {}) =>
  Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', maxLength },
    maxItems,
    'x-list': true,
    ...options,
  })

/** The schema or null, as a type list, which the serializer handles without a validator. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  })
}

/** An empty reply body, for 204 and 202. */
export const Empty = Type.Unsafe<void>({ type: 'null', description: 'No body' })

/** An object schema with a name, which the API description lists once for all operations. */
export const Shared = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { title })

/** The body of an acknowledged success (conventions-6). */
export const Message = Shared('Message', { message: Type.Array(Type.String()) })

/** The same with the id of the created row. */
export const MessageWithId = Shared('MessageWithId', {
  message: Type.Array(Type.String()),
  id: Type.Integer(),
})

/** Id of the created record (administration-3). */
export const Created = Shared('Created', { id: Type.Integer() })

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const Time = Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' })

/** `YYYY-MM-DDTHH:MM:SSZ`, for topics and notifications. */
export const ZuluTime = Type.String({ description: 'UTC, YYYY-MM-DDTHH:MM:SSZ' })

/** Any object, for values whose keys are open (settings, audit records). */
export const OpenObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export type { Static, TObject, TProperties, TSchema }
export { Type }
