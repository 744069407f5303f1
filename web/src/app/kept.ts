/** Name of the cache with the pages and API replies of one account, before its id. Guests have the id 0. */
export const PAGES = 'kith-pages-'
/** Cache of built files, which are the same for everybody. */
export const ASSETS = 'kith-assets'

/** Header of pages with the id of the account that they were rendered for. `src/platform/http/web/pages.ts` sends it. */
export const ACCOUNT = 'x-kith-account'
/** Header of reads whose replies the worker may store, with the id of the page's account. */
export const KEEP_FOR = 'x-kith-keep-for'
/** Header of stored replies with the time of their storage in milliseconds. */
export const KEPT_AT = 'x-kith-kept-at'

/** Pages with forms for passwords, with sessions or with money. The worker never stores them. */
const NEVER_KEPT = /^\/(account|settings|wallet|sign-in|join|forgotten-password)(\/|$)/

export const mayKeep = (path: string): boolean => !NEVER_KEPT.test(path)
