/** A sign-in as it is kept. */
export type StoredToken = {
  token: string
  /** When it is no longer good, in milliseconds since 1970 by the clock of this machine. */
  expiresAt: number
  /** Until when it can be exchanged. */
  refreshUntil: number
}

/**
 * Where the sign-in is kept. Every read must see what another tab or process wrote: a token that was exchanged
 * elsewhere must not be presented again (after 30 seconds the server ends the whole sign-in).
 */
export type TokenStore = {
  get(): StoredToken | null | Promise<StoredToken | null>
  set(token: StoredToken | null): void | Promise<void>
  /** The same for clients that share the sign-in: they exchange it one at a time. */
  readonly name?: string
}

/** Keeps the sign-in as long as this object lives. */
export function memoryTokens(token: StoredToken | null = null): TokenStore {
  let kept = token
  return {
    get: () => kept,
    set: (next) => {
      kept = next
    },
  }
}

type WebStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Keeps the sign-in in the browser, shared by its tabs: in `localStorage` unless another storage is given. */
export function browserTokens(
  options: { key?: string; storage?: WebStorage } = {},
): TokenStore & { name: string } {
  const name = options.key ?? 'kith.session'
  const storage = options.storage ?? (globalThis as unknown as { localStorage: WebStorage }).localStorage
  return {
    name,
    get() {
      try {
        const kept = JSON.parse(storage.getItem(name) ?? 'null')
        return typeof kept?.token === 'string' ? kept : null
      } catch {
        return null
      }
    },
    set: (token) => (token ? storage.setItem(name, JSON.stringify(token)) : storage.removeItem(name)),
  }
}
