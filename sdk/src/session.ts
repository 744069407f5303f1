import { KithError, networkError, readError } from './errors.ts'
import type { components } from './generated/api.ts'
import type { StoredToken, TokenStore } from './token-store.ts'

type Token = components['schemas']['Token']
type SignIn = components['schemas']['SignIn']

/** Asked when a password alone does not do, again while its answer is wrong: gives the code to send, or null to give up. */
export type AnswerSecondFactor = (challenge: KithError) => string | null | Promise<string | null>

const SECOND_FACTOR = ['second_factor_required', 'wrong_second_factor']

/** A token this close to its end is exchanged before it is used. */
const EARLY_MS = 60_000
/** An exchange that got no answer is asked for again at once: the server repeats it for 30 seconds only. */
const EXCHANGE_ATTEMPTS = 3
const EXCHANGE_TIMEOUT_MS = 8_000

type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> }
type Listener = (signedIn: boolean) => void

/** A person's sign-in: kept, exchanged before it ends, one exchange at a time across all tabs. */
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

  /** Signs in with a password or a code. `secondFactor` is asked when the server wants more than that. */
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

  /** Takes over a token that an operation answered: of registration, or of an account outside. */
  async adopt(
    token: { refresh_ttl: number } & (
      | { access_token: string; expires_in: number }
      | { token: string; ttl: number }
    ),
  ): Promise<void> {
    await this.#store.set(stored(token))
    this.#tell(true, true)
  }

  /** Ends the sign-in here and on the server. Here it ends in any case; whether the server heard of it is answered. */
  async signOut(): Promise<boolean> {
    const kept = await this.#store.get()
    await this.#forget()
    if (!kept) return true
    return this.#post('/auth/logout', { token: kept.token }).then(
      () => true,
      () => false,
    )
  }

  /** Whether there is a sign-in that can still be used. */
  async isSignedIn(): Promise<boolean> {
    const kept = await this.#store.get()
    return kept !== null && Date.now() < Math.max(kept.expiresAt, kept.refreshUntil)
  }

  /** Calls back when somebody signs in or the sign-in ends, here or in another tab. Answers how to stop that. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A token to send now, exchanged when it ends soon; null for guests. `refused` is one that the server did not take. */
  async token(refused?: string): Promise<string | null> {
    const kept = await this.#store.get()
    if (!kept) return null
    if (kept.token !== refused && Date.now() < kept.expiresAt - EARLY_MS) return kept.token
    const next = await this.#exchangeOnce(refused)
    return next?.token ?? null
  }

  /** Lets go of what keeps a process or a page busy. */
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
   * Runs while no other tab exchanges. Where there are no locks (a page without TLS), two tabs may exchange the same token
   * at once: within 30 seconds the server gives each of them a good one, and each of them reads the store first.
   */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks }
    return locks && this.#store.name ? locks.request(`kith:${this.#store.name}`, work) : work()
  }

  async #exchange(refused: string | undefined): Promise<StoredToken | null> {
    // Another tab may have been quicker.
    const kept = await this.#store.get()
    if (!kept || (kept.token !== refused && Date.now() < kept.expiresAt - EARLY_MS)) return kept
    for (let attempt = 1; ; attempt += 1) {
      try {
        const next = stored((await this.#post('/auth/refresh', { token: kept.token })) as Token)
        // Signed out, or signed in as somebody else, meanwhile: that holds.
        const now = await this.#store.get()
        if (now?.token !== kept.token) return now
        await this.#store.set(next)
        return next
      } catch (error) {
        if (!(error instanceof KithError)) throw error
        if (error.status === 401) {
          if ((await this.#store.get())?.token === kept.token) await this.#forget()
          return null
        }
        if (error.status !== 0 || attempt === EXCHANGE_ATTEMPTS) {
          // What is good for a while yet does until the server can be reached again.
          if (kept.token !== refused && Date.now() < kept.expiresAt) return kept
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

/** Tells other tabs of sign-ins; none where the sign-in is not shared. A process in Node may end in spite of it. */
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
