import { cacheCompiledCode } from '#platform/compile-cache.ts'
import { requireRuntime } from '#platform/runtime.ts'

requireRuntime()
cacheCompiledCode()

try {
  const { serve } = await import('./serve.ts')
  await serve(process.env)
} catch (error) {
  const isTold = error instanceof Error && ['ConfigError', 'StartFault'].includes(error.name)
  console.error(isTold ? error.message : error)
  process.exit(1)
}
