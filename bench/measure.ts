import { readdirSync, readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** Clock ticks per second, in which /proc reports processor time. */
const TICKS = 100

/**
 * Returns the processor time in microseconds, or 0 where /proc is missing. Includes exited children, such as the
 * backends of closed database connections.
 */
export function processorTime(pids: number[]): number {
  let ticks = 0
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      for (const time of fields.slice(11, 15)) ticks += Number(time)
    } catch {}
  }
  return (ticks / TICKS) * 1e6
}

export function childrenOf(parent: number): number[] {
  const found: number[] = []
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent) found.push(Number(entry))
    } catch {}
  }
  return found
}

export type Load = {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  token: string
  seconds: number
  connections: number
  request: (n: number) => { path: string; body?: string; token?: string }
}

export type Measured = { requests: number; perSecond: number; p50: number; p99: number; failures: number }

let serial = Date.now() % 1_000_000_000

export async function drive(load: Load): Promise<Measured> {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    requests: [
      {
        method: load.method,
        path: '/',
        setupRequest: (request) => {
          serial += 1
          const { path, body, token = load.token } = load.request(serial)
          return {
            ...request,
            path,
            headers: {
              ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            },
            ...(body === undefined ? {} : { body }),
          }
        },
      },
    ],
  })
  return {
    requests: result.requests.total,
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  }
}

export function sumUp(rounds: Measured[]): Measured {
  const add = (name: 'requests' | 'perSecond' | 'failures') =>
    rounds.reduce((sum, each) => sum + each[name], 0)
  const middle = (name: 'p50' | 'p99') =>
    rounds.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  return {
    requests: add('requests'),
    perSecond: add('perSecond') / rounds.length,
    p50: middle('p50'),
    p99: middle('p99'),
    failures: add('failures'),
  }
}
