import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The console's own package. A release holds nothing of it but what was built. */
export const CONSOLE_FOLDER = join(ROOT, 'console')

/** What `vite build` made, with `built.json` as its table of contents. */
export const BUILT_FOLDER = join(CONSOLE_FOLDER, 'dist')

/** The table of contents of what was built: from which sources, and every file that is served. */
export type Built = { sources: string; files: string[] }

/** What was built; undefined where nothing was. */
export function readBuilt(): Built | undefined {
  try {
    return JSON.parse(readFileSync(join(BUILT_FOLDER, 'built.json'), 'utf8')) as Built
  } catch {
    return undefined
  }
}

/** Whether the sources are here, so that the console can be built. */
export const hasSources = () => existsSync(join(CONSOLE_FOLDER, 'package-lock.json'))

/** Stands for everything that the build is made from: the console, the client and the contract. */
export function hashSources(): string {
  const hash = createHash('sha256')
  const files = globSync(
    ['console/*', 'console/{src,public}/**/*', 'sdk/*', 'sdk/src/**/*', 'openapi.json'],
    {
      cwd: ROOT,
      withFileTypes: true,
    },
  )
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort()
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0')
  return hash.digest('hex')
}
