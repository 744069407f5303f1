import { isStill } from './account.ts'
import type { Boot } from './site.ts'

/** Writes that the page sends on its own. A dialog would interrupt the person who writes. */
const AUTOMATIC = /\/(typing|presence|position|preview|user\/notifications)$/
/** The read with which an upload begins. */
const UPLOAD = '/files/uploaded/'

let show: (() => Promise<boolean>) | undefined
let open: Promise<boolean> | undefined

/** Registers the dialog, which resolves to true after a sign-in to the same account. */
export function onSessionEnd(dialog: () => Promise<boolean>): () => void {
  show = dialog
  return () => {
    show = undefined
  }
}

/** Asks for the password in a dialog above the page, which keeps what was typed. Requests share one dialog. */
export function signInAgain(): Promise<boolean> {
  open ??= (show?.() ?? Promise.resolve(false)).finally(() => {
    open = undefined
  })
  return open
}

/**
 * Wraps `fetch` for the pages of the viewer. When the session has ended, a write waits for a new sign-in and is sent
 * again. No write leaves the page of an account that another tab has left.
 */
export const fetchAs = (viewer: Boot['viewer'], fetch: typeof globalThis.fetch): typeof fetch =>
  async function fetchAsViewer(input, init) {
    if (!viewer || !(input instanceof Request) || (input.method === 'GET' && !input.url.includes(UPLOAD)))
      return fetch(input, init)
    if (!isStill(viewer.id)) {
      location.reload()
      throw new Error('The page belongs to another account')
    }
    const again = input.clone()
    const response = await fetch(input)
    const isOver = response.status === 401 && response.headers.get('x-error-code') === 'unauthenticated'
    if (!isOver || AUTOMATIC.test(new URL(input.url).pathname) || !(await signInAgain())) return response
    return fetch(again)
  }
