import { test } from 'node:test'
import { Session } from 'node:inspector/promises'
import { writeFileSync } from 'node:fs'
import { DEMO_PASSWORD, demoWorld } from '#test/fixtures/demo.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'
await buildSite()
const { app, guest } = await demoWorld(undefined, { WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const { body } = await guest('POST', '/auth/login', { login: 'demo', password: DEMO_PASSWORD })
const member = { id: 0, name: 'demo', token: body.access_token as string }
const news = (await guest('GET', '/news')).body
const [question] = (await guest('GET', '/questions?type=all')).body
test('x', async () => {
  for (const [name, p, v] of [['article', `/news/${news[0].id}`, undefined], ['question', `/questions/${question.id}`, undefined], ['articlem', `/news/${news[0].id}`, member]] as any) {
    const h = { accept: 'text/html', ...(v ? { cookie: cookieOf(v) } : {}) }
    const go = async (k: number) => { for (let n = 0; n < k; n++) { const r = await app.inject({ method: 'GET', url: p, headers: h }); if (r.statusCode !== 200) throw new Error(String(r.statusCode)) } }
    await go(150)
    const s = new Session(); s.connect()
    await s.post('Profiler.enable'); await s.post('Profiler.setSamplingInterval', { interval: 200 }); await s.post('Profiler.start')
    await go(400)
    const { profile } = await s.post('Profiler.stop')
    writeFileSync(`/tmp/${name}.cpuprofile`, JSON.stringify(profile)); s.disconnect()
  }
})
