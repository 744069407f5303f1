import assert from 'node:assert/strict'

/** Field types by model and field. `!` marks fields that the client reads without a null check. */
export type Models = Record<string, Record<string, string>>
export type Rules = 'gson' | 'objectmapper' | 'javascript'

const kindOf = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'list'
      : typeof value === 'object'
        ? 'object'
        : typeof value

/**
 * Gson converts numbers and booleans to text, and numeric texts to numbers, but throws for a number instead of a
 * boolean. ObjectMapper converts between booleans and integers, and leaves the field empty on any other mismatch. The
 * web clients calculate with numbers and call methods of texts.
 */
const SCALARS: Record<Rules, Record<string, (value: unknown) => boolean>> = {
  gson: {
    int: (value) => Number.isInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value)),
    number: (value) =>
      typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)),
    bool: (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
    text: (value) => ['string', 'number', 'boolean'].includes(typeof value),
  },
  objectmapper: {
    int: (value) => Number.isInteger(value) || typeof value === 'boolean',
    number: (value) => typeof value === 'number',
    bool: (value) => typeof value === 'boolean' || typeof value === 'number',
    text: (value) => typeof value === 'string',
  },
  javascript: {
    int: (value) => Number.isInteger(value),
    number: (value) => typeof value === 'number',
    bool: (value) => typeof value === 'boolean' || value === 0 || value === 1,
    text: (value) => typeof value === 'string',
  },
}

export function decode(
  models: Models,
  rules: Rules,
  declared: string,
  reply: unknown,
  { place = 'reply', seen = new Set<string>() } = {},
): string[] {
  const name = declared.replace('!', '')
  const fault = [`${place}: ${kindOf(reply)} where ${name} is read`]
  const each = (type: string, value: unknown, at: string) =>
    decode(models, rules, type, value, { place: at, seen })
  if (reply === undefined || reply === null) return declared.endsWith('!') ? fault : []
  if (name === 'any') return []
  if (name.startsWith('['))
    return Array.isArray(reply)
      ? reply.flatMap((item, n) => each(`${name.slice(1, -1)}!`, item, `${place}[${n}]`))
      : fault
  const scalar = SCALARS[rules][name]
  if (scalar) return scalar(reply) ? [] : fault
  const fields = models[name]
  assert.ok(fields, `no model ${name}`)
  if (kindOf(reply) !== 'object') return fault
  return Object.entries(fields).flatMap(([field, type]) => {
    const value = (reply as Record<string, unknown>)[field]
    if (value !== undefined && value !== null) seen.add(`${name}.${field}`)
    return each(type, value, `${place}.${field}`)
  })
}
