import { createHttpClient, ImError, type Reply } from './provider.ts'

export type TokenStore = {
  read(): Promise<string | undefined>
  /**
   * Fetches a new token, unless another server node has already replaced `stale`. Returns the valid token.
   */
  renew(stale: string | undefined, fetch: () => Promise<{ token: string; seconds: number }>): Promise<string>
}

export type EasemobOptions = {
  url: string
  appKey: string
  clientId: string
  clientSecret: string
  sender: string
  timeoutMs: number
  tokens: TokenStore
}

export const CONNECTIONS = 8

type Body = { data?: unknown; error?: string; error_description?: string } | null

/**
 * Retries a request once with a new token on 401. Throws `ImError` for a status that is neither 200 nor
 * expected.
 */
export function createEasemobClient(options: EasemobOptions) {
  const [org = '', app = ''] = options.appKey.split('#')
  const { timeoutMs, tokens } = options
  const base = `${options.url}/${encodeURIComponent(org)}/${encodeURIComponent(app)}`
  const http = createHttpClient({ base, timeoutMs, atOnce: CONNECTIONS })

  const fetchToken = async () => {
    const reply = await http('POST', '/token', {
      body: {
        grant_type: 'client_credentials',
        client_id: options.clientId,
        client_secret: options.clientSecret,
      },
    })
    const body = reply.body as { access_token?: string; expires_in?: number } | null
    if (reply.status !== 200 || !body?.access_token) throw faultOf('POST /token', reply)
    return { token: body.access_token, seconds: body.expires_in ?? 0 }
  }

  return async (method: string, path: string, body?: unknown, expected: number[] = []): Promise<Reply> => {
    let token = (await tokens.read()) ?? (await tokens.renew(undefined, fetchToken))
    for (let again = true; ; again = false) {
      const reply = await http(method, path, { body, headers: { authorization: `Bearer ${token}` } })
      if (reply.status === 401 && again) {
        token = await tokens.renew(token, fetchToken)
        continue
      }
      if (reply.status === 200 || expected.includes(reply.status)) return reply
      throw faultOf(`${method} ${path.split('?')[0]}`, reply)
    }
  }
}

export const dataOf = ({ body }: Reply) => (body as Body)?.data

export const isDuplicate = ({ body }: Reply) => (body as Body)?.error === 'duplicate_unique_property_exists'

export function faultOf(what: string, reply: Reply): ImError {
  const body = reply.body as Body
  const error = typeof body === 'object' ? body : null
  const message = `${what}: ${reply.status} ${error?.error ?? ''} ${error?.error_description ?? ''}`.trim()
  const { status } = reply
  if (status === 429 || error?.error === 'reach_limit')
    return new ImError('limited', message, {
      retryAfterSeconds: Number(reply.headers.get('retry-after') ?? 1),
    })
  if (isDuplicate(reply)) return new ImError('conflict', message)
  if (status === 401 || (status === 400 && error?.error === 'invalid_grant'))
    return new ImError('auth', message)
  // For a missing group owner, Easemob sometimes returns status 400 or 403 instead of 404.
  if (
    status === 404 ||
    /not_found|not exist|doesn.t exist/i.test(`${error?.error} ${error?.error_description}`)
  )
    return new ImError('not_found', message)
  return new ImError(status >= 500 ? 'unavailable' : 'invalid', message)
}
