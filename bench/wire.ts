import { connect, type Socket } from 'node:net'

export type Outcome = { status: number; ms: number; body: string }

export type WireRequest = { method: string; path: string; token: string; key?: string; body?: object }

type Connection = {
  socket: Socket
  finish: (status: number, body: string) => void
  fail: (error: Error) => void
}

/**
 * Opens keep-alive HTTP connections with little overhead, because the client shares the machine with the server.
 * Every response must have a Content-Length.
 */
export function openWire(address: string) {
  const { hostname, port } = new URL(address)
  const idle: Connection[] = []
  const all = new Set<Connection>()

  const open = () =>
    new Promise<Connection>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      const connection: Connection = { socket, finish: () => {}, fail: reject }
      let text = ''
      socket.setEncoding('latin1').setNoDelay(true)
      socket.once('connect', () => {
        all.add(connection)
        resolve(connection)
      })
      socket.on('data', (chunk: string) => {
        text += chunk
        const head = text.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
        if (text.length < head + 4 + length) return
        const body = text.slice(head + 4, head + 4 + length)
        const status = Number(text.slice(9, 12))
        text = ''
        connection.finish(status, Buffer.from(body, 'latin1').toString())
      })
      socket.once('error', (error) => connection.fail(error))
      socket.once('close', () => {
        all.delete(connection)
        connection.fail(new Error('the connection was closed'))
      })
    })

  return {
    async warm(count: number): Promise<void> {
      idle.push(...(await Promise.all(Array.from({ length: count }, open))))
    },
    async send({ method, path, token, key, body }: WireRequest): Promise<Outcome> {
      const connection = idle.pop() ?? (await open())
      const started = performance.now()
      const json = body === undefined ? '' : JSON.stringify(body)
      return new Promise<Outcome>((resolve, reject) => {
        connection.fail = reject
        connection.finish = (status, text) => {
          idle.push(connection)
          resolve({ status, ms: performance.now() - started, body: text })
        }
        connection.socket.write(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\n${token === '' ? '' : `Authorization: Bearer ${token}\r\n`}${
            key === undefined ? '' : `Idempotency-Key: ${key}\r\n`
          }${
            body === undefined
              ? ''
              : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n`
          }\r\n${json}`,
        )
      })
    },
    close(): void {
      for (const { socket } of all) socket.destroy()
    },
  }
}
