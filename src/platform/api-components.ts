import { isDeepStrictEqual } from 'node:util'

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
