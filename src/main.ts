import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { requireRuntime } from '#platform/runtime.ts'

requireRuntime()
// Hundreds of files without a build step: what was compiled once need not be compiled at every start. A folder that
// cannot be written to only costs the time.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))

try {
  const { serve } = await import('./serve.ts')
  await serve(process.env)
} catch (error) {
  console.error(error instanceof Error && error.name === 'ConfigError' ? error.message : error)
  process.exit(1)
}
