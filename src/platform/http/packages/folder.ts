import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** The packages that the server builds and serves: the console at /admin and the site at /. */
export const PACKAGES = ['web', 'console'] as const
export type PackageName = (typeof PACKAGES)[number]

/** The folder of a package. A release holds only its build. */
export const packageFolder = (name: PackageName): string => join(ROOT, name)

/** Output folder of a build, with `built.json` as its index. */
export const builtFolder = (name: PackageName): string => join(ROOT, name, 'dist')

/** Index of a build: the hash of its sources, and every file to serve. */
export type Build = { sources: string; files: string[] }

/** Returns the index of the build; undefined without one. */
export function readBuilt(name: PackageName): Build | undefined {
  try {
    return JSON.parse(readFileSync(join(builtFolder(name), 'built.json'), 'utf8')) as Build
  } catch {
    return undefined
  }
}

/** Returns whether the sources are here, so that the package can be built. */
export const hasSources = (name: PackageName): boolean =>
  existsSync(join(packageFolder(name), 'package-lock.json'))

/** Hash of everything that the build depends on: the package, the client and the contract. */
export function hashSources(name: PackageName): string {
  const hash = createHash('sha256')
  const files = globSync(
    [`${name}/*`, `${name}/{src,public}/**/*`, 'sdk/*', 'sdk/src/**/*', 'openapi.json'],
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
