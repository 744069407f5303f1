/**
 * `npm run bench:web` compares the processor time of pages with that of their API calls, for a guest and a member.
 * Runs without the cache of guest pages.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO_PASSWORD, demoWorld } from '#test/fixtures/demo.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'

const ROUNDS = 200
const WARM_UP = 50
const MOST_TIMES = 4

await buildSite()
const { app, guest } = await demoWorld(undefined, { WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const { body } = await guest('POST', '/auth/login', { login: 'demo', password: DEMO_PASSWORD })
const member = { id: 0, name: 'demo', token: body.access_token as string }
const { feeds } = (await guest('GET', '/feeds')).body
const [article] = (await guest('GET', '/news')).body
const [question] = (await guest('GET', '/questions?type=all')).body
const inject = app.inject.bind(app) as (given: object) => Promise<{ statusCode: number }>

async function costOf(requests: object[]): Promise<number> {
  let started = process.cpuUsage()
  for (let n = -WARM_UP; n < ROUNDS; n += 1) {
    if (n === 0) started = process.cpuUsage()
    for (const request of requests) assert.equal((await inject(request)).statusCode, 200)
  }
  const { user, system } = process.cpuUsage(started)
  return (user + system) / ROUNDS
}

test('keeps the cost of a page below four times the cost of its API calls', async () => {
  const wrong: string[] = []
  for (const viewer of [undefined, member])
    for (const path of ['/', `/feeds/${feeds[0].id}`, `/news/${article.id}`, `/questions/${question.id}`]) {
      const headers = { accept: 'text/html', ...(viewer ? { cookie: cookieOf(viewer) } : {}) }
      const page = { method: 'GET', url: path, headers }
      const asked: object[] = []
      Object.assign(app, { inject: (given: object) => (asked.push(given), inject(given)) })
      assert.equal((await inject(page)).statusCode, 200)
      Object.assign(app, { inject })
      assert.ok(asked.length > 0, 'the page asked for nothing')
      const [whole, calls] = [await costOf([page]), await costOf(asked)]
      const line = `${path} ${viewer ? 'member' : 'guest'}: ${whole.toFixed(0)} µs, its ${asked.length} calls ${calls.toFixed(0)} µs, ${(whole / calls).toFixed(2)} times`
      console.log(line)
      if (whole / calls > MOST_TIMES) wrong.push(line)
    }
  assert.deepEqual(wrong, [])
})
