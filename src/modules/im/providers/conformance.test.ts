import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { startEasemob } from '#test/fixtures/easemob.ts'
import { type Ejabberd, prepareEjabberd, skipEjabberd } from '#test/fixtures/ejabberd.ts'
import { createWorld } from '#test/world.ts'
import { createTokenStore } from './choose.ts'
import { createEasemob } from './easemob.ts'
import { createEjabberd } from './ejabberd.ts'
import { hasEmbeddedPassword } from './embedded/queries.ts'
import { createEmbedded } from './embedded.ts'
import { type GroupSettings, ImError, type ImFault, type ImProvider, type Outcomes } from './provider.ts'

const { sql, ctx } = await createWorld()
const easemob = await startEasemob()
after(() => easemob.stop())

const settings: GroupSettings = {
  name: 'Wanderer, 山 & "Co" <b>',
  description: "it's 50 % / 1/2 🙂",
  public: true,
  membersOnly: false,
  allowInvites: true,
  maxUsers: 200,
}

const failsWith = (fault: ImFault) => (error: unknown) => {
  assert.ok(error instanceof ImError, String(error))
  assert.equal(error.fault, fault, error.message)
  return true
}
const told = (outcomes: Outcomes) =>
  Object.fromEntries(
    [...outcomes].map(([name, outcome]) => [name, outcome instanceof ImError ? outcome.fault : outcome]),
  )

let counter = 0
const fresh = (count: number) => {
  const names = Array.from({ length: count }, () => String(700_000 + ++counter))
  return names.map((name) => ({ name, password: randomBytes(12).toString('hex') }))
}

/** The behaviour that every provider has to share. */
function conformance(
  name: string,
  get: () => {
    provider: ImProvider
    /** True when the password opens the account. */
    hasPassword(name: string, password: string): Promise<boolean>
    /**
     * The same service with a wrong secret, and one that does not respond. Absent for the embedded provider.
     */
    others?: { stranger: ImProvider; nobody: ImProvider }
  },
) {
  const is = (what: string, work: (provider: ImProvider) => Promise<unknown>) =>
    test(`${name}: ${what}`, async () => void (await work(get().provider)))
  const people = async (count: number) => {
    const accounts = fresh(count)
    const made = await get().provider.ensureUsers(accounts)
    assert.deepEqual([...new Set(made.values())], ['done'])
    return accounts.map((each) => each.name)
  }
  const makeGroup = async (owner: string, changes: Partial<GroupSettings> = {}) => {
    const key = String(900_000 + ++counter)
    const id = await get().provider.createGroup({ key, owner, settings: { ...settings, ...changes } })
    return { key, id }
  }

  is('responds to a health check', (provider) => provider.health())

  is('creates accounts once, with an outcome for each', async (provider) => {
    const accounts = fresh(3)
    const [one, two, three] = accounts as [(typeof accounts)[0], (typeof accounts)[0], (typeof accounts)[0]]
    assert.deepEqual(told(await provider.ensureUsers([one, two])), { [one.name]: 'done', [two.name]: 'done' })
    const again = await provider.ensureUsers([{ ...one, password: 'another' }, three])
    assert.deepEqual(told(again), { [one.name]: 'already', [three.name]: 'done' })
    assert.equal(await get().hasPassword(one.name, one.password), true)
    assert.equal(await get().hasPassword(one.name, 'another'), false)
  })

  is('sets a password, except of a missing account', async (provider) => {
    const [account] = fresh(1)
    assert.ok(account)
    await provider.ensureUsers([account])
    await provider.setPassword(account.name, 'the second')
    await provider.setPassword(account.name, 'the second')
    assert.equal(await get().hasPassword(account.name, 'the second'), true)
    assert.equal(await get().hasPassword(account.name, account.password), false)
    await assert.rejects(provider.setPassword('69999', 'x'), failsWith('not_found'))
  })

  is('rejects sign-ins to a locked account until unlocked', async (provider) => {
    const [{ name, password } = { name: '', password: '' }] = fresh(1)
    await provider.ensureUsers([{ name, password }])
    await provider.lock(name)
    await provider.lock(name)
    assert.equal(await get().hasPassword(name, password), false)
    assert.deepEqual(told(await provider.ensureUsers([{ name, password }])), { [name]: 'already' })
    assert.equal(await get().hasPassword(name, password), false)
    await provider.unlock(name, 'the second')
    await provider.unlock(name, 'the second')
    assert.equal(await get().hasPassword(name, 'the second'), true)
    assert.equal(await get().hasPassword(name, password), false)
    await assert.rejects(provider.lock('69999'), failsWith('not_found'))
    await assert.rejects(provider.unlock('69999', 'x'), failsWith('not_found'))
  })

  is('creates one group per key with its owner as member', async (provider) => {
    const [owner = ''] = await people(1)
    const { key, id } = await makeGroup(owner)
    assert.equal(await provider.createGroup({ key, owner, settings }), id)
    assert.equal(await provider.findGroup({ key, owner }), id)
    assert.equal(await provider.findGroup({ key: '8', owner }), undefined)
    assert.deepEqual(await provider.listMembers(id), { owner, names: [owner] })
    const found = (await provider.getGroups([id])).get(id)
    assert.deepEqual(found, { id, settings: provider.settingsHeld(settings) })
  })

  is('rejects a group when its owner has no account', async (provider) => {
    const work = provider.createGroup({ key: '990001', owner: '69999', settings })
    await assert.rejects(work, failsWith('not_found'))
    assert.equal(await provider.findGroup({ key: '990001', owner: '69999' }), undefined)
  })

  is('changes every setting, with texts of any characters and lengths', async (provider) => {
    const [owner = ''] = await people(1)
    const { id } = await makeGroup(owner)
    const others: GroupSettings[] = [
      { ...settings, public: false, membersOnly: true, allowInvites: false, maxUsers: 2000 },
      { ...settings, name: '山'.repeat(128), description: '🙂'.repeat(256), maxUsers: 2 },
      { ...settings, name: "a'b\\c", description: '' },
    ]
    for (const each of others) {
      await provider.updateGroup(id, each)
      const found = (await provider.getGroups([id])).get(id)
      assert.deepEqual(found?.settings, provider.settingsHeld(each))
    }
    await assert.rejects(provider.updateGroup('69999', settings), failsWith('not_found'))
  })

  is('adds and removes members with an outcome for each', async (provider) => {
    const [owner = '', one = '', two = ''] = await people(3)
    const { id } = await makeGroup(owner)
    assert.deepEqual(told(await provider.addMembers(id, [one])), { [one]: 'done' })
    const added = await provider.addMembers(id, [one, two, '69999', owner])
    assert.deepEqual(told(added), { [one]: 'already', [two]: 'done', 69999: 'not_found', [owner]: 'already' })
    const removed = await provider.removeMembers(id, [one, '69999', owner])
    assert.deepEqual(told(removed), { [one]: 'done', 69999: 'already', [owner]: 'invalid' })
    const { owner: found, names } = await provider.listMembers(id)
    assert.deepEqual([found, names.sort()], [owner, [owner, two].sort()])
    await assert.rejects(provider.addMembers('69999', [one]), failsWith('not_found'))
    await assert.rejects(provider.removeMembers('69999', [one]), failsWith('not_found'))
    await assert.rejects(provider.listMembers('69999'), failsWith('not_found'))
  })

  is('lists all of many members', async (provider) => {
    const names = await people(130)
    const [owner = '', ...others] = names
    const { id } = await makeGroup(owner)
    const outcomes = await provider.addMembers(id, others)
    assert.deepEqual([...new Set(outcomes.values())], ['done'])
    assert.deepEqual(new Set((await provider.listMembers(id)).names), new Set(names))
    await provider.removeMembers(id, others.slice(0, 100))
    assert.equal((await provider.listMembers(id)).names.length, 30)
  })

  is('transfers a group to a member and keeps the former owner', async (provider) => {
    const [owner = '', heir = '', stranger = ''] = await people(3)
    const { id } = await makeGroup(owner)
    await provider.addMembers(id, [heir])
    await provider.transferOwner(id, heir)
    await provider.transferOwner(id, heir)
    const { owner: found, names } = await provider.listMembers(id)
    assert.deepEqual([found, names.sort()], [heir, [owner, heir].sort()])
    await assert.rejects(provider.transferOwner(id, stranger), failsWith('invalid'))
    assert.deepEqual(told(await provider.removeMembers(id, [owner])), { [owner]: 'done' })
    await assert.rejects(provider.transferOwner('69999', heir), failsWith('not_found'))
  })

  is('returns found groups and null for missing ones', async (provider) => {
    const [owner = ''] = await people(1)
    const [one, two] = [await makeGroup(owner), await makeGroup(owner)]
    const found = await provider.getGroups([one.id, '69999', two.id])
    assert.deepEqual(
      ['', one.id, two.id].map((id) => found.get(id || '69999')?.id ?? null),
      [null, one.id, two.id],
    )
    assert.equal(found.get('69999'), null)
  })

  is('deletes a group once', async (provider) => {
    const [owner = ''] = await people(1)
    const { key, id } = await makeGroup(owner)
    assert.equal(await provider.deleteGroup(id), true)
    assert.equal(await provider.deleteGroup(id), false)
    assert.equal((await provider.getGroups([id])).get(id), null)
    assert.equal(await provider.findGroup({ key, owner }), undefined)
  })

  is('sends announcements to groups', async (provider) => {
    const [owner = ''] = await people(1)
    const { id } = await makeGroup(owner)
    await provider.sendSystem(id, {
      id: 'm1',
      text: 'a < b & "c"',
      ext: { type: 'ts_group_create', group_id: id },
    })
  })

  is('distinguishes a wrong secret from an unresponsive service', async () => {
    const { others } = get()
    if (!others) return
    await assert.rejects(others.stranger.health(), failsWith('auth'))
    await assert.rejects(others.stranger.ensureUsers(fresh(1)), failsWith('auth'))
    await assert.rejects(others.nobody.health(), failsWith('unavailable'))
    await assert.rejects(others.nobody.ensureUsers(fresh(2)), failsWith('unavailable'))
  })
}

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
