/**
 * `npm run dev -- bench:web` measures the processor time that a server needs for pages of the demo, for a guest and a member,
 * without the cache of guest pages. `--against=FOLDER` compares with the checkout in that folder.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { requireRuntime } from '#platform/runtime.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { processorTime } from './measure.ts'
import { readOptions } from './options.ts'
import { startProgram } from './servers.ts'

requireRuntime()
const { values: options } = readOptions({
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '12' } },
})
const PAGES_A_ROUND = 100
const WARM_UP = 200

async function serveDemo(folder: string) {
  const data = await mkdtemp(join(tmpdir(), 'kith-pages-'))
  const url = `http://127.0.0.1:${await findFreePort()}`
  const server = startProgram('src/main.ts', ['start', '--demo'], {
    cwd: folder,
    env: {
      DATA_DIR: data,
      PORT: new URL(url).port,
      PUBLIC_URL: url,
      WEB: 'on',
      PROCESSES: '1',
      GUEST_CACHE_MS: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_ANONYMOUS: '0',
      RATE_LIMIT_PAGES: '0',
      RATE_LIMIT_USER: '0',
    },
  })
  const ended = new Promise((done) => server.once('exit', done))
  await waitForAnswer(`${url}/health/ready`, server)
  // biome-ignore lint/suspicious/noExplicitAny: replies of several operations
  const ask = async (path: string, init?: RequestInit): Promise<any> =>
    (await fetch(`${url}/api/v2${path}`, init)).json()
  const password = (await readFile(join(data, 'founder-password'), 'utf8')).trim()
  const { access_token, expires_in } = await ask('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'root', password }),
  })
  const { feeds } = await ask('/feeds')
  const [[article], [question]] = await Promise.all([ask('/news'), ask('/questions?type=all')])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const cookie = `kith_session=${access_token}.${Math.floor(Date.now() / 1000) + expires_in * 60}`
  return {
    paths: {
      home: '/',
      feed: `/feeds/${feeds[0].id}`,
      article: `/news/${article.id}`,
      question: `/questions/${question.id}`,
    },
    /** Returns the number of bytes of a page. */
    open: (path: string, isMember: boolean) =>
      new Promise<number>((done, fail) => {
        const headers = { accept: 'text/html', ...(isMember ? { cookie } : {}) }
        get(url + path, { agent, headers }, (reply) => {
          let bytes = 0
          reply.on('data', (piece: Buffer) => {
            bytes += piece.length
          })
          reply.on('end', () => {
            if (reply.statusCode !== 200) fail(new Error(`${path}: ${reply.statusCode}`))
            // The server sets a cookie when it has refreshed or refused the session.
            else if (reply.headers['set-cookie'] !== undefined)
              fail(new Error(`${path}: the session changed`))
            else done(bytes)
          })
        }).on('error', fail)
      }),
    time: () => processorTime([server.pid ?? 0]),
    async close() {
      agent.destroy()
      server.kill('SIGTERM')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}

const sites = [await serveDemo(resolve('.'))]
if (options.against !== undefined) sites.push(await serveDemo(resolve(options.against)))
try {
  console.log(`| page | | bytes | µs |${sites.length > 1 ? ' other bytes | other µs | share |' : ''}`)
  for (const isMember of [false, true])
    for (const kind of ['home', 'feed', 'article', 'question'] as const) {
      const least = sites.map(() => ({ bytes: 0, micros: Number.POSITIVE_INFINITY }))
      const measure = async (n: number, pages: number) => {
        const { paths, open, time } = sites[n]!
        const started = time()
        let bytes = 0
        for (let page = 0; page < pages; page += 1) bytes = await open(paths[kind], isMember)
        return { bytes, micros: (time() - started) / pages }
      }
      for (const n of sites.keys()) await measure(n, WARM_UP)
      // The least of the rounds, because other work of the machine only adds time.
      for (let round = 0; round < Number(options.rounds); round += 1)
        for (const n of sites.keys()) {
          const found = await measure(n, PAGES_A_ROUND)
          least[n] = { ...found, micros: Math.min(found.micros, least[n]!.micros) }
        }
      const [own, other] = least
      const shown = ({ bytes, micros }: { bytes: number; micros: number }) =>
        `${bytes} | ${micros.toFixed(0)} |`
      const share = other ? ` ${shown(other)} ${(own!.micros / other.micros).toFixed(2)} |` : ''
      console.log(`| ${kind} | ${isMember ? 'member' : 'guest'} | ${shown(own!)}${share}`)
    }
} finally {
  for (const site of sites) await site.close()
}
