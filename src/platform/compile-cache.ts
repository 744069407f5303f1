import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Turns on Node's compile cache, because a start without a build step compiles hundreds of files. Without a
 * writable folder the start only takes longer.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))
}
