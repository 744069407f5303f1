import type { KithError } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { ConfirmProvider } from './confirm.tsx'
import { ErrorPage } from './error-page.tsx'
import { forgetKeptTime, isStored, reloadOnce } from './offline.ts'
import { Shell } from './shell.tsx'
import { useSite } from './site.ts'
import { setTitle } from './title.ts'
import { ToastProvider } from './toast.tsx'
import { headOf, openVisit, type Shown } from './visit.ts'
import { useWords, words } from './words.ts'

const WORDS = words({ failed: ['Page not available', '页面无法显示'], loading: ['Loading', '加载中'] })

const places = new Map<string, number>()
const addressOf = () => location.pathname + location.search

export function App({ first }: { first: Shown }) {
  const t = useWords(WORDS)
  const site = useSite()
  const cache = useQueryClient()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const url = search ? `${path}?${search}` : path
  const [shown, setShown] = useState(first)
  const [attempt, setAttempt] = useState(0)
  const tried = useRef(0)
  const isBack = useRef(false)
  const address = useRef('')
  const isBusy = shown.url !== url || tried.current !== attempt

  useEffect(() => {
    if (shown.url === url && tried.current === attempt) return
    let isOver = false
    forgetKeptTime()
    void openVisit(url, site, cache, isBack.current).then(async (next) => {
      if (next.error && (await loadDocument(next.error, url))) return
      if (isOver) return
      tried.current = attempt
      if (next.redirect) return navigate(next.redirect, { replace: true })
      setShown(next)
    })
    return () => {
      isOver = true
    }
  }, [url, attempt])

  useEffect(() => {
    history.scrollRestoration = 'manual'
    const note = () => places.set(location.href, scrollY)
    // A link to a heading of the same page causes the event too.
    const goBack = () => {
      if (addressOf() !== address.current) isBack.current = true
    }
    addEventListener('scroll', note, { passive: true })
    addEventListener('popstate', goBack)
    return () => {
      removeEventListener('scroll', note)
      removeEventListener('popstate', goBack)
    }
  }, [])
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    address.current = addressOf()
    setTitle(titleOf(headOf(shown, cache, t).title, site.settings.identity.name))
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    scrollTo(0, (isBack.current && places.get(location.href)) || 0)
    isBack.current = false
    // Moves the focus of keyboards and screen readers to the new page.
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [shown])

  const Body = shown.page?.body
  return (
    <ToastProvider>
      <ConfirmProvider url={url}>
        <Shell path={shown.visit.path}>
          {isBusy && (
            <div class="progress" role="progressbar" aria-label={t.loading}>
              <span />
            </div>
          )}
          {Body && !shown.error ? (
            <Body key={shown.visit.path} visit={shown.visit} />
          ) : (
            <ErrorPage error={shown.error} onRetry={() => setAttempt(attempt + 1)} />
          )}
        </Shell>
      </ConfirmProvider>
    </ToastProvider>
  )
}

/**
 * Loads the document instead, if the script is missing after an upgrade, only the document is stored, or the session has
 * ended, so that the server asks for a sign-in.
 */
async function loadDocument({ code, status }: KithError, url: string): Promise<boolean> {
  if (code === 'script_failed' && reloadOnce()) return true
  if (status !== 401 && (status !== 0 || !(await isStored(url)))) return false
  location.reload()
  return true
}

/** A page without a title has the name of the site. */
export const titleOf = (title: string, site: string): string => (title === '' ? site : `${title} · ${site}`)
