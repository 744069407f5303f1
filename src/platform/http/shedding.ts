import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '#platform/config.ts'
import type { Sql } from '#platform/database.ts'
import type { Server } from '#platform/http.ts'
import type { Metrics } from '#platform/metrics.ts'

/** Whoever comes when the first in the queue has waited for this part of its patience would wait in vain. */
const PRESSURE = 0.5

const BODIES = {
  en: JSON.stringify({ message: 'The service is not available just now. Try again soon.' }),
  zh: JSON.stringify({ message: '服务暂时不可用，请稍后再试。' }),
}

/**
 * Refuses requests while more come than the database answers, before anything else is made of them: what a refusal costs
 * is taken from the requests that are answered. Health is always told.
 */
export function shedLoad(
  server: Server,
  { sql, config, metrics }: { sql: Pick<Sql, 'state'>; config: Config; metrics: Metrics },
): void {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '1',
    'x-error-code': 'unavailable',
    ...(config.corsOrigins.includes('*') ? { 'access-control-allow-origin': '*' } : {}),
  }
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    metrics.countShed()
    const body = BODIES[/^\s*zh/i.test(request.headers['accept-language'] ?? '') ? 'zh' : 'en']
    response.writeHead(503, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  const http = server.server
  const emit = http.emit.bind(http)
  http.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request' || sql.state().pressure < PRESSURE) return emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    if (request.url?.startsWith('/health/')) return emit(event, ...args)
    refuse(request, response)
    return true
  }
}
