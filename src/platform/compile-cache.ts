import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Enables Node's compile cache, because Kith has no build step and each start compiles hundreds of files. */
export function cacheCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))
}
