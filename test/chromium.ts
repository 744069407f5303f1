import { existsSync } from 'node:fs'

export const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)
if (!BROWSER && process.env.CI) throw new Error('CI installs chromium: pages have to be seen')

export const CANNOT_LOOK = BROWSER ? false : 'chromium is not installed'
