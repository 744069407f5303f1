import { isDeepStrictEqual } from 'node:util'
import type { DeclaredError } from '#platform/errors.ts'
import type { Documented } from '#platform/http/route-options.ts'

type Json = { [name: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

const ERROR = {
  title: 'Error',
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    errors: {
      description: 'what is wrong with each field, where the input was refused (422)',
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
}

const ERROR_REPLY = {
  description: 'Anything that went wrong; `X-Error-Code` says what in one word',
  headers: { 'X-Error-Code': { schema: { type: 'string' } } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

/**
 * Makes of each object with a title (`Shared`) one schema under components, and points to it from wherever it stands;
 * without that the document is many times as long. Gives every operation the error reply too.
 */
export function shareComponents<T extends object>(document: T): T {
  const { paths = {}, components = {}, ...rest } = document as Json
  const schemas: Json = {}

  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share)
    if (!isJson(value)) return value
    const inner: Json = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, share(item)]))
    const { title, type } = inner
    const isNullable = Array.isArray(type) && type.length === 2 && type[0] === 'object' && type[1] === 'null'
    if (typeof title !== 'string' || !isJson(inner.properties) || !(type === 'object' || isNullable))
      return inner
    const schema = { ...inner, type: 'object' }
    schemas[title] ??= schema
    if (!isDeepStrictEqual(schemas[title], schema)) throw new Error(`Two schemas have the title ${title}`)
    const reference = { $ref: `#/components/schemas/${title}` }
    return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  const shared = share(paths) as Record<string, Record<string, { responses?: Json }>>
  for (const operations of Object.values(shared))
    for (const operation of Object.values(operations))
      operation.responses = { ...operation.responses, default: { $ref: '#/components/responses/Error' } }
  const sorted = Object.fromEntries(
    Object.entries({ ...schemas, Error: ERROR }).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return {
    ...rest,
    components: { ...(components as Json), schemas: sorted, responses: { Error: ERROR_REPLY } },
    paths: shared,
  } as T
}

type Operation = {
  operationId?: string
  requestBody?: { content?: Record<string, Json> }
  responses?: Record<string, Json & { content?: Record<string, { schema?: Json }> }>
}

/** Error replies that stand once in the document. */
const COMMON = new Set([
  'too_many_requests',
  'unauthenticated',
  'validation_failed',
  'not_found',
  'forbidden',
])

/** An error reply with the codes that callers meet, and what each means. */
function errorReply(found: readonly DeclaredError[]): Json {
  const codes = [...new Map(found.map((error) => [error.code, error.text.en]))]
  return {
    description: codes.map(([code, text]) => `\`${code}\`: ${text}`).join('\n\n'),
    headers: { 'X-Error-Code': { schema: { type: 'string', enum: codes.map(([code]) => code) } } },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

const SUCCESS: Record<string, string> = { 201: 'Created.', 202: 'Accepted.', 204: 'Done; there is no body.' }

/** Says in a few words what a success answers, where the route does not. */
function successText(status: string, schema: Json | undefined): string {
  const nameOf = (value: unknown) =>
    String((isJson(value) ? value.$ref : '') ?? '')
      .split('/')
      .at(-1)
  const inner = schema?.type === 'array' ? nameOf(schema.items) : nameOf(schema)
  const what = inner ? (schema?.type === 'array' ? `A list of ${inner}.` : `${inner}.`) : undefined
  return [SUCCESS[status], what].filter(Boolean).join(' ') || 'Success.'
}

/** Tells of each operation what its successes answer and which errors callers meet, with their codes. */
export function describeReplies<T extends object>(document: T, documented: Map<string, Documented>): T {
  const { paths = {}, components = {} } = document as {
    paths?: Record<string, Record<string, Operation>>
    components?: { responses?: Json }
  }
  const shared: Json = { ...components.responses }
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations)) {
      const route = documented.get(operation.operationId ?? '')
      const responses = operation.responses ?? {}
      for (const [status, response] of Object.entries(responses))
        if (/^2/.test(status)) {
          const schema = response.content?.['application/json']?.schema
          response.description = route?.returns ?? successText(status, schema)
        }
      const errors = Object.groupBy(route?.errors ?? [], ({ status }) => String(status))
      for (const [status, found = []] of Object.entries(errors)) {
        const reply = errorReply(found)
        // What many operations answer alike stands once, under the name of its codes.
        const name = found.map(({ code }) => code).join('_or_')
        if (COMMON.has(name)) {
          shared[name] = reply
          responses[status] = { $ref: `#/components/responses/${name}` }
        } else responses[status] = reply
      }
      const json = operation.requestBody?.content?.['application/json']
      if (json && route?.example !== undefined) json.example = route.example
    }
  return { ...document, components: { ...components, responses: shared } }
}
