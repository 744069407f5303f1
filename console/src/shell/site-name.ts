import { useSyncExternalStore } from 'react'
import { call } from '../api/client.ts'
import mark from '../mark.svg'

const PLACEHOLDER = /^KITH_/

const writtenIn = (name: string): string | undefined => {
  const written = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content
  return written && !PLACEHOLDER.test(written) ? written : undefined
}

/** Version of the server. */
export const VERSION: string | undefined = writtenIn('version')

type SiteHead = { name: string; icon: string }

/** Name and icon of the site. The server writes them into the page, so that they are known before the sign-in. */
let head: SiteHead = {
  name: writtenIn('site-name') ?? 'Kith',
  icon: writtenIn('site-icon') ?? mark,
}
const listeners = new Set<() => void>()

export type Identity = { name: string; logo?: string; icon?: string; picture?: string }

/** Reads the names and pictures of the site, and shows them in the head of the console and in its tab. */
export const SITE_QUERY = {
  queryKey: ['bootstrappers'],
  // Without it, `fetchQuery` returns the former name for some seconds after an earlier change.
  staleTime: 0,
  queryFn: async () => {
    const boot = await call<{ identity: Identity }>('GET', '/bootstrappers')
    const { name, icon } = boot.identity
    head = { name, icon: icon === undefined ? mark : pathOf(icon) }
    for (const show of listeners) show()
    return boot
  },
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns name and icon of the site. Keeps changes after a sign-out, which clears the cache of queries. */
export const useSiteHead = (): SiteHead => useSyncExternalStore(subscribe, () => head)

/** The console may be open at another address than PUBLIC_URL, and its policy allows pictures of its own origin. */
const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address)
  return pathname + search
}

export function showTabIcon(icon: string): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (!link || icon === mark) return
  link.removeAttribute('type')
  link.href = icon
}
