import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import mark from '../mark.svg'

const PLACEHOLDER = /^KITH_/

const writtenIn = (name: string): string | undefined => {
  const written = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content
  return written && !PLACEHOLDER.test(written) ? written : undefined
}

/** Name of the site. The server writes it into the page, so that it is known before the sign-in. */
export const SITE_NAME: string = writtenIn('site-name') ?? 'Kith'

/** Version of the server. */
export const VERSION: string | undefined = writtenIn('version')

/** Icon of the site, or the mark of the software. */
export const SITE_ICON: string = writtenIn('site-icon') ?? mark

/** Reads the names and pictures of the site. After a change, `fetchQuery` shows the new ones. */
export const SITE_QUERY = {
  queryKey: ['bootstrappers'],
  queryFn: () => call<{ identity: { name: string; icon?: string } }>('GET', '/bootstrappers'),
}

/** Returns name and icon of the site, which an administrator may have changed since the page was loaded. */
export function useSiteHead(): { name: string; icon: string } {
  const { data } = useQuery({ ...SITE_QUERY, enabled: false })
  if (!data) return { name: SITE_NAME, icon: SITE_ICON }
  const { name, icon } = data.identity
  return { name, icon: icon === undefined ? mark : pathOf(icon) }
}

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
