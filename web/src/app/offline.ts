import type { QueryClient } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { KEEP_FOR, KEPT_AT, mayKeep, PAGES } from './kept.ts'

/** `keptAt`: time in milliseconds at which the worker stored what the page shows. Null for data from the server. */
export type Connection = { isOffline: boolean; keptAt: number | null }

let connection: Connection = { isOffline: false, keptAt: null }
const listeners = new Set<(next: Connection) => void>()

function change(by: Partial<Connection>): void {
  connection = { ...connection, ...by }
  for (const listener of listeners) listener(connection)
}

export const forgetKeptTime = (): void => change({ keptAt: null })

export function useConnection(): Connection {
  const [state, setState] = useState<Connection>({ isOffline: false, keptAt: null })
  useEffect(() => {
    setState(connection)
    listeners.add(setState)
    return () => void listeners.delete(setState)
  }, [])
  return state
}

/** Watches the connection, and loads the data of the page again when it returns. */
export function watchConnection(cache: QueryClient): void {
  const { keptAt } = document.documentElement.dataset
  change({ isOffline: !navigator.onLine, keptAt: keptAt ? Number(keptAt) : null })
  addEventListener('offline', () => change({ isOffline: true }))
  addEventListener('online', () => {
    change({ isOffline: false, keptAt: null })
    void cache.invalidateQueries()
  })
}

/** Kith answers a write with JSON, or with 204. Other replies come from a proxy, such as the page of a hotel's network. */
const isStrange = ({ ok, status, headers }: Response) =>
  ok && status !== 204 && !headers.get('content-type')?.startsWith('application/json')

/**
 * `fetch` that notices replies from the worker's cache. Fails when a proxy answers a write as if it had succeeded,
 * because its text would count as published.
 */
export const watchedFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init)
  if (input instanceof Request && input.method !== 'GET' && isStrange(reply))
    throw new TypeError('The reply is not from the site')
  const keptAt = reply.headers.get(KEPT_AT)
  if (keptAt) change({ keptAt: Number(keptAt) })
  return reply
}

const isControlled = () => Boolean(globalThis.navigator?.serviceWorker?.controller)

/** Headers of reads for the page, which let the worker store the replies. */
export const keepHeaders = (account: number): Record<string, string> =>
  isControlled() && mayKeep(location.pathname) ? { [KEEP_FOR]: String(account) } : {}

/** Returns whether the worker stores the document of an address. */
export const isStored = async (url: string): Promise<boolean> =>
  isControlled() && (await caches.match(url, { ignoreVary: true })) !== undefined

const RELOADED = 'kith.reloaded'

/**
 * Reloads the page once, because a script that is missing was replaced by an upgrade. Returns false offline, and when
 * the reload brought the same build.
 */
export function reloadOnce(): boolean {
  const build = document.querySelector('script[type=module]')?.getAttribute('src') ?? ''
  try {
    if (!navigator.onLine || sessionStorage.getItem(RELOADED) === build) return false
    sessionStorage.setItem(RELOADED, build)
  } catch {
    // Without storage, nothing would prevent a second reload.
    return false
  }
  location.reload()
  return true
}

type Policy = { createScriptURL(address: string): string }
const WORKER = '/sw.js'
let policy: Policy | undefined

/** Returns the worker's URL as a trusted type, because the page's policy rejects plain strings. */
function workerAddress(): string {
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes?: { createPolicy(name: string, rules: object): Policy }
  }
  policy ??= trustedTypes?.createPolicy('kith-worker', { createScriptURL: () => WORKER })
  return policy?.createScriptURL(WORKER) ?? WORKER
}

export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register(workerAddress(), { updateViaCache: 'none' })

/** Registers the worker, and lets it store the page that it has not seen. Browsers offer workers with https only. */
export async function startWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const wasControlled = isControlled()
  if (!(await registerWorker()) || wasControlled) return
  const { active } = await navigator.serviceWorker.ready
  const assets = performance
    .getEntriesByType('resource')
    .flatMap(({ name }) => (new URL(name).pathname.startsWith('/_/assets/') ? [name] : []))
  active?.postMessage({ page: location.href, assets })
}

/** Deletes the pages that the worker stored, and ends the push messages of this browser. */
export async function forgetPages(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  for (const name of await caches.keys()) if (name.startsWith(PAGES)) await caches.delete(name)
  for (const { pushManager } of await navigator.serviceWorker.getRegistrations())
    await (await pushManager?.getSubscription())?.unsubscribe()
}
