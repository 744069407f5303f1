import pTimeout from 'p-timeout'
import { openConnection, type Settings } from './connection.ts'

/**
 * Checks over a dedicated connection whether the database responds, without waiting behind other statements.
 */
export function openProbe(settings: Settings) {
  let probe = openConnection(settings)
  let asking: Promise<boolean> | undefined
  const ask = (withinMs: number): Promise<boolean> => {
    const answered = new Promise<boolean>((resolve) => {
      probe.send({ text: 'select 1', values: [], resolve: () => resolve(true), reject: () => resolve(false) })
    })
    const fallback = () => {
      probe.end()
      probe = openConnection(settings)
      return false
    }
    return pTimeout(answered, { milliseconds: withinMs, fallback })
  }
  const isAnswering = (withinMs: number): Promise<boolean> => {
    asking ??= ask(withinMs).finally(() => {
      asking = undefined
    })
    return asking
  }

  return { isAnswering, end: () => probe.end() }
}
