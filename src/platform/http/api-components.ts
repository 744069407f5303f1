import { isDeepStrictEqual } from 'node:util'
import type { DeclaredError } from '#platform/errors.ts'
import type { Documented } from './route-options.ts'

type Json = { [name: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

const ERROR = {
  title: 'Error',
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    errors: {
      description: 'Problems of each field when the input is rejected (422)',
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    reason: {
      description: 'Reason of the sanction, with `silenced` and `account_suspended`',
      type: 'string',
    },
    ends_at: {
      description: 'UTC, YYYY-MM-DD HH:MM:SS; null for no end; with `silenced` and `account_suspended`',
      type: ['string', 'null'],
    },
  },
}

const UNPAID_ERROR = {
  title: 'UnpaidError',
  type: 'object',
  required: ['message', 'paid_node', 'amount'],
  properties: {
    message: { type: 'string' },
    paid_node: {
      description:
        'Id of the paid node: `POST /currency/purchases/{node}` pays with points, `POST /purchases/{node}` from the wallet',
      type: 'integer',
    },
    amount: {
      description: 'Price in points, or in as many fen when the wallet pays: 150 is 150 points or 1.50 CNY',
      type: 'integer',
    },
  },
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const ERROR_REPLY = {
  description: 'An error, identified by the header `X-Error-Code`',
  headers: { 'X-Error-Code': { schema: { type: 'string' } } },
  content: { 'application/json': { schema: refTo('Error') } },
}

const NODES = { type: 'array', items: refTo('TextNode') }
const TEXT = { type: 'string' }
const INTEGER = { type: 'integer' }

const node = (types: string[], properties: Json, optional: string[] = []): Json => ({
  type: 'object',
  required: ['type', ...Object.keys(properties).filter((name) => !optional.includes(name))],
  properties: { type: { type: 'string', enum: types }, ...properties },
})

/** The nodes of `src/lib/markup/tree.ts`, in which a string is text. */
const NODE_SCHEMAS: Record<string, Json> = {
  TextPart: node(['strong', 'emphasis', 'deletion', 'paragraph', 'quote'], { nodes: NODES }),
  TextCode: node(['code'], { text: TEXT, block: { type: 'boolean', enum: [true] } }, ['block']),
  TextLink: node(['link'], { href: TEXT, nodes: NODES }),
  TextMention: node(['mention'], {
    user: INTEGER,
    name: { ...TEXT, description: 'Current name, without @' },
  }),
  TextTopic: node(['topic'], { topic: INTEGER, name: { ...TEXT, description: 'Current name, without #' } }),
  TextUpload: node(
    ['upload'],
    {
      file: { ...INTEGER, description: 'For `GET /files/{id}`' },
      title: TEXT,
      width: INTEGER,
      height: INTEGER,
    },
    ['width', 'height'],
  ),
  TextImage: node(['image'], {
    href: { ...TEXT, description: 'Picture of another site, to be shown as a link' },
    title: TEXT,
  }),
  TextBreak: node(['break', 'rule'], {}),
  TextHeading: node(['heading'], {
    level: { ...INTEGER, description: 'From 1, without gaps' },
    anchor: TEXT,
    nodes: NODES,
  }),
  TextList: node(['list'], { start: INTEGER, items: { type: 'array', items: NODES } }, ['start']),
  TextTable: node(['table'], {
    align: {
      type: 'array',
      items: { type: ['string', 'null'], enum: ['left', 'center', 'right', null] },
    },
    rows: {
      type: 'array',
      items: { type: 'array', items: NODES },
      description: 'The first row is the header',
    },
  }),
}

const TEXT_NODES: Record<string, Json> = {
  TextNode: {
    description: 'A part of a text of members. A string is text.',
    anyOf: [TEXT, ...Object.keys(NODE_SCHEMAS).map(refTo)],
  },
  ...Object.fromEntries(Object.entries(NODE_SCHEMAS).map(([title, schema]) => [title, { title, ...schema }])),
}

type Operation = {
  'x-alias-of'?: string
  operationId?: string
  requestBody?: { content?: Record<string, Json> }
  responses?: Record<string, Json & { content?: Record<string, { schema?: Json; examples?: unknown }> }>
}

type Paths = Record<string, Record<string, Operation>>

/** Moves object schemas that have a title to `schemas` and refers to them, to keep the document small. */
export function shareSchemas(paths: Paths, schemas: Record<string, Json>): Paths {
  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share)
    if (!isJson(value)) return value
    const inner: Json = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, share(item)]))
    if (inner['x-tree']) return NODES
    const { title, type } = inner
    const isNullable = Array.isArray(type) && type.length === 2 && type[0] === 'object' && type[1] === 'null'
    if (typeof title !== 'string' || !isJson(inner.properties) || !(type === 'object' || isNullable))
      return inner
    const schema = { ...inner, type: 'object' }
    schemas[title] ??= schema
    if (!isDeepStrictEqual(schemas[title], schema)) throw new Error(`Two schemas have the title ${title}`)
    return isNullable ? { anyOf: [refTo(title), { type: 'null' }] } : refTo(title)
  }
  return share(paths) as Paths
}

const COMMON = new Set([
  'too_many_requests',
  'unauthenticated',
  'validation_failed',
  'not_found',
  'forbidden',
])

function errorReply(found: readonly DeclaredError[]): Json {
  const codes = [...new Map(found.map((error) => [error.code, error.text.en]))]
  const unpaid = found.filter(({ adds }) => adds?.includes('paid_node')).map(({ code }) => code)
  return {
    description: codes.map(([code, text]) => `\`${code}\`: ${text}`).join('\n\n'),
    headers: { 'X-Error-Code': { schema: { type: 'string', enum: codes.map(([code]) => code) } } },
    content: {
      'application/json': {
        schema: unpaid.length > 0 ? { anyOf: [refTo('UnpaidError'), refTo('Error')] } : refTo('Error'),
      },
    },
    ...(unpaid.length > 0 ? { 'x-unpaid-codes': unpaid } : {}),
  }
}

const SUCCESS: Record<string, string> = { 201: 'Created.', 202: 'Accepted.', 204: 'Success without a body.' }

function successText(status: string, schema: Json | undefined): string {
  const isList = schema?.type === 'array'
  const { $ref = '' } = ((isList ? schema.items : schema) ?? {}) as { $ref?: string }
  const name = $ref.split('/').at(-1)
  const what = name && (isList ? `A list of ${name}.` : `${name}.`)
  return [SUCCESS[status], what].filter(Boolean).join(' ') || 'Success.'
}

type Examples = {
  operations: Record<string, { request?: unknown; reply?: Record<string, unknown> }>
  schemas: Record<string, unknown>
}

/** Completes the generated document with shared schemas, errors and examples. */
export function completeDocument<T extends object>(
  document: T,
  documented: Map<string, Documented>,
  examples: Examples,
): T {
  const { paths: declared = {}, components, ...rest } = document as { paths?: Paths; components?: Json }
  const schemas: Record<string, Json> = { Error: ERROR, UnpaidError: UNPAID_ERROR, ...TEXT_NODES }
  const paths = shareSchemas(declared, schemas)
  for (const [title, schema] of Object.entries(schemas))
    if (examples.schemas[title] !== undefined) schema.examples = [examples.schemas[title]]
  const shared: Json = { Error: ERROR_REPLY }
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    const route = documented.get(operation.operationId ?? '')
    const responses = operation.responses ?? {}
    const isAlias = operation['x-alias-of'] !== undefined
    const example = isAlias || !route ? undefined : examples.operations[route.operation]
    for (const [status, response] of Object.entries(responses))
      if (/^2/.test(status)) {
        const reply = response.content?.['application/json']
        const shown = example?.reply?.[status]
        // RapiDoc fails on a single `example` that has null fields.
        if (reply && shown !== undefined) reply.examples = { example: { value: shown } }
        response.description = route?.returns ?? successText(status, reply?.schema)
      }
    const errors = Object.groupBy(route?.errors ?? [], ({ status }) => String(status))
    for (const [status, found = []] of Object.entries(errors)) {
      const name = found.map(({ code }) => code).join('_or_')
      const isCommon = COMMON.has(name)
      if (isCommon) shared[name] = errorReply(found)
      responses[status] = isCommon ? { $ref: `#/components/responses/${name}` } : errorReply(found)
    }
    operation.responses = { ...responses, default: { $ref: '#/components/responses/Error' } }
    const json = operation.requestBody?.content?.['application/json']
    const request = route?.example ?? example?.request
    if (json && request !== undefined) json.examples = { example: { value: request } }
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...rest, components: { ...components, schemas: sorted, responses: shared }, paths } as T
}
