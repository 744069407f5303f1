import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isBlank } from '#lib/text.ts'
import type { Text } from '#platform/errors.ts'
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
}

const is = (schema: Schema, type: string) =>
  Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type

/**
 * Replaces a string with NUL or a lone surrogate, which PostgreSQL cannot store. No schema accepts this
 * value.
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

/** Clients send the value that the schema names in `x-any` to request no filter (conventions-18). */
const withoutAny = (schema: Schema, value: unknown) =>
  schema['x-any'] !== undefined && value === schema['x-any'] ? undefined : value

function cleanArray(schema: Schema, value: unknown[], isForm: boolean): unknown[] {
  // Cuts a huge array to one item over its limit, which is enough to reject the array.
  const items = schema.maxItems === undefined ? value : value.slice(0, schema.maxItems + 1)
  return schema.items ? items.map((item) => clean(schema.items as Schema, item, isForm)) : items
}

const FORM = Symbol('form')

export const fromForm = (fields: object): object => Object.assign(fields, { [FORM]: true })

/**
 * Normalizes the notations of existing clients, such as digits in a string, to the type of the schema
 * (conventions-17 to conventions-20).
 */
function clean(schema: Schema, value: unknown, isForm: boolean): unknown {
  if (value === null || value === undefined) return is(schema, 'null') ? value : undefined
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
    return withoutAny(schema, typeof value === 'string' ? cleanNumber(schema, value) : value)
  }
  if (is(schema, 'boolean')) {
    if (value === 1 || value === '1' || (isForm && value === 'true')) return true
    if (value === 0 || value === '0' || (isForm && value === 'false')) return false
    return value === '' ? undefined : value
  }
  if (is(schema, 'array')) {
    if (schema['x-list'] && !Array.isArray(value)) {
      if (typeof value !== 'string' && typeof value !== 'number') return value
      const pieces = String(value).split(',', (schema.maxItems ?? 1000) + 1)
      return cleanArray(
        schema,
        pieces.map((piece) => piece.trim()).filter((piece) => piece !== ''),
        isForm,
      )
    }
    if (!Array.isArray(value)) return value
    return cleanArray(
      schema,
      schema['x-list']
        ? value.flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]))
        : value,
      isForm,
    )
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

/** Reads a list from numbered fields such as `id[0]=5&id[1]=7`, as PHP clients send. */
function listedByIndex(value: Record<string, unknown>, name: string): unknown[] | undefined {
  const list = Object.keys(value).filter(
    (key) => key.startsWith(`${name}[`) && /^\[\d+\]$/.test(key.slice(name.length)),
  )
  return list.length > 0 ? list.flatMap((key) => value[key]) : undefined
}

function cleanObject(
  schema: Schema,
  value: Record<string, unknown>,
  isForm: boolean,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = Object.hasOwn(value, name)
      ? value[name]
      : property['x-list'] || is(property, 'array')
        ? (value[`${name}[]`] ?? listedByIndex(value, name))
        : undefined
    if (given === undefined) continue
    const cleaned = clean(property, given, isForm)
    if (cleaned === undefined) continue
    if (property['x-alone'] && property.enum?.includes(cleaned)) return { [name]: cleaned }
    result[name] = cleaned
  }
  return result
}

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
export function compileInput(schema: unknown): (data: unknown) => { value: unknown } | { error: Error } {
  let validate: ValidateFunction | undefined
  const shape = schema as Schema
  const aliases = Object.entries(shape.properties ?? {}).flatMap(([name, { 'x-same-as': older }]) =>
    older === undefined ? [] : [[name, older] as const],
  )
  return (data) => {
    validate ??= ajv.compile(schema as object)
    if (is(shape, 'object') && (data === undefined || data === null)) data = {}
    const value = clean(shape, data, FORM in Object(data))
    if (!validate(value)) return { error: new InputError(describe(validate.errors ?? [])) }
    return { value: aliases.length > 0 ? underOlderNames(value as Record<string, unknown>, aliases) : value }
  }
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
    const sentences = fields[field] ?? []
    fields[field] = sentences
    if (sentences.length === 0) sentences.push(sentence(field, error))
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

function sentence(field: string, { keyword, params }: ErrorObject): Text {
  switch (keyword) {
    case 'required':
      return { en: `The ${field} field is required.`, zh: `${field} 不能为空。` }
    case 'type': {
      const types = [params.type].flat().map((type: string) => TYPES[type] ?? { en: type, zh: type })
      return {
        en: `The ${field} field must be ${types.map((type) => type.en).join(' or ')}.`,
        zh: `${field} 必须是${types.map((type) => type.zh).join('或')}。`,
      }
    }
    case 'maxLength':
      return {
        en: `The ${field} field may not have more than ${params.limit} characters.`,
        zh: `${field} 不能超过 ${params.limit} 个字符。`,
      }
    case 'minLength':
      return {
        en: `The ${field} field must have at least ${params.limit} characters.`,
        zh: `${field} 至少需要 ${params.limit} 个字符。`,
      }
    case 'minimum':
      return {
        en: `The ${field} field must be at least ${params.limit}.`,
        zh: `${field} 不能小于 ${params.limit}。`,
      }
    case 'maximum':
      return {
        en: `The ${field} field may not be greater than ${params.limit}.`,
        zh: `${field} 不能大于 ${params.limit}。`,
      }
    case 'maxItems':
      return {
        en: `The ${field} field may not have more than ${params.limit} items.`,
        zh: `${field} 不能超过 ${params.limit} 项。`,
      }
    case 'minItems':
      return {
        en: `The ${field} field must have at least ${params.limit} items.`,
        zh: `${field} 至少需要 ${params.limit} 项。`,
      }
    case 'pattern':
      return params.pattern === ADDRESS_PATTERN
        ? {
            en: `The ${field} field must be an http or https URL.`,
            zh: `${field} 必须是 http 或 https 地址。`,
          }
        : invalid(field)
    case 'enum': {
      const values = (params.allowedValues as unknown[]).filter((value) => value !== null).join(', ')
      return {
        en: `The ${field} field must be one of: ${values}.`,
        zh: `${field} 必须是以下之一：${values}。`,
      }
    }
    default:
      return invalid(field)
  }
}

const invalid = (field: string): Text => ({
  en: `The ${field} field is not valid.`,
  zh: `${field} 格式不正确。`,
})
