import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { currentLocale, keepLocale } from './shell/text.ts'

keepLocale(currentLocale())
// The styles that are made here carry the nonce that this answer of the server allows.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const styles = createCache({ key: 'kith', ...(nonce ? { nonce } : {}) })

// After an update of the server an open page may ask for a part that is gone: begin anew with what is there.
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
