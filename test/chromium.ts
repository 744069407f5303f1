import { existsSync } from 'node:fs'

/** The Chromium of this machine; undefined without one. */
export const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)
if (!BROWSER && process.env.CI) throw new Error('CI installs chromium: pages have to be seen')

/** Reason to skip tests in a browser; false without one. */
export const CANNOT_LOOK = BROWSER ? false : 'chromium is not installed'
