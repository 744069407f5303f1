import cluster from 'node:cluster'
import { cacheCompiledCode } from '#platform/compile-cache.ts'
import { requireRuntime } from '#platform/runtime.ts'

requireRuntime()
cacheCompiledCode()

try {
  // A child of a server with several processes gets the arguments too.
  if (cluster.isPrimary && process.argv.includes('--demo')) {
    const { fillDemo } = await import('./commands/demo.ts')
    await fillDemo(process.env, { scale: 'small', seed: 1, force: false, unlessFilled: true })
  }
  const { readConfig } = await import('#platform/config.ts')
  const config = readConfig(process.env)
  if (cluster.isPrimary && config.processes > 1) {
    const { supervise } = await import('./supervise.ts')
    await supervise(config)
  } else {
    const { serve } = await import('./serve.ts')
    await serve(config)
  }
} catch (error) {
  const isTold = error instanceof Error && ['ConfigError', 'StartFault'].includes(error.name)
  console.error(isTold ? error.message : error)
  process.exit(1)
}
