import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections, so that none of them takes the port meanwhile. */
const PORTS = [12_000, 32_000] as const

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const probe = createServer()
    probe.once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS)
    if (await isFree(port)) return port
  }
}

/** Waits until a server answers at `url`. Fails at once when its process has ended. */
export async function waitForAnswer(url: string, server?: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt += 1) {
    const end = server?.exitCode ?? server?.signalCode ?? null
    if (end !== null) throw new Error(`the server for ${url} ended with ${end} before it answered`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within five minutes`)
}
