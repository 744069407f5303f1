import pTimeout from 'p-timeout'
import type { Channel } from './channel.ts'
import { supervisorChannel } from './supervisor-channel.ts'

type Notice = { subject: string; value: unknown }

const SPREAD = 'tell siblings'
/** Timeout for an unresponsive process. It receives the message when it resumes. */
const PATIENCE_MS = 100

/** Whether this node has other serving processes. */
export const hasSiblings = supervisorChannel !== undefined

/** Handles messages of a subject from the other processes of this node. */
export const onSiblingMessage = <T>(subject: string, take: (value: T) => void): void =>
  supervisorChannel?.on<T>(subject, (value) => {
    take(value)
    return null
  })

/**
 * Notifies the other processes of this node. Resolves once all serving ones have handled it, or on timeout.
 */
export async function notifySiblings(subject: string, value: unknown): Promise<void> {
  if (!supervisorChannel) return
  const handled = supervisorChannel.ask(SPREAD, { subject, value } satisfies Notice).catch(() => {})
  await pTimeout(handled, { milliseconds: PATIENCE_MS, message: false })
}

/** Supervisor side: relays a message to all other serving processes before it replies. */
export const relayToSiblings = (channel: Channel, serving: () => Channel[]): void =>
  channel.on<Notice>(SPREAD, async ({ subject, value }) => {
    const others = serving().filter((each) => each !== channel)
    await Promise.all(others.map((each) => each.ask(subject, value).catch(() => {})))
    return null
  })
