import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '#platform/http'

type Schema = {
  title?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

export type Examples = {
  operations: Record<string, { request?: unknown; reply?: Record<string, unknown> }>
  schemas: Record<string, unknown>
}

const LONGEST_TEXT = 160
const MOST_ENTRIES = 3

function shorten(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT && !/url|uri|token|secret|node|hash/.test(name)
      ? `${value.slice(0, LONGEST_TEXT)}…`
      : value
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shorten(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, shorten(item, key)] as const)
  const isMap = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))
  return Object.fromEntries(isMap ? entries.slice(0, MOST_ENTRIES) : entries)
}

function worth(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0
  if (typeof value !== 'object') return 1
  return Object.values(value).reduce((sum: number, item) => sum + worth(item), 0)
}

/**
 * Returns true if `value` has more non-empty fields than `than`. On a tie, compares the JSON texts, so that every
 * run picks the same example.
 */
export const isBetter = (value: unknown, than: unknown): boolean => {
  if (than === undefined) return true
  const [a, b] = [worth(value), worth(than)]
  return a === b ? JSON.stringify(value) < JSON.stringify(than) : a > b
}

const kept: Examples = { operations: {}, schemas: {} }

function keepParts(schema: Schema | undefined, value: unknown): void {
  if (!schema || typeof value !== 'object' || value === null) return
  for (const each of schema.anyOf ?? []) keepParts(each, value)
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value.slice(0, 20)) keepParts(schema.items, item)
    return
  }
  const { title, properties } = schema
  if (!properties) return
  if (title) {
    const short = shorten(value)
    if (isBetter(short, kept.schemas[title])) kept.schemas[title] = short
  }
  for (const [name, inner] of Object.entries(properties))
    keepParts(inner, (value as Record<string, unknown>)[name])
}

/**
 * Writes the best example of each request, successful response and titled schema to the folder `KITH_EXAMPLES`, for
 * `npm run dev -- examples`.
 */
export function recordExamples(app: Server): void {
  const folder = process.env.KITH_EXAMPLES
  if (!folder) return
  if (Object.keys(kept.operations).length === 0)
    process.once('exit', () => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(kept))
    })
  app.addHook('onSend', async (request, reply, payload) => {
    const operation = request.routeOptions.config.documented?.operation
    if (!operation || reply.statusCode >= 300) return payload
    const { schema } = request.routeOptions
    const found = kept.operations[operation] ?? {}
    kept.operations[operation] = found
    const isJson = String(reply.getHeader('content-type')).includes('json')
    if (schema?.body && request.body && typeof request.body === 'object') {
      keepParts(schema.body as Schema, request.body)
      const short = shorten(request.body)
      if (isBetter(short, found.request)) found.request = short
    }
    const text = Buffer.isBuffer(payload) ? payload.toString() : payload
    if (!isJson || typeof text !== 'string' || text === '' || reply.hasHeader('content-encoding'))
      return payload
    const body = JSON.parse(text)
    const status = String(reply.statusCode)
    keepParts((schema?.response as Record<string, Schema> | undefined)?.[status], body)
    const short = shorten(body)
    found.reply ??= {}
    if (isBetter(short, found.reply[status])) found.reply[status] = short
    return payload
  })
}
