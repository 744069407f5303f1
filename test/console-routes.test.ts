import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fastify } from 'fastify'
import { builtFolder, type Server } from '#platform/http'
import { createWorld } from '#test/world.ts'
import { addConsole } from '../src/pages/console.ts'

const isBuilt = existsSync(builtFolder('console'))
const off = await createWorld({ CONSOLE: 'off' })

test('reports the console as disabled when CONSOLE=off', async () => {
  for (const path of ['/admin', '/admin/people', '/admin/assets/index.js']) {
    const english = await off.app.inject({ method: 'GET', url: path })
    assert.equal(english.statusCode, 404, path)
    assert.equal(english.headers['x-error-code'], 'console_off')
    assert.match(english.body, /disabled/)
  }
  const chinese = await off.app.inject({ method: 'GET', url: '/admin', headers: { 'accept-language': 'zh' } })
  assert.match(chinese.body, /已关闭/)
})

test('names the build command when the console is not built', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'kith-console-'))
  const app = fastify() as unknown as Server
  after(async () => {
    await app.close()
    await rm(empty, { recursive: true })
  })
  addConsole(app, { console: true }, async () => ({ name: 'Kith' }), empty)
  for (const [language, words] of [
    ['en', /The console is not built: run “npm run dev -- console”/],
    ['zh', /尚未构建/],
  ] as const) {
    const headers = { 'accept-language': language }
    const answer = await app.inject({ method: 'GET', url: '/admin', headers })
    assert.equal(answer.statusCode, 503)
    assert.match(answer.body, words)
  }
})

test('serves /admin with a new nonce on each request', {
  skip: !isBuilt,
}, async () => {
  const on = await createWorld({ CONSOLE: 'on' })
  const nonces = new Set<string>()
  for (const path of ['/admin', '/admin/people/7', '/admin/assets']) {
    const answer = await on.app.inject({ method: 'GET', url: path })
    assert.match(String(answer.headers['content-type']), /^text\/html/)
    assert.equal(answer.headers['cache-control'], 'no-cache')
    const policy = String(answer.headers['content-security-policy'])
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    assert.match(policy, /default-src 'none'/)
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
    assert.ok(answer.body.includes(nonce) && !answer.body.includes('KITH_NONCE'), path)
    nonces.add(nonce)
  }
  assert.equal(nonces.size, 3)
})

test('serves no file outside the folder of the built console', async () => {
  const { app } = await createWorld({ CONSOLE: 'on' })
  const get = (url: string) => app.inject({ method: 'GET', url })
  for (const path of [
    '/admin/assets/nothing.js',
    '/admin/assets/..%2f..%2fpackage.json',
    '/admin/assets/..%2f..%2f..%2fpackage.json',
    '/admin/assets/..%2findex.html',
    '/admin/assets/..%5c..%5cpackage.json',
    '/admin/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  ]) {
    const { statusCode, headers } = await get(path)
    assert.deepEqual([statusCode, headers['x-error-code']], [404, 'no_such_path'], path)
  }
  // The server returns the console's page for every other path, because routes exist only in the browser.
  for (const path of [
    '/admin/..%2f..%2fpackage.json',
    '/admin/..%2fpackage.json',
    '/admin/package.json',
    '/admin/src%2fmain.tsx',
  ]) {
    const { statusCode, headers, body } = await get(path)
    assert.ok([200, 503].includes(statusCode), `${path} ${statusCode}`)
    assert.match(String(headers['content-type']), isBuilt ? /^text\/html/ : /^text\/plain/, path)
    assert.doesNotMatch(body, /dependencies"/, path)
  }
  assert.ok(existsSync('console/package-lock.json'))
})
