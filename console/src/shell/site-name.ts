import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'

const PLACEHOLDER = 'KITH_SITE'

const written = document.querySelector<HTMLMetaElement>('meta[name=site-name]')?.content

/** Name of the site. The server writes it into the page, so that it is known before the sign-in. */
export const SITE_NAME: string = written && written !== PLACEHOLDER ? written : 'Kith'

/** Reads the names and pictures of the site. After a change, `fetchQuery` shows the new name. */
export const SITE_QUERY = {
  queryKey: ['bootstrappers'],
  queryFn: () => call<{ identity: { name: string } }>('GET', '/bootstrappers'),
}

/** Returns the name of the site, which an administrator may have changed since the page was loaded. */
export function useSiteName(): string {
  const { data } = useQuery({ ...SITE_QUERY, enabled: false })
  return data?.identity.name ?? SITE_NAME
}
