import { cacheCompiledCode } from '#platform/compile-cache.ts'
import { requireRuntime } from '#platform/runtime.ts'

requireRuntime()
cacheCompiledCode()

try {
  const { serve } = await import('./serve.ts')
  await serve(process.env)
} catch (error) {
  console.error(error instanceof Error && error.name === 'ConfigError' ? error.message : error)
  process.exit(1)
}
