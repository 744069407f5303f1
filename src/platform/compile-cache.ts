import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Hundreds of files without a build step: what was compiled once need not be compiled at every start. A folder that
 * cannot be written to only costs the time.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))
}
