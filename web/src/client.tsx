import { createClient } from '@kith/client'
import { hydrate as hydrateCache, QueryClientProvider } from '@tanstack/preact-query'
import { hydrate, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { watchAccount } from './app/account.ts'
import { createCache, STALE_MS } from './app/api.ts'
import { App } from './app/app.tsx'
import { tidyDrafts } from './app/drafts.ts'
import { reloadOnce, startWorker, watchConnection, watchedFetch } from './app/offline.ts'
import { fetchAs } from './app/sign-in-again.ts'
import { type Boot, SiteContext } from './app/site.ts'
import { openVisit } from './app/visit.ts'
import { ZoneProvider } from './ui/time.tsx'

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
    fetch: fetchAs(boot.viewer, watchedFetch),
  })
  const cache = createCache(api, boot.viewer?.id ?? 0)
  hydrateCache(cache, dehydrated)
  const url = location.pathname + location.search
  // The document contains the data of its page. The worker may send the stored document of another page.
  const isOwn = boot.url === url
  if (!isOwn) delete document.documentElement.dataset.keptAt
  watchConnection(cache)
  tidyDrafts()
  if (boot.viewer) watchAccount(boot.viewer.id)
  const first = await openVisit(url, boot, cache, isOwn)
  // Later visits of the page start with an empty form.
  boot.posted = null
  if (isOwn && first.error?.code === 'script_failed') {
    if (!reloadOnce()) (document.getElementById('unloaded') as HTMLElement).hidden = false
    return
  }
  const root = document.getElementById('app') as HTMLElement
  const before = typedIn(root)
  const app = (
    <SiteContext.Provider value={{ ...boot, api }}>
      <QueryClientProvider client={cache}>
        <ZoneProvider>
          <App first={first} />
        </ZoneProvider>
        <Mounted onMount={() => putBack([...before, ...typedIn(root)])} />
      </QueryClientProvider>
    </SiteContext.Provider>
  )
  if (isOwn) hydrate(app, root)
  else {
    root.replaceChildren()
    root.hidden = false
    render(app, root)
  }
  // A browser that restores its tabs shows the documents of the day before.
  if (isOwn && document.documentElement.dataset.keptAt === undefined)
    void cache.invalidateQueries({ predicate: ({ state }) => Date.now() - state.dataUpdatedAt > STALE_MS })
  // The site works without the worker, which browsers may refuse. It starts last, so that it delays nothing.
  const addWorker = () => void startWorker().catch(() => {})
  if (document.readyState === 'complete') addWorker()
  else addEventListener('load', addWorker)
}

type Typed = [HTMLInputElement | HTMLTextAreaElement, string][]

/** Fields with another text than the server rendered. */
const typedIn = (root: HTMLElement): Typed =>
  [...root.querySelectorAll<Typed[number][0]>('input:not([type=file]), textarea')].flatMap((field) =>
    field.value === field.defaultValue ? [] : [[field, field.value]],
  )

/** Tells the components what was typed before the scripts arrived, and until now. */
function putBack(typed: Typed): void {
  for (const [field, value] of new Map(typed)) {
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  document.documentElement.dataset.ready = ''
}

/** Calls `onMount` after the effects of the components before it, which may set fields to their stored text. */
function Mounted({ onMount }: { onMount(): void }) {
  useEffect(onMount, [])
  return null
}

void start()
