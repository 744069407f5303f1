import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { currentLocale, keepLocale } from './shell/text.ts'

keepLocale(currentLocale())
// Generated styles need the nonce that the page's policy allows.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const styles = createCache({ key: 'kith', ...(nonce ? { nonce } : {}) })

// Reloads the console when a script is missing, because an update of the server removes old scripts.
addEventListener('vite:preloadError', (event) => {
  const last = Number(sessionStorage.getItem('kith.console.reloaded') ?? 0)
  if (Date.now() - last < 10_000) return
  sessionStorage.setItem('kith.console.reloaded', String(Date.now()))
  event.preventDefault()
  location.reload()
})

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <CacheProvider value={styles}>
      <App />
    </CacheProvider>,
  )
