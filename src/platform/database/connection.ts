import postgres from 'postgres'
import type { HostChoice } from './hosts.ts'

/** What the driver makes of a statement, with the parts that decide where it is sent and who hears of its end. */
export type Query = {
  handler: Send
  strings: readonly string[]
  /** What stands between them: values, names, and pieces of SQL. */
  args: readonly unknown[]
  resolve: (result: { command?: string }) => void
  reject: (error: unknown) => void
  /** The text as it was sent, once it was. */
  statement: { string: string } | null
}

/** Sends a statement. The driver writes down where a statement came from when `debug` is set. */
export type Send = ((query: Query) => void) & { debug?: unknown }

/** The driver's own functions. */
export type Driver = postgres.Sql<{ bigint: number }>

/** A connection for one at a time: whoever holds it is the only one to send anything over it. */
export type Connection = {
  send: Send
  /** Called when it breaks. */
  onLost: (() => void) | undefined
  /** Sweeps of the watch since the statement under way was sent; undefined while none is. */
  silentFor: number | undefined
  /** Work that gave itself more time than a statement has is not cut off. */
  isPatient: boolean
  /** Sweeps that it has lived. */
  age: number
  /** What it is counted under while it is held. */
  keys: readonly string[]
  /** The machine that it was opened to is not the one to ask. */
  leaveHost(): void
  end(): void
}

/** The same code as the driver's own, which tells that the connection is to blame and not the statement. */
export const lost = (message: string) => Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' })

/**
 * Whether the server refused the statement and is ready for the next one. After anything else the driver is not to be
 * trusted with the connection: it takes statements that it never sends until it has noticed that the connection is gone.
 */
export const isRefusal = (error: unknown) => {
  const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown }
  // A server that only reads is no primary any more: others are asked over another connection.
  return severity === 'ERROR' && code !== '25006'
}

/** Whether what the driver's functions answered is a statement or a piece of one; helpers such as names are not. */
export const isQuery = (value: unknown): value is Query => value instanceof Promise

/**
 * One connection of its own with the options of a driver; it is opened by the first statement. Of several machines a
 * replica is left before the first statement reaches it.
 */
export function openConnection(like: Driver, choice?: HostChoice): Connection {
  let at: number | undefined
  const watchRole = (name: string, value: string) => {
    if (name !== 'in_hot_standby' || value !== 'on') return
    choice?.leave(at ?? choice.at())
    connection.end()
  }
  const options = Object.assign(Object.create(like.options), {
    max: 1,
    no_subscribe: true,
    shared: { ...(like.options as unknown as { shared: object }).shared, retries: 0 },
    onclose: () => connection.onLost?.(),
    ...(choice ? { parameters: {}, onparameter: watchRole } : {}),
  })
  const driver = postgres(options) as unknown as Driver
  // Every statement knows who sends it; this one is only looked at, and statements are not sent before they are awaited.
  const { handler } = driver`` as unknown as Query
  const connection: Connection = {
    send: choice
      ? (query) => {
          // It connects now, where it has not yet.
          at ??= choice.at()
          handler(query)
        }
      : handler,
    leaveHost: () => choice?.leave(at ?? choice.at()),
    onLost: undefined,
    silentFor: undefined,
    isPatient: false,
    age: 0,
    keys: [],
    end: () => void driver.end({ timeout: 0 }).catch(() => {}),
  }
  return connection
}
