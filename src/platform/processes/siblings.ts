import type { Channel } from './channel.ts'
import { parent } from './parent.ts'

type Said = { subject: string; value: unknown }

const SPREAD = 'tell siblings'
/** A process that does not answer for so long is not waited for: it hears of it when it comes to itself. */
const PATIENCE_MS = 100

/** Whether other processes of this node serve beside this one. */
export const hasSiblings = parent !== undefined

/** Takes what the other processes of this node tell of a subject. */
export const onSibling = <T>(subject: string, take: (value: T) => void): void =>
  parent?.on<T>(subject, (value) => {
    take(value)
    return null
  })

/** Tells the other processes of this node; resolves once all that serve have taken it, or will soon. */
export async function tellSiblings(subject: string, value: unknown): Promise<void> {
  if (!parent) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([parent.ask(SPREAD, { subject, value } satisfies Said).catch(() => {}), late])
  clearTimeout(timer)
}

/** In the supervisor: what one process tells, all the others that serve know before it is answered. */
export const spreadToSiblings = (channel: Channel, serving: () => Channel[]): void =>
  channel.on<Said>(SPREAD, async ({ subject, value }) => {
    const others = serving().filter((each) => each !== channel)
    await Promise.all(others.map((each) => each.ask(subject, value).catch(() => {})))
    return null
  })
