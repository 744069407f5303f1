import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export type Drawn = {
  kind: string
  method: string
  path: string
  token: string | undefined
  body: object | undefined
}

/**
 * A finished request. Status 0 means no response. In the open loop, `ms` counts from the scheduled time.
 */
export type Timed = { kind: string; ms: number; status: number }

/** Maximum concurrent requests in the open loop. A server that reaches it cannot sustain the rate. */
const OPEN_LOOP_MOST = 512

/**
 * Sends a mixed load for `seconds`. With `rate` 0 each connection waits for its response (closed loop), and
 * otherwise `rate` requests per second start at random times (open loop).
 */
export async function driveMix(load: {
  url: string
  draw: () => Drawn
  seconds: number
  connections: number
  rate: number
}): Promise<Timed[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.rate > 0 ? OPEN_LOOP_MOST : load.connections })
  const timed: Timed[] = []
  const end = performance.now() + load.seconds * 1000
  const send = async (dueAt: number) => {
    const drawn = load.draw()
    const status = await ask(agent, load.url, drawn)
    timed.push({ kind: drawn.kind, ms: performance.now() - dueAt, status })
  }
  if (load.rate > 0) {
    const underWay = new Set<Promise<void>>()
    for (let due = performance.now(); due < end; due += (-Math.log(1 - Math.random()) * 1000) / load.rate) {
      const left = due - performance.now()
      if (left > 0) await pause(left)
      if (underWay.size >= OPEN_LOOP_MOST) await Promise.race(underWay)
      const sent = send(due).finally(() => underWay.delete(sent))
      underWay.add(sent)
    }
    await Promise.all(underWay)
  } else {
    const connection = async () => {
      while (performance.now() < end) await send(performance.now())
    }
    await Promise.all(Array.from({ length: load.connections }, connection))
  }
  agent.destroy()
  return timed
}

function ask(agent: Agent, url: string, { method, path, token, body }: Drawn): Promise<number> {
  return new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(`${url}/api/v2${path}`, {
      agent,
      method,
      headers: {
        'accept-encoding': 'identity',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    })
    sent.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0))
    sent.end(text)
  })
}
