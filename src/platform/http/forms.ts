import { isUtf8 } from 'node:buffer'
import { parse as parsePairs } from 'node:querystring'
import formbody from '@fastify/formbody'
import { apiError } from '#platform/errors.ts'
import { fromForm, markRepeated, unreadableInput } from './input.ts'
import type { Server } from './instance.ts'

const unreadable = apiError(400, 'bad_request', 'The form could not be read.', '无法解析表单。')
const tooLarge = apiError(
  400,
  'bad_request',
  'The form has too many fields or nests them too deeply.',
  '表单字段过多或嵌套过深。',
)

/** The cost of reading fields grows with the product of these three limits. */
const MAX_ITEMS = 100
const MAX_FIELDS = 1000
const MAX_DEPTH = 3

/** Rejects invalid UTF-8. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    throw unreadable()
  }
}

function pairsOf(text: string): [string, string][] {
  const pairs = text.split('&', MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) throw tooLarge()
  return pairs.flatMap((pair): [string, string][] => {
    const [name = '', ...value] = pair.split('=')
    return name === '' ? [] : [[decode(name), decode(value.join('='))]]
  })
}

/** Fields of one level. A name without text takes the number after the highest one, as in PHP. */
type Level = Map<string, string | string[] | Level>

const isNumber = (name: string) => /^(?:0|[1-9]\d{0,14})$/.test(name)

function nextNumber(level: Level): string {
  if (level.size >= MAX_ITEMS) throw tooLarge()
  return String(Math.max(-1, ...[...level.keys()].filter(isNumber).map(Number)) + 1)
}

function put(fields: Level, name: string, value: string): void {
  const [, first = name, brackets = ''] = /^([^[]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? []
  const names = [
    first,
    ...brackets
      .slice(1, -1)
      .split('][')
      .slice(0, brackets === '' ? 0 : undefined),
  ]
  if (names.length - 1 > MAX_DEPTH) throw tooLarge()
  if (names.some((each) => each in Object.prototype)) return
  let level = fields
  for (const each of names.slice(0, -1)) {
    const key = each === '' ? nextNumber(level) : each
    const known = level.get(key)
    const inner: Level = known instanceof Map ? known : new Map()
    level.set(key, inner)
    level = inner
  }
  const last = names.at(-1) as string
  const known = level.get(last)
  if (last === '') {
    // `a[]=` is an empty list.
    if (value !== '') level.set(nextNumber(level), value)
  } else if (Array.isArray(known)) known.push(value)
  else level.set(last, typeof known === 'string' ? markRepeated([known, value]) : value)
}

function plain(level: Level): unknown {
  const entries = [...level].map(([name, value]) => [name, value instanceof Map ? plain(value) : value])
  if ([...level.keys()].every(isNumber)) {
    if (entries.length > MAX_ITEMS) throw tooLarge()
    return entries.map(([, value]) => value)
  }
  return Object.fromEntries(entries)
}

/** Reads fields such as `a[b]=1`, `a[]=1` and `a[0][b]=1` into the shape of a JSON body (conventions-41). */
function nestFields(pairs: readonly [string, string][]): Record<string, unknown> {
  const fields: Level = new Map()
  for (const [name, value] of pairs) put(fields, name, value)
  return fromForm(
    Object.fromEntries(
      [...fields].map(([name, value]) => [name, value instanceof Map ? plain(value) : value]),
    ),
  )
}

/** Reads the fields of a multipart form. Its parser replaces invalid UTF-8. */
export function readFields(pairs: readonly [string, string][]): Record<string, unknown> {
  if (pairs.some((pair) => pair.join('').includes('\ufffd'))) throw unreadable()
  return nestFields(pairs)
}

function parseForm(text: string): Record<string, unknown> {
  if (text.includes('\ufffd')) throw unreadable()
  return nestFields(pairsOf(text))
}

const bytesOf = (encoded: string) =>
  Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    'latin1',
  )

/** Rejects what `parsePairs` would silently drop or replace. */
function checkPairs(text: string): void {
  if (text.length > MAX_FIELDS && text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw tooLarge()
  if (/%[89a-f]/i.test(text) && !isUtf8(bytesOf(text))) throw unreadable()
}

/** Reads a query like a form. Most queries have no brackets and take a faster way. */
export function parseQuery(text: string): Record<string, unknown> {
  try {
    if (/\[|%5b/i.test(text)) return parseForm(text)
    checkPairs(text)
  } catch (error) {
    return unreadableInput(error as Error)
  }
  const fields = parsePairs(text, '&', '=', { maxKeys: MAX_FIELDS })
  for (const value of Object.values(fields)) if (Array.isArray(value)) markRepeated(value)
  return fields
}

export async function acceptForms(server: Server): Promise<void> {
  await server.register(formbody, {
    parser: (text) => (text === '' ? undefined : parseForm(text)) as Record<string, unknown>,
  })
}
