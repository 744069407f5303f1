import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startEasemob } from '#test/fixtures/easemob.ts'
import { conformance } from '#test/fixtures/im-conformance.ts'
import { createWorld } from '#test/world.ts'
import { createTokenStore } from './choose.ts'
import { createEasemob } from './easemob.ts'
import { createEmbedded, hasEmbeddedPassword } from './embedded.ts'

const { sql, ctx } = await createWorld()
const easemob = await startEasemob()
after(() => easemob.stop())

suite('embedded', () => {
  const provider = createEmbedded(sql)
  conformance('embedded', () => ({
    provider,
    hasPassword: (name, password) => hasEmbeddedPassword(sql, name, password),
  }))
})

suite('easemob', () => {
  const create = (url: string, clientSecret: string, app: string) =>
    createEasemob({
      url,
      appKey: 'org#app',
      clientId: 'client',
      clientSecret,
      sender: 'admin',
      timeoutMs: 2_000,
      tokens: createTokenStore(sql, ctx.secrets, app),
    })
  const provider = create(easemob.url, 'secret', 'right')
  const others = {
    stranger: create(easemob.url, 'wrong', 'wrong'),
    nobody: create('http://127.0.0.1:9', 'secret', 'nobody'),
  }
  test('closes the connections of an account when its password changes', async () => {
    await provider.ensureUsers([{ name: '77001', password: 'the first' }])
    const from = easemob.calls.length
    await provider.setPassword('77001', 'the second')
    assert.deepEqual(easemob.calls.slice(from), [
      'PUT /users/:/password',
      'POST /users/:/deactivate',
      'POST /users/:/activate',
    ])
  })
  conformance('easemob', () => ({
    provider,
    others,
    hasPassword: async (name, password) =>
      easemob.users.get(name) === password && !easemob.deactivated.has(name),
  }))
})
