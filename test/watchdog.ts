import { isMainThread, Worker } from 'node:worker_threads'

// The runner's own timeout asks a test process to end, which one that is caught in a loop never hears.
if (isMainThread)
  new Worker(
    `setTimeout(() => {
      require('node:fs').writeSync(2, ${JSON.stringify(`Killed for running too long: ${process.argv[1]}\n`)})
      process.kill(process.pid, 'SIGKILL')
    }, 300_000)`,
    { eval: true, execArgv: [] },
  ).unref()
