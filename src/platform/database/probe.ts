import pTimeout from 'p-timeout'
import { openConnection, type Settings } from './connection.ts'
import { type HostChoice, isUnfitHost } from './hosts.ts'

/**
 * Checks over a dedicated connection whether the database responds, without waiting behind other statements.
 */
export function openProbe(settings: Settings, choice?: HostChoice) {
  let probe = openConnection(settings, choice)
  let asking: Promise<boolean> | undefined
  const ask = async (withinMs: number): Promise<boolean> => {
    const asked = probe
    const question = new Promise((resolve, reject) => {
      asked.send({ text: 'select 1', values: [], resolve, reject })
    })
    const answered = question.then(
      () => true,
      (error) => {
        if (choice && isUnfitHost(error)) asked.leaveHost()
        // The failed connection may belong to a machine that is no longer used.
        if (choice && probe === asked) {
          asked.end()
          probe = openConnection(settings, choice)
        }
        return false
      },
    )
    const fallback = () => {
      probe.end()
      probe = openConnection(settings, choice)
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
