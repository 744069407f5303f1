import { createClient } from '@kith/client'
import { hydrate as hydrateCache, QueryClientProvider } from '@tanstack/preact-query'
import { hydrate } from 'preact'
import { watchAccount } from './app/account.ts'
import { createCache } from './app/api.ts'
import { App } from './app/app.tsx'
import { tidyDrafts } from './app/drafts.ts'
import { fetchAs } from './app/sign-in-again.ts'
import { type Boot, SiteContext } from './app/site.ts'
import { openVisit } from './app/visit.ts'

/**
 * Header of requests from the site's scripts. The server ignores the session cookie of writes without this header, to
 * prevent cross-site requests (docs/security.md).
 */
const MARK = { 'x-kith-site': '1' }

type Field = HTMLInputElement | HTMLTextAreaElement

const UNTYPED = new Set(['checkbox', 'radio', 'file', 'hidden', 'submit', 'range'])

/**
 * Keeps what somebody typed before the scripts arrived, because hydration resets the fields. A restored draft stays in
 * front of it.
 */
function takeTyped(): () => void {
  const fields = [...document.querySelectorAll<Field>('#app textarea, #app input')]
  const typed = fields.flatMap((field) =>
    UNTYPED.has(field.type) || field.value === field.defaultValue ? [] : [{ field, value: field.value }],
  )
  return () => {
    for (const { field, value } of typed) {
      const isFilled = field.value !== '' && field.value !== field.defaultValue && field.value !== value
      field.value = isFilled ? `${field.value} ${value}` : value
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }
}

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
    fetch: fetchAs(boot.viewer),
  })
  const cache = createCache(api)
  hydrateCache(cache, dehydrated)
  const first = await openVisit(location.pathname + location.search, boot, cache)
  tidyDrafts()
  if (boot.viewer) watchAccount(boot.viewer.id)
  const typed = takeTyped()
  hydrate(
    <SiteContext.Provider value={{ ...boot, api }}>
      <QueryClientProvider client={cache}>
        <App first={first} />
      </QueryClientProvider>
    </SiteContext.Provider>,
    document.getElementById('app') as HTMLElement,
  )
  typed()
  document.documentElement.dataset.ready = ''
}

void start()
