import { type Driver, openConnection, type Query } from './connection.ts'
import { type HostChoice, isUnfitHost } from './hosts.ts'

/** A connection of its own that asks whether the database answers: it waits behind nobody's statement. */
export function openProbe(driver: Driver, choice?: HostChoice) {
  let probe = openConnection(driver, choice)
  let asking: Promise<boolean> | undefined
  const ask = async (withinMs: number): Promise<boolean> => {
    const question = driver`select 1`
    ;(question as unknown as Query).handler = probe.send
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        probe.end()
        probe = openConnection(driver, choice)
        resolve(false)
      }, withinMs)
    })
    const asked = probe
    const answered = question.then(
      () => true,
      (error) => {
        if (choice && isUnfitHost(error)) asked.leaveHost()
        // The one that failed may be bound to a machine that is left.
        if (choice && probe === asked) {
          asked.end()
          probe = openConnection(driver, choice)
        }
        return false
      },
    )
    return Promise.race([answered, late]).finally(() => clearTimeout(timer))
  }
  const isAnswering = (withinMs: number): Promise<boolean> => {
    asking ??= ask(withinMs).finally(() => {
      asking = undefined
    })
    return asking
  }

  return { isAnswering, end: () => probe.end() }
}
