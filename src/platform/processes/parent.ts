import cluster from 'node:cluster'
import { type Channel, openChannel } from './channel.ts'

const open = (): Channel | undefined => {
  if (!cluster.isWorker) return undefined
  // What cannot be sent any more went to a supervisor that has gone: the next thing heard is the end of the pipe.
  const channel = openChannel((batch) => void process.send?.(batch, undefined, undefined, () => {}))
  process.on('message', channel.receive)
  // The process ends by itself then; until it does nothing waits for an answer.
  process.once('disconnect', channel.close)
  return channel
}

/** The channel to the supervisor; undefined where one process does everything. */
export const parent: Channel | undefined = open()
