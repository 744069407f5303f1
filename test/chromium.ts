import { existsSync } from 'node:fs'

/** The Chromium of this machine; undefined where none is installed. */
export const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)
if (!BROWSER && process.env.CI) throw new Error('CI installs chromium: pages have to be seen')

/** Why nothing can be looked at here; false where it can. */
export const CANNOT_LOOK = BROWSER ? false : 'chromium is not installed'
