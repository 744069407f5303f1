import { isKithError, KithError } from '@kith/client'

/** Sends a request to the site's session endpoint. The endpoint stores the token in an HttpOnly cookie. */
export async function ask(method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(`/_/session${path}`, {
    method,
    headers: {
      'x-kith-site': '1',
      accept: 'application/json',
      'content-type': 'application/json',
      'accept-language': document.documentElement.lang,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch((cause) => {
    throw new KithError(0, 'network_error', '', { cause })
  })
  if (response.ok) return response.status
  const said = (await response.json().catch(() => ({}))) as {
    message?: unknown
    errors?: Record<string, string[]>
  }
  const message = Object.values(said.errors ?? {}).flat()[0] ?? [said.message].flat()[0]
  throw new KithError(response.status, response.headers.get('x-error-code') ?? '', String(message ?? ''), {
    retryAfter: Number(response.headers.get('retry-after')) || null,
  })
}

export const signIn = (body: { login: string; password: string; second_factor?: string }) =>
  ask('POST', '/auth/login', body)
export const endSession = () => ask('DELETE', '')
/** Returns 204 after a sign-in, or 202 when the account awaits approval by an administrator. */
export const join = (body: object) => ask('POST', '/users', body)

export const isFactorCode = (code: string | undefined): boolean =>
  code === 'second_factor_required' || code === 'wrong_second_factor'

export const needsSecondFactor = (error: unknown): boolean => isKithError(error) && isFactorCode(error.code)

/** The path of this site in `next`, or `/`. Browsers drop control characters, and read `\\` as `/`. */
export function nextPath(search: URLSearchParams): string {
  const next = search.get('next') ?? '/'
  if (!/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(next) || !URL.canParse(next, 'http://site')) return '/'
  const { origin, pathname, search: query, hash } = new URL(next, 'http://site')
  return origin === 'http://site' && !pathname.startsWith('//') ? pathname + query + hash : '/'
}
