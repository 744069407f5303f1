import type { AnyRoute } from './route-options.ts'
import { type TObject, type TSchema, Type } from './schema.ts'

/**
 * Operations whose `message` is a text instead of a list with one text. Existing clients decode it strictly
 * (conventions-6).
 */
const TEXTS = new Set([
  'POST /feeds',
  'POST /feeds/:feed/comments',
  'POST /feeds/:feed/like',
  'POST /feeds/:feed/collections',
  'POST /feeds/:feed/new-rewards',
  'PATCH /feeds/:feed/comment-paid',
  'POST /news/:news/new-rewards',
  'POST /news/:news/currency-pinneds',
  'POST /news/:news/comments/:comment/currency-pinneds',
  'PATCH /news/:news/comments/:comment/currency-pinneds/:pinned',
  'POST /news/categories/:category/currency-news',
  'PUT /news/categories/:category/news/:news',
  'DELETE /news/categories/:category/news/:news',
  'POST /user/certification',
  'PATCH /user/certification',
  'POST /user/:user/new-rewards',
  'POST /around-amap',
  'POST /categories/:category/groups',
  'POST /groups/:group',
  'POST /groups/:group/posts',
  'PUT /groups/:group/posts/:post',
  'POST /group-posts/:post/comments',
  'POST /questions/:question/answers',
])

export const hasTextMessage = (operation: string): boolean => TEXTS.has(operation)

const schemas = new WeakMap<TSchema, TSchema>()

/** The schema of a reply, with `message` as a text. */
function textSchema(schema: TSchema): TSchema {
  const { properties, title } = schema as TObject & { title?: string }
  if (!properties?.message) return schema
  let made = schemas.get(schema)
  if (made === undefined) {
    made = Type.Object(
      { ...properties, message: Type.String() },
      title === undefined ? {} : { title: `${title}AsText` },
    )
    schemas.set(schema, made)
  }
  return made
}

export const textReplies = (replies: Record<number, TSchema>): Record<number, TSchema> =>
  Object.fromEntries(Object.entries(replies).map(([status, schema]) => [status, textSchema(schema)]))

const inText = (body: unknown): unknown => {
  const { message } = Object(body) as { message?: unknown }
  return Array.isArray(message) ? { ...(body as object), message: message[0] } : body
}

type Handler = AnyRoute['handler']
type Work = (...given: unknown[]) => Promise<unknown>

/** Wraps a handler, so that its reply and the stored reply of an idempotent operation have a text. */
export const withTextMessage =
  (handler: Handler): Handler =>
  async (call) => {
    const { atomically } = call as { atomically?: (work: Work, ...options: unknown[]) => unknown }
    if (!atomically) return inText(await handler(call))
    const inOneText = (work: Work, ...options: unknown[]) =>
      atomically(async (...given) => inText(await work(...given)), ...options)
    return handler(Object.assign({ ...call }, { atomically: inOneText }))
  }
