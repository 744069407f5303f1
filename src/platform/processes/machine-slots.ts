import type { Channel } from './channel.ts'
import { supervisorChannel } from './supervisor-channel.ts'

type Asked = { name: string; most: number }

/**
 * Limits work across the processes of a machine to `most` of a name at once. Acquire limits within the
 * process before this one.
 */
export async function withMachineSlot<T>(name: string, most: number, work: () => Promise<T>): Promise<T> {
  if (!supervisorChannel) return work()
  await supervisorChannel.ask('take place', { name, most } satisfies Asked)
  try {
    return await work()
  } finally {
    supervisorChannel.tell('give place', name)
  }
}

/** The places of all processes in the supervisor, in order of arrival. */
export function grantSlots() {
  const places = new Map<string, { held: Channel[]; waiting: { by: Channel; accept: () => void }[] }>()
  const placesOf = (name: string) => {
    const known = places.get(name) ?? { held: [], waiting: [] }
    places.set(name, known)
    return known
  }
  const give = (name: string, by: Channel) => {
    const { held, waiting } = placesOf(name)
    const at = held.indexOf(by)
    if (at === -1) return
    held.splice(at, 1)
    const next = waiting.shift()
    if (!next) return
    held.push(next.by)
    next.accept()
  }
  return {
    /** Connects a process. */
    serve(channel: Channel): void {
      channel.on<Asked>('take place', ({ name, most }) => {
        const { held, waiting } = placesOf(name)
        if (held.length < most) {
          held.push(channel)
          return null
        }
        return new Promise<null>((resolve) => waiting.push({ by: channel, accept: () => resolve(null) }))
      })
      channel.on<string>('give place', (name) => give(name, channel))
    },
    /** Frees the places of a process that has ended. */
    leave(channel: Channel): void {
      for (const [name, { held, waiting }] of places) {
        waiting.splice(0, waiting.length, ...waiting.filter(({ by }) => by !== channel))
        for (let n = held.filter((by) => by === channel).length; n > 0; n -= 1) give(name, channel)
      }
    },
  }
}
