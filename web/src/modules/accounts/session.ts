import { isKithError, KithError } from '@kith/client'
import { forgetAccount } from '../../app/account.ts'

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
  throw new KithError(response.status, response.headers.get('x-error-code') ?? '', String(message ?? ''))
}

export const signIn = (body: { login: string; password: string; second_factor?: string }) =>
  ask('POST', '/auth/login', body)
/** Returns 204 after a sign-in, or 202 when the account awaits approval by an administrator. */
export const join = (body: object) => ask('POST', '/users', body)

/** Signs out, and removes what this browser keeps of the account. */
export async function leave(account: number): Promise<void> {
  await ask('DELETE', '')
  await forgetAccount(account)
  location.assign('/')
}

export const needsSecondFactor = (error: unknown): boolean =>
  isKithError(error) && ['second_factor_required', 'wrong_second_factor'].includes(error.code)

export const nextPath = (search: URLSearchParams): string => {
  const next = search.get('next') ?? '/'
  return /^\/(?![/\\])/.test(next) ? next : '/'
}
