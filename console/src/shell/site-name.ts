import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'

/** Returns what the server wrote into the page, or undefined if another server sent the page. */
const written = (name: string, placeholder: string): string | undefined => {
  const content = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content
  return content === placeholder ? undefined : content
}

/** Name of the site, which is known before the sign-in. */
export const SITE_NAME: string = written('site-name', 'KITH_SITE') || 'Kith'
/** Version of the server. */
export const VERSION: string | undefined = written('version', 'KITH_VERSION')

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
