import { forgetDrafts } from './drafts.ts'
import { forgetPages } from './offline.ts'
import { read, remove, write } from './storage.ts'

/** The account that this browser is signed in to. Tabs that show another account reload. */
const KEY = 'kith.account'

let isNoted = false

/** False after a sign-out or a sign-in to another account, in this tab or another. */
export const isStill = (account: number): boolean => !isNoted || read(KEY) === String(account)

/** Reloads the page when another tab changes the account, so that no text is published in the name of another account. */
export function watchAccount(account: number): void {
  isNoted = write(KEY, String(account))
  const check = () => {
    if (!isStill(account)) location.reload()
  }
  addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) check()
  })
  // The browser may show a page of the earlier account after the button "Back".
  addEventListener('pageshow', check)
}

/** Removes everything of the account from this browser: drafts, stored pages and push messages. */
export async function forgetAccount(account: number): Promise<void> {
  // Comes first, because tabs write drafts only while the account is noted.
  remove(KEY)
  forgetDrafts(account)
  try {
    for (const key of Object.keys(sessionStorage)) if (/^kith[.-]/.test(key)) sessionStorage.removeItem(key)
  } catch {}
  await forgetPages()
}
