import { KithError, networkError, readError } from './errors.ts'
import type { components } from './generated/api.ts'
import type { StoredToken, TokenStore } from './token-store.ts'

type Token = components['schemas']['Token']
type SignIn = components['schemas']['SignIn']

/**
 * Called when a sign-in needs a second factor, and again after a wrong code. Returns the code, or null to cancel
 * the sign-in.
 */
export type AnswerSecondFactor = (challenge: KithError) => string | null | Promise<string | null>

const SECOND_FACTOR = ['second_factor_required', 'wrong_second_factor']

/** Refreshes a token this long before its expiry. */
const EARLY_MS = 60_000
/**
 * Maximum attempts of a refresh. Retries without a delay, because the server revokes the session when an old
 * token is exchanged again after 30 seconds.
 */
const EXCHANGE_ATTEMPTS = 3
const EXCHANGE_TIMEOUT_MS = 8_000

type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> }
type Listener = (signedIn: boolean) => void

/** Session of a user. Stores its token and refreshes the token before expiry, in one browser tab at a time. */
export class Session {
  readonly #base: string
  readonly #fetch: typeof fetch
  readonly #language: () => string
  readonly #store: TokenStore
  readonly #listeners = new Set<Listener>()
  readonly #channel: BroadcastChannel | null
  #exchanging: Promise<StoredToken | null> | null = null

  constructor(options: { base: string; fetch: typeof fetch; language: () => string; store: TokenStore }) {
    this.#base = options.base
    this.#fetch = options.fetch
    this.#language = options.language
    this.#store = options.store
    this.#channel = openChannel(options.store.name)
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#tell(data === true, false)
  }

  /** Signs in with a password or a code. Calls `secondFactor` when the server requires a second factor. */
  async signIn(input: SignIn, options: { secondFactor?: AnswerSecondFactor } = {}): Promise<void> {
    let fields = input
    for (;;) {
      try {
        await this.adopt((await this.#post('/auth/login', fields)) as Token)
        return
      } catch (error) {
        const isChallenge = error instanceof KithError && SECOND_FACTOR.includes(error.code)
        const code = isChallenge ? await options.secondFactor?.(error) : null
        if (!code) throw error
        fields = { ...fields, second_factor: code }
      }
    }
  }

  /**
   * Stores a token from another operation, such as a registration. Throws a TypeError for any other value, because
   * otherwise only a later request would fail.
   */
  async adopt(
    token: { refresh_ttl: number } & (
      | { access_token: string; expires_in: number }
      | { token: string; ttl: number }
    ),
  ): Promise<void> {
    const next = stored(Object(token))
    if (!next.token || typeof next.token !== 'string' || Number.isNaN(next.expiresAt + next.refreshUntil))
      throw new TypeError(
        'adopt() got no token. A registration that waits for approval answers none: ask the person to sign in later.',
      )
    await this.#store.set(next)
    this.#tell(true, true)
  }

  /**
   * Deletes the stored token and revokes the session on the server. Returns false if the server did not confirm
   * the revocation.
   */
  async signOut(): Promise<boolean> {
    const current = await this.#store.get()
    await this.#forget()
    if (!current) return true
    return this.#post('/auth/logout', { token: current.token }).then(
      () => true,
      () => false,
    )
  }

  /** Returns whether the stored token is valid or can be refreshed. */
  async isSignedIn(): Promise<boolean> {
    const current = await this.#store.get()
    return current !== null && Date.now() < Math.max(current.expiresAt, current.refreshUntil)
  }

  /**
   * Calls `listener` on each sign-in and sign-out, including those in other tabs. Returns a function that
   * unsubscribes.
   */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Returns a token for a request, or null for guests. Refreshes a token that expires soon or equals
   * `refused`, a token that the server rejected.
   */
  async token(refused?: string): Promise<string | null> {
    const current = await this.#store.get()
    if (!current) return null
    if (current.token !== refused && Date.now() < current.expiresAt - EARLY_MS) return current.token
    const next = await this.#exchangeOnce(refused)
    // A refresh that was already running does not know of the rejection. If it fails, it returns the same token.
    if (next && next.token === refused) return (await this.#exchangeOnce(refused))?.token ?? null
    return next?.token ?? null
  }

  close(): void {
    this.#channel?.close()
    this.#listeners.clear()
  }

  #exchangeOnce(refused: string | undefined): Promise<StoredToken | null> {
    this.#exchanging ??= this.#alone(() => this.#exchange(refused)).finally(() => {
      this.#exchanging = null
    })
    return this.#exchanging
  }

  /**
   * Runs `work` in one tab at a time. Browsers provide no locks to pages without TLS. There, several tabs may
   * refresh one token, because the server accepts repeated refreshes for 30 seconds.
   */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks }
    return locks && this.#store.name ? locks.request(`kith:${this.#store.name}`, work) : work()
  }

  async #exchange(refused: string | undefined): Promise<StoredToken | null> {
    // Another tab may have refreshed the token while this tab waited for the lock.
    const current = await this.#store.get()
    if (!current || (current.token !== refused && Date.now() < current.expiresAt - EARLY_MS)) return current
    for (let attempt = 1; ; attempt += 1) {
      try {
        const next = stored((await this.#post('/auth/refresh', { token: current.token })) as Token)
        // Discards the new token when the user signed out or in during the request.
        const now = await this.#store.get()
        if (now?.token !== current.token) return now
        await this.#store.set(next)
        return next
      } catch (error) {
        if (!(error instanceof KithError)) throw error
        if (error.status === 401) {
          if ((await this.#store.get())?.token === current.token) await this.#forget()
          return null
        }
        if (error.status !== 0 || attempt === EXCHANGE_ATTEMPTS) {
          // Continues with the current token while the token is valid, although the refresh failed.
          if (current.token !== refused && Date.now() < current.expiresAt) return current
          throw error
        }
      }
    }
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const response = await this.#fetch(`${this.#base}${path}`, {
      method: 'POST',
      headers: { ...headers, 'accept-language': this.#language() },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
    }).catch((cause) => {
      throw networkError(cause)
    })
    if (!response.ok) throw await readError(response)
    return response.json()
  }

  async #forget(): Promise<void> {
    await this.#store.set(null)
    this.#tell(false, true)
  }

  #tell(signedIn: boolean, others: boolean): void {
    if (others) this.#channel?.postMessage(signedIn)
    for (const listener of this.#listeners) listener(signedIn)
  }
}

/** Opens a channel that notifies other tabs of sign-ins and sign-outs. `unref` lets a Node process exit. */
function openChannel(name: string | undefined): BroadcastChannel | null {
  if (!name || typeof BroadcastChannel === 'undefined') return null
  const channel = new BroadcastChannel(`kith:${name}`)
  ;(channel as unknown as { unref?: () => void }).unref?.()
  return channel
}

function stored(
  token: { refresh_ttl: number } & (
    | { access_token: string; expires_in: number }
    | { token: string; ttl: number }
  ),
): StoredToken {
  const [value, minutes] =
    'token' in token ? [token.token, token.ttl] : [token.access_token, token.expires_in]
  const inMinutes = (count: number) => Date.now() + count * 60_000
  return { token: value, expiresAt: inMinutes(minutes), refreshUntil: inMinutes(token.refresh_ttl) }
}
