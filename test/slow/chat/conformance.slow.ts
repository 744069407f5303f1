import { after, before, suite } from 'node:test'
import { createEjabberd } from '#modules/im/providers/ejabberd.ts'
import type { ImProvider } from '#modules/im/providers/provider.ts'
import { type Ejabberd, prepareEjabberd, skipEjabberd } from '#test/fixtures/ejabberd.ts'
import { conformance } from '#test/fixtures/im-conformance.ts'

suite('ejabberd', { skip: skipEjabberd }, () => {
  let service: Ejabberd
  before(async () => {
    service = await prepareEjabberd()
    await service.start()
  })
  after(() => service?.remove())
  const create = (password?: string, url?: string) =>
    createEjabberd({
      url: url ?? service.url,
      host: service.host,
      service: service.service,
      user: service.user,
      password: password ?? service.password,
      timeoutMs: 10_000,
    })
  let provider: ImProvider | undefined
  conformance('ejabberd', () => {
    provider ??= create()
    const others = { stranger: create('wrong'), nobody: create(undefined, 'http://127.0.0.1:9/api') }
    return { provider, others, hasPassword: service.hasPassword }
  })
})
