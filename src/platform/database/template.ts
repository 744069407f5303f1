import { type Driver, isQuery, type Send } from './connection.ts'

/** The functions of the driver, with statements that are sent by `send`. */
export function templateOf(driver: Driver, send: Send): Driver {
  send.debug = driver.options.debug
  const route = <T>(made: T): T => {
    if (isQuery(made)) made.handler = send
    return made
  }
  const build = driver as unknown as (...parts: unknown[]) => unknown
  const template = (...parts: unknown[]) => route(build(...parts))
  const unsafe = (...parts: Parameters<Driver['unsafe']>) => route(driver.unsafe(...parts))
  return Object.assign(template, driver, { unsafe }) as unknown as Driver
}
