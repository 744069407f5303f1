import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '#platform/http'

/** Paths and types of body values, such as `.data[].id number`, by method, route, status and error code. */
type WireRecord = Map<string, Set<string>>

const record: WireRecord = new Map()

function walk(value: unknown, place: string, places: Set<string>): void {
  if (Array.isArray(value)) {
    places.add(`${place} array`)
    for (const item of value) walk(item, `${place}[]`, places)
  } else if (typeof value === 'object' && value !== null) {
    places.add(`${place} object`)
    for (const [name, item] of Object.entries(value)) walk(item, `${place}.${name}`, places)
  } else places.add(`${place} ${value === null ? 'null' : typeof value}`)
}

/** Records the shape of every response in the folder `KITH_WIRE_RECORD`, for scripts/compare-wire.ts. */
export function recordReplies(app: Server): void {
  const folder = process.env.KITH_WIRE_RECORD
  if (!folder) return
  // Writes the record at each close instead of at exit, so that a killed process loses only the record of its
  // open server.
  app.addHook('onClose', async () => {
    mkdirSync(folder, { recursive: true })
    const entries = [...record].map(([name, places]) => [name, [...places].sort()])
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(Object.fromEntries(entries)))
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const code = reply.getHeader('x-error-code')
    const name = [request.method, request.routeOptions.url, reply.statusCode, code].filter(Boolean).join(' ')
    const places = record.get(name) ?? new Set()
    record.set(name, places)
    const isJson = String(reply.getHeader('content-type')).includes('json')
    const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? String(payload) : ''
    if (isJson && text !== '' && !reply.hasHeader('content-encoding')) walk(JSON.parse(text), '', places)
    else places.add(payload ? 'bytes' : 'empty')
    return payload
  })
}
