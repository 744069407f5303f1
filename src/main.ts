import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { cacheCompiledCode, requireRuntime } from '#platform/runtime.ts'
import { readStartOptions, START_USAGE, StartUsageError } from '#startup/start-options.ts'

requireRuntime()
cacheCompiledCode()

/** Loads the restore only for a request, because each start waits for this check. */
async function restoreIfRequested(): Promise<void> {
  const { readConfig } = await import('#platform/config')
  const { requestFile } = await import('#backup/request.ts')
  if (!existsSync(requestFile(readConfig(process.env)))) return
  const { restoreRequested } = await import('./commands/requested-restore.ts')
  await restoreRequested(process.env)
}

try {
  // `kith start` imports this file too, so `start` may come before the options.
  const args = process.argv.slice(process.argv[2] === 'start' ? 3 : 2)
  const options = readStartOptions(args, process.env)
  if (options.has('--help')) {
    process.stdout.write(START_USAGE)
    process.exit(0)
  }
  if (cluster.isPrimary) await restoreIfRequested()
  if (cluster.isPrimary && options.has('--demo')) {
    const { fillDemo } = await import('../demo/command.ts')
    await fillDemo(process.env, { scale: 'small', seed: 1, unlessFilled: true })
  }
  const { readConfig } = await import('#platform/config')
  const config = readConfig(process.env)
  if (cluster.isPrimary && config.processes > 1) {
    const { supervise } = await import('#startup/supervise.ts')
    await supervise(config)
  } else {
    const { serve } = await import('#startup/serve.ts')
    await serve(config)
  }
} catch (error) {
  if (error instanceof StartUsageError) {
    process.stderr.write(`kith: ${error.message}${error.message.endsWith('?') ? '' : '.'}\n\n${START_USAGE}`)
    process.exit(2)
  }
  const isTold = error instanceof Error && ['ConfigError', 'StartFault'].includes(error.name)
  console.error(isTold ? error.message : error)
  process.exit(1)
}
