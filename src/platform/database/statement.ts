import { parse } from 'postgres-array'

type Read = (text: string) => unknown

const asText: Read = (text) => text
const asNumber: Read = Number
const asBytes: Read = (text) => Buffer.from(text.slice(2), 'hex')

/**
 * Reads bigint as a number, because ids and amounts are below 2^53. Timestamps stay text, because parsing
 * them cost a third of the throughput.
 */
const READERS = new Map<number, Read>()
for (const [of, array, read] of [
  [16, 1000, (text: string) => text === 't'], // bool
  [17, 1001, asBytes], // bytea
  [20, 1016, asNumber], // int8
  [21, 1005, asNumber], // int2
  [23, 1007, asNumber], // int4
  [26, 1028, asNumber], // oid
  [700, 1021, asNumber], // float4
  [701, 1022, asNumber], // float8
  [114, 199, JSON.parse], // json
  [3802, 3807, JSON.parse], // jsonb
] as [number, number, Read][]) {
  READERS.set(of, read)
  READERS.set(array, (text) => parse(text, read as (text: string) => string))
}
/**
 * Arrays of "char", name, text, xid, cidr, inet, bpchar, varchar, date, time, timestamp, timestamptz, interval,
 * numeric, regclass, regtype, uuid and pg_lsn, in this order.
 */
const TEXT_ARRAYS = [
  1002, 1003, 1009, 1011, 651, 1041, 1014, 1015, 1182, 1183, 1115, 1185, 1187, 1231, 2210, 2211, 2951, 3221,
]
for (const array of TEXT_ARRAYS) READERS.set(array, (text) => parse(text))
// For long lists of ids, the general array parser takes several times as long as this parser.
for (const array of [1016, 1007]) readPlainArrays(array, (inner) => inner.split(',').map(Number))
// Timestamp arrays contain only quoted values without escapes, so JSON.parse can read them.
readPlainArrays(1185, (inner) => JSON.parse(`[${inner}]`))

function readPlainArrays(array: number, read: (inner: string) => unknown): void {
  const readAny = READERS.get(array) as Read
  READERS.set(array, (text) =>
    text.length > 2 && text[0] === '{' && text[1] !== '{' && !/[A-Za-z]/.test(text)
      ? read(text.slice(1, -1))
      : readAny(text),
  )
}

export const typeParsers = { getTypeParser: (oid: number) => READERS.get(oid) ?? asText }

function arrayLiteral(values: readonly unknown[]): string {
  let literal = '{'
  for (const value of values) {
    if (literal.length > 1) literal += ','
    literal += elementOf(value)
  }
  return `${literal}}`
}

function elementOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (typeof value === 'string') return `"${value.replace(/[\\"]/g, '\\$&')}"`
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return arrayLiteral(value)
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`
  throw new TypeError(`an array of a statement holds ${value === undefined ? 'undefined' : typeof value}`)
}

/**
 * Identifiers and fragments become part of the statement's text. All other values are sent as parameters.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly unknown[]
  | JsonValue
  | Identifier
  | Statement<readonly unknown[]>

export type Rows<T extends readonly unknown[]> = T & { count: number; command: string }

// biome-ignore lint/suspicious/noExplicitAny: a statement without a row type may return any columns.
export type Row = Record<string, any>

export type Query = {
  text: string
  values: (string | Buffer | null)[]
  /**
   * Name of the prepared statement. Absent for dynamic text, because each text would stay in the memory of
   * each session.
   */
  name?: string | undefined
  /** Begins a transaction in the same message, so that a failed BEGIN also skips the statement. */
  begins?: boolean | undefined
  /** Leaves the Sync to the next statement, so that PostgreSQL skips that one if this one fails. */
  isFollowed?: boolean | undefined
  resolve: (rows: Rows<Row[]>) => void
  reject: (error: unknown) => void
}

export type Send = (query: Query) => void

export class Identifier {
  readonly text: string
  constructor(name: string) {
    this.text = name
      .split('.')
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join('.')
  }
}

export class JsonValue {
  readonly text: string
  constructor(value: unknown) {
    this.text = JSON.stringify(value)
  }
}

/** A lazy statement that is sent when first awaited, or embedded as a fragment in another statement. */
export class Statement<T extends readonly unknown[] = Row[]> implements Promise<Rows<T>> {
  readonly [Symbol.toStringTag] = 'Statement'
  readonly strings: readonly string[]
  readonly args: readonly unknown[]
  readonly #send: Send
  readonly #isPrepared: boolean
  #answer: Promise<Rows<T>> | undefined

  constructor(strings: readonly string[], args: readonly unknown[], send: Send, isPrepared: boolean) {
    this.strings = strings
    this.args = args
    this.#send = send
    this.#isPrepared = isPrepared
  }

  execute(): Promise<Rows<T>> {
    this.#answer ??= new Promise<Rows<T>>((resolve, reject) => {
      const values: Query['values'] = []
      const text = textOf(this, values)
      const name = this.#isPrepared ? nameOf(text) : undefined
      this.#send({ text, values, name, resolve: resolve as unknown as Query['resolve'], reject })
    })
    return this.#answer
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement is what sends it.
  then<A = Rows<T>, B = never>(
    onDone?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.execute().then(onDone, onFailed)
  }

  catch<B = never>(onFailed?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Rows<T> | B> {
    return this.execute().catch(onFailed)
  }

  finally(onEnd?: (() => void) | null): Promise<Rows<T>> {
    return this.execute().finally(onEnd)
  }
}

function textOf({ strings, args }: Statement<readonly unknown[]>, values: Query['values']): string {
  let text = strings[0] ?? ''
  for (let at = 0; at < args.length; at += 1) text += pieceOf(args[at], values) + (strings[at + 1] ?? '')
  return text
}

function pieceOf(arg: unknown, values: Query['values']): string {
  if (typeof arg === 'string') return `$${values.push(arg)}`
  if (typeof arg === 'number') return `$${values.push(String(arg))}`
  if (arg === null) return `$${values.push(null)}`
  if (arg instanceof Statement) return textOf(arg, values)
  if (arg instanceof Identifier) return arg.text
  if (arg instanceof JsonValue) return `$${values.push(arg.text)}`
  if (Array.isArray(arg)) {
    if (arg[0] instanceof Statement) return arg.map((piece) => pieceOf(piece, values)).join(' ')
    return `$${values.push(arrayLiteral(arg))}`
  }
  // Adds a cast, because PostgreSQL assumes type text for a parameter without context.
  if (typeof arg === 'boolean') return `$${values.push(String(arg))}::boolean`
  if (typeof arg === 'bigint') return `$${values.push(String(arg))}::bigint`
  if (arg instanceof Date) return `$${values.push(arg.toISOString())}::timestamptz`
  if (arg instanceof Uint8Array) return `$${values.push(Buffer.from(arg))}::bytea`
  throw new TypeError(
    `a statement carries ${arg === undefined ? 'undefined' : `a value of type ${typeof arg}`}`,
  )
}

/** Limits the memory of each session for plans, in case code builds statement texts dynamically. */
const NAMES_MOST = 10_000
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= NAMES_MOST) return known
  const name = `k${names.size}`
  names.set(text, name)
  return name
}

/**
 * Builds a statement as a template tag, or a quoted identifier from a name. `unsafe` sends text unchanged.
 */
export type Tag = {
  <T extends readonly unknown[] = Row[]>(strings: TemplateStringsArray, ...args: Value[]): Statement<T>
  (name: string): Identifier
  unsafe<T extends readonly unknown[] = Row[]>(text: string): Statement<T>
  json(value: unknown): JsonValue
}

export function createTag(send: Send, isPrepared: boolean): Tag {
  const tag = (first: TemplateStringsArray | string, ...args: unknown[]) =>
    typeof first === 'string' ? new Identifier(first) : new Statement(first, args, send, isPrepared)
  return Object.assign(tag, {
    unsafe: (text: string) => new Statement([text], [], send, false),
    json: (value: unknown) => new JsonValue(value),
  }) as Tag
}
