export type StoredToken = {
  token: string
  /** Expiry in milliseconds since 1970, by the local clock. */
  expiresAt: number
  /** End of the refresh period in milliseconds since 1970. */
  refreshUntil: number
}

/**
 * Storage of the session. Reads must return the latest value that any tab or process wrote, because the server revokes
 * the session when an old token is refreshed again after 30 seconds.
 */
export type TokenStore = {
  get(): StoredToken | null | Promise<StoredToken | null>
  set(token: StoredToken | null): void | Promise<void>
  /** Lock name that clients of one session share, so that one client refreshes at a time. */
  readonly name?: string
}

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
