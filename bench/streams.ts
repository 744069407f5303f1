/**
 * `npm run dev -- bench:streams` opens thousands of streams at once, as after a restart, and measures the writes of a member
 * meanwhile.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { requireRuntime } from '#platform/runtime.ts'
import { askEmbedded, openSite } from '#test/fixtures/payments.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { readOptions } from './options.ts'

requireRuntime()
const { values: options } = readOptions({
  options: { streams: { type: 'string', default: '3000' }, processes: { type: 'string', default: '1' } },
})
const streams = Number(options.streams)
const STREAMS_OF_A_PERSON = 3
const WRITE_EVERY_MS = 250
const LONGEST_MS = 60_000

process.on('exit', killAll)
const dataDir = await mkdtemp(join(tmpdir(), 'kith-streams-'))
const { site } = await openSite(dataDir)
const server = startServer(dataDir, {
  PROCESSES: options.processes,
  NODE_ENV: 'production',
})
const address = await server.address
const tokens = await askEmbedded(dataDir)((sql) =>
  Promise.all(
    Array.from({ length: Math.ceil(streams / STREAMS_OF_A_PERSON) }, async (_, n) => {
      const id = await createUser(sql, { name: `reader${n}`, password: null, roles: ['owner'] })
      return (await issueToken(sql, id)).access_token
    }),
  ),
)

const statuses: Record<string, number> = {}
const count = (name: string) => {
  statuses[name] = (statuses[name] ?? 0) + 1
}
const sockets: Socket[] = []
const { hostname, port } = new URL(address)

/** Resolves with the status of the response. */
const ask = (token: string) =>
  new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    const end = (status: string) => {
      count(`streams ${status}`)
      resolve(status)
    }
    socket.once('connect', () =>
      socket.write(
        `GET /api/v2/user/notifications/stream?chats=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      ),
    )
    socket.once('data', (head) => end(head.toString('latin1', 9, 12)))
    socket.once('error', () => end('broken'))
  })

/** Repeats a rejected request after a second or two, as clients do. Resolves with the milliseconds until the stream is open. */
async function open(token: string): Promise<number> {
  const started = performance.now()
  while ((await ask(token)) !== '200' && performance.now() - started < LONGEST_MS)
    await pause(1000 + Math.random() * 1000)
  return performance.now() - started
}

async function write(n: number): Promise<number> {
  const started = performance.now()
  const post = { feed_content: `post ${n}`, feed_from: 1, feed_mark: 10_000_000 + n }
  count(`writes ${(await send(address, site.author.token, 'POST', '/feeds', post)).status}`)
  return performance.now() - started
}

const sumUp = (name: string, times: number[]) => {
  const sorted = times.toSorted((a, b) => a - b)
  const [median, last] = [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0]
  console.log(`${name}: median ${median.toFixed(0)} ms, longest ${last.toFixed(0)} ms`)
}

const quiet: number[] = []
for (let n = 0; n < 10; n += 1) quiet.push(await write(n))
sumUp('writes before', quiet)
let isOpening = true
const opening = Promise.all(
  Array.from({ length: streams }, (_, n) => open(tokens[n % tokens.length] as string)),
).finally(() => {
  isOpening = false
})
const writing: Promise<number>[] = []
for (let n = 10; isOpening && n * WRITE_EVERY_MS < LONGEST_MS; n += 1) {
  writing.push(write(n))
  await pause(WRITE_EVERY_MS)
}
sumUp('streams', await opening)
sumUp('writes meanwhile', await Promise.all(writing))
console.log(statuses)
for (const socket of sockets) socket.destroy()
server.child.kill('SIGTERM')
await server.ended
await rm(dataDir, { recursive: true, force: true })
