import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { suggestWord } from '#lib/closest.ts'
import { isBlank } from '#lib/text.ts'
import type { Text } from '#platform/errors.ts'
import { fieldName } from '#platform/field-names.ts'
import { ADDRESS_PATTERN } from './schema.ts'

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  maxItems?: number
  anyOf?: Schema[]
  enum?: unknown[]
  'x-raw'?: boolean
  'x-empty'?: boolean
  'x-list'?: boolean
  'x-page'?: boolean
  'x-any'?: number
  'x-same-as'?: string
  'x-alone'?: boolean
  additionalProperties?: boolean | Schema
}

const is = (schema: Schema, type: string) =>
  Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type

/**
 * Stands for a string that contains NUL or a lone surrogate, because PostgreSQL cannot store such a string. No
 * schema of a string accepts this value.
 */
const UNACCEPTABLE = Object.freeze({ unacceptable: true })

function cleanString(schema: Schema, value: string): unknown {
  if (value.includes('\0') || !value.isWellFormed()) return UNACCEPTABLE
  const text = schema['x-raw'] ? value : isBlank(value) ? '' : value.trim()
  if (text === '' && !schema['x-empty']) return is(schema, 'null') ? null : undefined
  return text
}

function cleanNumber(schema: Schema, value: string): unknown {
  const text = value.trim()
  if (text === '') return is(schema, 'null') ? null : undefined
  const pattern = is(schema, 'number') ? /^-?\d{1,16}(\.\d{1,16})?$/ : /^-?\d{1,16}$/
  return pattern.test(text) ? Number(text) : value
}

/** Splits comma-separated items, given as one value or as a list of values (conventions-19). */
function splitItems(value: unknown, most: number | undefined): unknown {
  if (Array.isArray(value))
    return value.flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]))
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const items = String(value).split(',', most)
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

const mayBeList = (schema: Schema): boolean => is(schema, 'array') || schema.anyOf?.some(mayBeList) === true

/** Marks an object whose fields, or those of the given names, are texts of a form or a query. */
const FORM = Symbol('form')
const FAILURE = Symbol('failure')
const REPEATED = new WeakSet<object>()

export const fromForm = <T extends object>(fields: T): T => Object.assign(fields, { [FORM]: true })

/** Stands for a query that cannot be read. Every schema rejects it with the error. */
export const unreadableInput = (failure: Error): Record<string, unknown> =>
  Object.assign({}, { [FAILURE]: failure })

/** Marks the values of a field that was sent several times. A field that is no list takes the last one. */
export function markRepeated(values: string[]): string[] {
  REPEATED.add(values)
  return values
}

/** Adds the fields of the query to those of the body, which take precedence (conventions-17). */
export function withQuery(query: object, body: object): object {
  const fromQuery = new Set(Object.keys(query).filter((name) => !Object.hasOwn(body, name)))
  return { ...query, ...body, [FORM]: FORM in body ? true : fromQuery }
}

/**
 * Normalizes the notations of existing clients, such as digits in a string, to the type of the schema
 * (conventions-17 to conventions-20).
 */
function clean(schema: Schema, value: unknown, isForm: boolean): unknown {
  if (value === null || value === undefined) return is(schema, 'null') ? value : undefined
  if (Array.isArray(value) && REPEATED.has(value) && !mayBeList(schema)) value = value.at(-1)
  if (schema.anyOf) {
    for (const option of schema.anyOf) {
      const cleaned = clean(option, value, isForm)
      if (fits(option, cleaned)) return cleaned
    }
    return typeof value === 'string' ? cleanString({ type: 'string' }, value) : value
  }
  if (isForm && value === '' && (is(schema, 'object') || is(schema, 'array'))) {
    if (is(schema, 'null')) return null
    if (!schema['x-list']) return undefined
  }
  if (schema['x-page']) {
    const page = typeof value === 'string' ? Number(value) : value
    return typeof page === 'number' && Number.isInteger(page) && page >= 1 ? page : 1
  }
  if (
    (is(schema, 'integer') || is(schema, 'number')) &&
    !(typeof value === 'string' && is(schema, 'string'))
  ) {
    const number = typeof value === 'string' ? cleanNumber(schema, value) : value
    // Clients send the value that the schema names in `x-any` to request no filter (conventions-18).
    return number === schema['x-any'] ? undefined : number
  }
  if (is(schema, 'boolean')) {
    if (value === 1 || value === '1' || value === 'true') return true
    if (value === 0 || value === '0' || value === 'false') return false
    return value === '' ? undefined : value
  }
  if (is(schema, 'array')) {
    // Cuts a huge list to one item over its limit. The validator still rejects the list.
    const most = schema.maxItems === undefined ? undefined : schema.maxItems + 1
    const items = schema['x-list'] ? splitItems(value, most) : value
    if (!Array.isArray(items)) return items
    return items.slice(0, most).map((item) => (schema.items ? clean(schema.items, item, isForm) : item))
  }
  if (is(schema, 'object')) {
    if (typeof value !== 'object' || Array.isArray(value) || !schema.properties) return value
    return cleanObject(schema, value as Record<string, unknown>, isForm)
  }
  if (is(schema, 'string')) return typeof value === 'string' ? cleanString(schema, value) : value
  return value
}

const fits = (schema: Schema, value: unknown) =>
  (is(schema, 'integer') && Number.isInteger(value)) ||
  (is(schema, 'boolean') && typeof value === 'boolean') ||
  (is(schema, 'array') && Array.isArray(value)) ||
  (is(schema, 'object') && typeof value === 'object' && value !== null && !Array.isArray(value)) ||
  (is(schema, 'null') && value === null)

function cleanObject(
  schema: Schema,
  value: Record<string | symbol, unknown>,
  isForm: boolean,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  const { [FORM]: marked } = value
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue
    const cleaned = clean(property, value[name], isForm || (marked instanceof Set && marked.has(name)))
    if (cleaned === undefined) continue
    if (property['x-alone'] && property.enum?.includes(cleaned)) return { [name]: cleaned }
    result[name] = cleaned
  }
  return result
}

/** An id has one path, so `01` and ` 1` are no ids (conventions-4). */
const ONE_SPELLING = /^(?:0|[1-9]\d*)$/

const ajv = new Ajv({ allErrors: true, strict: false, useDefaults: true, validateFormats: false })

export class InputError extends Error {
  readonly fields: Record<string, Text[]>
  constructor(fields: Record<string, Text[]>) {
    super('The given data was invalid.')
    this.name = 'InputError'
    this.fields = fields
  }
}

/**
 * Returns a Fastify validator that also normalizes the input. Compiles the schema on first use, because
 * compiling hundreds of schemas would delay the start.
 */
export function compileInput(
  schema: unknown,
  { isPath = false } = {},
): (data: unknown) => { value: unknown } | { error: Error } {
  let validate: ValidateFunction | undefined
  const shape = schema as Schema
  const ids = isPath
    ? Object.entries(shape.properties ?? {}).flatMap(([name, part]) => (is(part, 'integer') ? [name] : []))
    : []
  const aliases = Object.entries(shape.properties ?? {}).flatMap(([name, { 'x-same-as': older }]) =>
    older === undefined ? [] : [[name, older] as const],
  )
  const required = aliases.filter(([, older]) => shape.required?.includes(older))
  return (data) => {
    if (FAILURE in Object(data)) return { error: (data as { [FAILURE]: Error })[FAILURE] }
    const other = ids.find((name) => !ONE_SPELLING.test(String(Object(data)[name])))
    if (other) return { error: new InputError({ [other]: [INVALID] }) }
    validate ??= ajv.compile(schema as object)
    if (is(shape, 'object') && (data === undefined || data === null)) data = {}
    const unknown = shape.additionalProperties === false ? unknownNames(shape, Object(data)) : undefined
    if (unknown) return { error: new InputError(unknown) }
    const value = clean(shape, data, Object(data)[FORM] === true)
    for (const [name, older] of required) Object(value)[older] ??= Object(value)[name]
    if (!validate(value)) return { error: new InputError(describe(validate.errors ?? [])) }
    return { value: aliases.length > 0 ? underOlderNames(value as Record<string, unknown>, aliases) : value }
  }
}

/** Suggests the meant names, if the schema refuses unknown ones. */
function unknownNames({ properties = {} }: Schema, data: object): Record<string, Text[]> | undefined {
  const known = Object.keys(properties)
  const unknown = Object.keys(data).filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return undefined
  return Object.fromEntries(unknown.slice(0, 10).map((name) => [name, [unknownName(name, known)]]))
}

const LONGEST_NAME = 100

function unknownName(name: string, known: readonly string[]): Text {
  const short = name.slice(0, LONGEST_NAME)
  const meant = suggestWord(short, known, Math.max(2, Math.floor(short.length / 5)))
  const [en, zh] = [`There is no field ${short}.`, `没有字段 ${short}`]
  return meant === undefined
    ? { en, zh: `${zh}。` }
    : { en: `${en} Did you mean ${meant}?`, zh: `${zh}，是否指 ${meant}？` }
}

function underOlderNames(value: Record<string, unknown>, aliases: (readonly [string, string])[]) {
  for (const [name, older] of aliases) {
    if (!value[older] && value[name] !== undefined) value[older] = value[name]
    delete value[name]
  }
  return value
}

function describe(errors: ErrorObject[]): Record<string, Text[]> {
  const fields: Record<string, Text[]> = {}
  for (const error of errors.slice(0, 50)) {
    const path = error.instancePath.slice(1).replaceAll('/', '.')
    const field =
      error.keyword === 'required'
        ? [path, error.params.missingProperty].filter(Boolean).join('.')
        : // Reports an invalid item under the name of its list.
          path.replace(/(?<=.)\.\d+$/, '') || 'body'
    fields[field] ??= [sentence(field, error)]
  }
  return fields
}

const TYPES: Record<string, Text> = {
  integer: { en: 'an integer', zh: '整数' },
  number: { en: 'a number', zh: '数字' },
  string: { en: 'a string', zh: '字符串' },
  boolean: { en: 'true or false', zh: '布尔值' },
  array: { en: 'a list', zh: '数组' },
  object: { en: 'an object', zh: '对象' },
  null: { en: 'null', zh: '空' },
}

const INVALID: Text = { en: 'is not valid', zh: '格式不正确' }

/** Error texts that follow the name of a field, by the JSON Schema keyword that the value violates. */
const PROBLEMS: Record<string, (params: ErrorObject['params']) => Text> = {
  required: () => ({ en: 'is required', zh: '不能为空' }),
  type({ type }) {
    const types = [type].flat().map((name: string) => TYPES[name] ?? { en: name, zh: name })
    return {
      en: `must be ${types.map(({ en }) => en).join(' or ')}`,
      zh: `必须是${types.map(({ zh }) => zh).join('或')}`,
    }
  },
  maxLength: ({ limit }) => ({
    en: `may not have more than ${limit} characters`,
    zh: `不能超过 ${limit} 个字符`,
  }),
  minLength: ({ limit }) => ({
    en: `must have at least ${limit} characters`,
    zh: `至少需要 ${limit} 个字符`,
  }),
  minimum: ({ limit }) => ({ en: `must be at least ${limit}`, zh: `不能小于 ${limit}` }),
  maximum: ({ limit }) => ({ en: `may not be greater than ${limit}`, zh: `不能大于 ${limit}` }),
  maxItems: ({ limit }) => ({ en: `may not have more than ${limit} items`, zh: `不能超过 ${limit} 项` }),
  minItems: ({ limit }) => ({ en: `must have at least ${limit} items`, zh: `至少需要 ${limit} 项` }),
  pattern: ({ pattern }) =>
    pattern === ADDRESS_PATTERN
      ? { en: 'must be an http or https URL', zh: '必须是 http 或 https 地址' }
      : INVALID,
  enum({ allowedValues }) {
    const values = (allowedValues as unknown[]).filter((value) => value !== null).join(', ')
    return { en: `must be one of: ${values}`, zh: `必须是以下之一：${values}` }
  },
}

function sentence(field: string, { keyword, params }: ErrorObject): Text {
  const { en, zh } = PROBLEMS[keyword]?.(params) ?? INVALID
  return { en: `The ${field} field ${en}.`, zh: `${fieldName(field)}${zh}。` }
}
