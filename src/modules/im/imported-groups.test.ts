import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Easemob, startEasemob } from '#test/fixtures/easemob.ts'
import { createWorld, type Person, type World } from '#test/world.ts'
import { findDrift, reconcile, sweep } from './drift.ts'
import { syncGroup } from './sync/service.ts'

suite('groups of an import', async () => {
  let service: Easemob
  let world: World
  let people: Person[]

  before(async () => {
    service = await startEasemob()
    world = await createWorld({ ...service.env, IM_CONFIRM_MS: '1000', IM_TIMEOUT_MS: '60000' })
    people = await Promise.all(['one', 'two', 'three'].map((name) => world.person({ name })))
  })
  after(() => service.stop())

  const idOf = (n: number) => people[n]?.id ?? 0
  /** A group as the import leaves it: its id at the provider, and the owner that the old database names. */
  async function imported(providerId: string, owner: number): Promise<number> {
    const [row] = await world.sql<[{ id: number }]>`
      insert into im_groups (provider, provider_id, name, description, public, members_only, allow_invites, max_users,
        creator_id, owner_id, synced_version, unloaded)
      values ('easemob', ${providerId}, ${`群聊 ${providerId}`}, '', false, true, true, 200, ${owner}, ${owner}, 1, true)
      returning id`
    await world.sql`insert into im_group_members (group_id, user_id) values (${row.id}, ${owner})`
    return row.id
  }
  const there = (id: string, owner: number, members: (number | string)[]) => {
    service.groups.set(id, {
      ...{ id, name: `name of ${id}`, description: 'old', public: true, membersonly: false },
      ...{ allowinvites: false, maxusers: 50, custom: '', owner: String(owner) },
      members: new Set(members.map(String)),
    })
  }
  const shown = (id: string) => {
    const group = service.groups.get(id)
    return [group?.name, group?.owner, [...(group?.members ?? [])].sort()]
  }
  const stateOf = async (id: number) => {
    const [row] = await world.sql`
      select name, description, public, members_only, allow_invites, max_users, owner_id, unloaded,
        array(select user_id from im_group_members where group_id = g.id order by user_id) as members
      from im_groups g where id = ${id}`
    return row
  }

  test('loads name, owner and members from the provider, and changes nothing there', async () => {
    there('600001', idOf(0), [idOf(1)])
    there('600002', idOf(1), [idOf(2)])
    const [first, second] = [await imported('600001', idOf(0)), await imported('600002', idOf(0))]
    const before = [shown('600001'), shown('600002')]
    assert.deepEqual(
      (await findDrift(world.ctx)).map(({ group, difference }) => [group, difference]),
      [first, second].map((group) => [group, 'is not loaded from the provider yet']),
    )
    assert.equal(await syncGroup(world.ctx, first), 'busy')
    const { loaded, drift } = await reconcile(world.ctx)
    assert.deepEqual([loaded, drift], [2, []])
    await world.work()
    assert.deepEqual([shown('600001'), shown('600002')], before)
    assert.deepEqual(
      { ...(await stateOf(second)) },
      {
        ...{ name: 'name of 600002', description: 'old', public: true, members_only: false },
        ...{ allow_invites: false, max_users: 50, owner_id: idOf(1), unloaded: false },
        members: [idOf(1), idOf(2)],
      },
    )
    assert.deepEqual((await stateOf(first))?.members, [idOf(0), idOf(1)])
    assert.deepEqual(await findDrift(world.ctx), [])
  })

  test('keeps a group that the provider does not have, and creates none', async () => {
    const [lost, odd] = [await imported('600009', idOf(0)), await imported('六百', idOf(0))]
    const count = service.groups.size
    await sweep(world.ctx)
    const { drift } = await reconcile(world.ctx)
    await world.work()
    assert.deepEqual(
      drift.map(({ group }) => group),
      [lost, odd],
    )
    assert.equal(service.groups.size, count)
    const [row] = await world.sql<[{ last_error: string }]>`select last_error from im_groups where id = ${lost}`
    assert.match(row.last_error, /^the provider does not have this group/)
    there('600009', idOf(0), [idOf(2)])
    await sweep(world.ctx)
    assert.deepEqual((await stateOf(lost))?.members, [idOf(0), idOf(2)])
  })

  test('loads a group after an outage', async () => {
    there('600010', idOf(0), [idOf(1)])
    const id = await imported('600010', idOf(0))
    await world.sql`update im_groups set version = 2 where id = ${id}`
    service.fault = (call) => (call === 'GET /chatgroups/:' ? 'broken' : undefined)
    await sweep(world.ctx)
    await world.work()
    assert.equal((await stateOf(id))?.unloaded, true)
    service.fault = () => undefined
    await sweep(world.ctx)
    await world.work()
    assert.deepEqual(shown('600010'), ['name of 600010', String(idOf(0)), [String(idOf(1))]])
    assert.deepEqual((await stateOf(id))?.members, [idOf(0), idOf(1)])
  })
})
