import { ACCOUNT, ASSETS, KEEP_FOR, KEPT_AT, mayKeep, PAGES } from './kept.ts'

/** Types of service workers, which the library of pages lacks. */
type Lasting = Event & { waitUntil(work: Promise<unknown>): void }
type Fetching = Lasting & {
  request: Request
  preloadResponse?: Promise<Response | undefined>
  respondWith(reply: Promise<Response>): void
}
type Scope = {
  addEventListener<E extends Event>(type: string, listener: (event: E) => void): void
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
  registration: { navigationPreload?: { enable(): Promise<void> } }
}

const worker = self as unknown as Scope

const WEEK_MS = 7 * 86_400_000
const PAGES_MOST = 50
const REPLIES_MOST = 200
const ASSETS_MOST = 400
const CHARACTERS_MOST = 8_000_000
const CHARACTERS_MOST_EACH = 1_000_000
const LENGTH = 'x-kith-length'
const NO_PAGES = /^\/(api|admin|docs|health|storage|metrics|_)(\/|$)/

const isReply = (url: string) => new URL(url).pathname.startsWith('/api/')
const find = (cache: Cache, url: string) => cache.match(url, { ignoreVary: true })

/** Returns whether a proxy replied instead of Kith, because Kith is down. */
const isOutage = ({ status, headers }: Response) =>
  status >= 502 && status <= 504 && !headers.has(ACCOUNT) && !headers.has('x-error-code')

const isFresh = ({ headers }: Response) => Date.now() - Number(headers.get(KEPT_AT)) < WEEK_MS

const pageCaches = async () => (await caches.keys()).filter((name) => name.startsWith(PAGES))

/** Deletes what is too old, and the oldest entries above the limits. */
async function trim(cache: Cache): Promise<void> {
  const entries = await Promise.all(
    (await cache.keys()).map(async ({ url }) => {
      const headers = (await find(cache, url))?.headers
      return { url, keptAt: Number(headers?.get(KEPT_AT)), length: Number(headers?.get(LENGTH)) }
    }),
  )
  let [pages, replies, characters] = [0, 0, 0]
  for (const { url, keptAt, length } of entries.sort((a, b) => b.keptAt - a.keptAt)) {
    if (isReply(url)) replies += 1
    else pages += 1
    characters += length
    const isSurplus = isReply(url) ? replies > REPLIES_MOST : pages > PAGES_MOST
    if (isSurplus || characters > CHARACTERS_MOST || Date.now() - keptAt > WEEK_MS) await cache.delete(url)
  }
}

let stored = 0
const TRIM_EVERY = 10

async function store(account: string, url: string, response: Response): Promise<void> {
  const text = await response.text()
  if (text.length > CHARACTERS_MOST_EACH) return
  const headers = new Headers(response.headers)
  const now = String(Date.now())
  headers.set(KEPT_AT, now)
  headers.set(LENGTH, String(text.length))
  // The page reads the time from its document, because scripts cannot read the headers of a navigation.
  const body = isReply(url) ? text : text.replace('<html ', `<html data-kept-at="${now}" `)
  const cache = await caches.open(PAGES + account)
  await cache.put(url, new Response(body, { status: response.status, headers }))
  if (stored++ % TRIM_EVERY === 0) await trim(cache)
}

/** Stores a page for its account, and deletes the pages of all other accounts. */
async function keepPage(url: string, response: Response): Promise<void> {
  const account = response.headers.get(ACCOUNT)
  if (account === null) return
  for (const name of await pageCaches()) if (name !== PAGES + account) await caches.delete(name)
  if (response.status === 200 && mayKeep(new URL(url).pathname)) await store(account, url, response)
}

/** Hides the content of a stored page, whose scripts then load the data of another address. */
async function asShell(page: Response): Promise<Response> {
  const { headers, status } = page
  return new Response((await page.text()).replace('<div id="app">', '<div id="app" hidden>'), {
    headers,
    status,
  })
}

async function findPage(url: string): Promise<Response | undefined> {
  for (const name of await pageCaches()) {
    const cache = await caches.open(name)
    const own = await find(cache, url)
    if (own && isFresh(own)) return own
    const other = (await cache.keys()).filter((each) => !isReply(each.url)).at(-1)
    const page = other && (await find(cache, other.url))
    if (page && isFresh(page)) return asShell(page)
  }
  return undefined
}

async function answerPage(event: Fetching): Promise<Response> {
  const { request } = event
  const response = await through(event).catch(() => undefined)
  if (response && !isOutage(response)) {
    event.waitUntil(keepPage(request.url, response.clone()).catch(() => {}))
    return response
  }
  return (await findPage(request.url)) ?? response ?? offlinePage()
}

async function through({ request, preloadResponse }: Fetching): Promise<Response> {
  return (await preloadResponse) ?? fetch(request)
}

async function answerRead(event: Fetching, account: string): Promise<Response> {
  const { request } = event
  const findOwn = async () => {
    if (!(await caches.has(PAGES + account))) return undefined
    const own = await find(await caches.open(PAGES + account), request.url)
    return own && isFresh(own) ? own : undefined
  }
  let response: Response
  try {
    response = await fetch(request)
  } catch (error) {
    const own = await findOwn()
    if (own) return own
    throw error
  }
  if (isOutage(response)) return (await findOwn()) ?? response
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  // Only a page creates the cache of an account, so that a tab of an earlier account stores nothing.
  if (response.status === 200 && isJson && (await caches.has(PAGES + account)))
    event.waitUntil(store(account, request.url, response.clone()).catch(() => {}))
  return response
}

async function answerAsset(url: string, wait: (work: Promise<unknown>) => void): Promise<Response> {
  const cache = await caches.open(ASSETS)
  const known = await find(cache, url)
  if (known) return known
  const response = await fetch(url)
  if (response.ok) {
    const keep = async (copy: Response) => {
      await cache.put(url, copy)
      const all = await cache.keys()
      for (const old of all.slice(0, Math.max(0, all.length - ASSETS_MOST))) await cache.delete(old)
    }
    wait(keep(response.clone()).catch(() => {}))
  }
  return response
}

worker.addEventListener('fetch', (event: Fetching) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  const account = request.headers.get(KEEP_FOR)
  if (request.mode === 'navigate')
    event.respondWith(NO_PAGES.test(pathname) ? through(event) : answerPage(event))
  else if (pathname.startsWith('/_/assets/'))
    event.respondWith(answerAsset(request.url, (work) => event.waitUntil(work)))
  else if (account !== null) event.respondWith(answerRead(event, account))
})

/** A page that registers the worker was loaded without it, so the page sends its own address and files. */
worker.addEventListener('message', (event: Lasting & { data: { page: string; assets: string[] } }) => {
  const { page, assets } = event.data
  const keep = async () => {
    await keepPage(page, await fetch(page, { headers: { accept: 'text/html' } }))
    for (const asset of assets) await answerAsset(asset, (work) => event.waitUntil(work))
  }
  event.waitUntil(keep().catch(() => {}))
})

// A new version takes over at once. Open pages keep working, because the worker knows nothing about a build.
worker.addEventListener('install', (event: Lasting) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event: Lasting) => {
  const takeOver = async () => {
    for (const name of await caches.keys())
      if (name.startsWith('kith-') && name !== ASSETS && !name.startsWith(PAGES)) await caches.delete(name)
    await worker.registration.navigationPreload?.enable()
    await worker.clients.claim()
  }
  event.waitUntil(takeOver())
})

const OFFLINE = {
  en: ['You are offline', 'This page is not stored on this device. Check your connection.', 'Try again'],
  zh: ['网络未连接', '此设备上没有保存这个页面，请检查网络连接。', '重试'],
}

function offlinePage(): Response {
  const language = navigator.language.startsWith('zh') ? 'zh' : 'en'
  const [title, text, again] = OFFLINE[language]
  return new Response(
    `<!doctype html><html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title}</title><style>body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:30rem;margin:20vh auto 0;padding:0 1rem;text-align:center}</style>
<h1>${title}</h1><p>${text}</p><p><a href="">${again}</a></p></html>`,
    {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
    },
  )
}
