import { browserTokens, createClient, KithError } from '@kith/client'
import { currentLocale } from '../shell/text.ts'

/** The one client of this page, with a sign-in that its tabs share. */
export const kith = createClient({
  tokens: browserTokens({ key: 'kith.console' }),
  language: () => currentLocale(),
})

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Query = Record<string, unknown>
/** An object of the wire whose shape the description of an area tells. */
export type Wire = Record<string, unknown>

/** Calls an operation whose path is told by data; `path` begins below /api/v2. Throws what the server refuses. */
export async function call<T = Wire>(
  verb: Verb,
  path: string,
  {
    query,
    body,
    keepalive = false,
    key,
  }: { query?: Query; body?: unknown; keepalive?: boolean; key?: string } = {},
): Promise<T> {
  const method = kith.api[verb] as unknown as (
    path: string,
    options: unknown,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
  const given = Object.fromEntries(
    Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )
  const { data, error, response } = await method(path, {
    params: { query: given },
    ...(body === undefined ? {} : { body }),
    ...(key ? { headers: { 'Idempotency-Key': key } } : {}),
    keepalive,
  })
  if (response.ok) return data as T
  throw refusal(response, error)
}

function refusal(response: Response, parsed: unknown): KithError {
  const body = (parsed ?? {}) as { message?: string | string[]; errors?: Record<string, string[]> }
  const text = Array.isArray(body.message) ? body.message[0] : body.message
  return new KithError(
    response.status,
    response.headers.get('x-error-code') ?? `http_${response.status}`,
    text || `HTTP ${response.status}`,
    { fields: body.errors ?? {}, body: body as Wire, requestId: response.headers.get('x-request-id') },
  )
}

/** A page of an administrative list. */
export type Page<T = Wire> = { data: T[]; total: number }
