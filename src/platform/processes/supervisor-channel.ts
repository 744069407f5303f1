import cluster from 'node:cluster'
import { type Channel, openChannel } from './channel.ts'

const open = (): Channel | undefined => {
  if (!cluster.isWorker) return undefined
  // A message that cannot be sent went to a supervisor that is gone. The close of the pipe follows.
  const channel = openChannel((batch) => void process.send?.(batch, undefined, undefined, () => {}))
  process.on('message', channel.receive)
  // The process exits then; until it does, no caller waits for a reply.
  process.once('disconnect', channel.close)
  return channel
}

/** The channel to the supervisor; undefined with a single process. */
export const supervisorChannel: Channel | undefined = open()
