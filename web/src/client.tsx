import { createClient } from '@kith/client'
import { hydrate as hydrateCache, QueryClientProvider } from '@tanstack/preact-query'
import { hydrate } from 'preact'
import { createCache } from './app/api.ts'
import { App } from './app/app.tsx'
import { type Boot, SiteContext } from './app/site.ts'
import { openVisit } from './app/visit.ts'

/**
 * Header of requests from the site's scripts. The server ignores the session cookie of writes without this header, to
 * prevent cross-site requests (docs/security.md).
 */
const MARK = { 'x-kith-site': '1' }

async function start() {
  const { cache: dehydrated, ...boot } = JSON.parse(
    document.getElementById('kith')?.textContent ?? '',
  ) as Boot & {
    cache: object
  }
  const api = createClient({
    url: location.origin,
    language: boot.language,
    headers: MARK,
  })
  const cache = createCache(api)
  hydrateCache(cache, dehydrated)
  const first = await openVisit(location.pathname + location.search, boot, cache)
  // Later visits of the page start with an empty form.
  boot.posted = null
  hydrate(
    <SiteContext.Provider value={{ ...boot, api }}>
      <QueryClientProvider client={cache}>
        <App first={first} />
      </QueryClientProvider>
    </SiteContext.Provider>,
    document.getElementById('app') as HTMLElement,
  )
  document.documentElement.dataset.ready = ''
}

void start()
