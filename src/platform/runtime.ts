import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const oldest = 24

export function requireRuntime(): void {
  const fault = findRuntimeFault(process.versions.node)
  if (fault === null) return
  process.stderr.write(`kith: ${fault}\n`)
  process.exit(1)
}

export function findRuntimeFault(version: string): string | null {
  if (Number.parseInt(version, 10) >= oldest) return null
  return (
    `this is Node.js ${version}, but Kith needs ${oldest} or later. Its own Node.js is an optional dependency: ` +
    'run `npm ci --include=optional` and start it with `npm start` or `npx kith`, or install a newer Node.js.'
  )
}

/** Enables Node's compile cache, because Kith has no build step and each start compiles hundreds of files. */
export function cacheCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))
}
