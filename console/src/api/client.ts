import { browserTokens, createClient, KithError } from '@kith/client'
import { currentLocale } from '../shell/text.ts'

export const kith = createClient({
  tokens: browserTokens({ key: 'kith.console' }),
  language: () => currentLocale(),
})

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Query = Record<string, unknown>
export type Wire = Record<string, unknown>

const ACCOUNT = '/admin/account'

/**
 * Calls an operation below /api/v2. Opens the second-factor page when the site requires a second factor
 * (rights-8).
 */
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
  const refused = refusal(response, error)
  if (refused.code === 'second_factor_needed' && !location.pathname.startsWith(ACCOUNT))
    location.assign(`${ACCOUNT}?second-factor=required`)
  throw refused
}

export function refusal(response: Response, parsed: unknown): KithError {
  const body = (parsed ?? {}) as { message?: string | string[]; errors?: Record<string, string[]> }
  const text = Array.isArray(body.message) ? body.message[0] : body.message
  return new KithError(
    response.status,
    response.headers.get('x-error-code') ?? `http_${response.status}`,
    text || `HTTP ${response.status}`,
    { fields: body.errors ?? {}, body: body as Wire, requestId: response.headers.get('x-request-id') },
  )
}

export type Page<T = Wire> = { data: T[]; total: number; more?: true }
