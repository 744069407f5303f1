import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { bringerOf, faultsOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { differencesOf } from '#test/fixtures/mirror.ts'
import { HASH } from '#test/fixtures/old-people.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld, type World } from '#test/world.ts'

const STEP = 'locked people'

/** In a stock installation the founder holds every role, including `disabler`. */
async function addFounders({ add }: ThinkSns): Promise<void> {
  const password = HASH
  await add(
    'users',
    { id: 1, name: 'root', password },
    { id: 2, name: 'second', password, email: 'second@example.org' },
    { id: 3, name: 'former', password, deleted_at: '2021-01-01 00:00:00' },
    { id: 4, name: 'restricted', password, phone: '13800000004' },
    { id: 5, name: 'deleted', password, deleted_at: '2021-01-01 00:00:00' },
    { id: 6, name: 'silent' },
  )
  const roles = ['founder', 'disabler', 'developer', 'owner']
  await add('roles', ...roles.map((name, at) => ({ id: at + 1, name })))
  await add(
    'role_user',
    ...roles.map((_, at) => ({ user_id: 1, role_id: at + 1 })),
    { user_id: 2, role_id: 1 },
    { user_id: 3, role_id: 1 },
    { user_id: 4, role_id: 2 },
    { user_id: 4, role_id: 4 },
  )
}

describe('imports founders and locked users of a stock installation', { skip: skipMariaDb }, () => {
  let maria: MariaDb
  let source: ThinkSns
  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'founders')
    await addFounders(source)
  })
  after(() => maria?.stop())

  const signIn = async ({ guest }: World, login: string) =>
    (await guest('POST', '/auth/login', { login, password: 'correct horse' })).status
  const lockedOf = async ({ sql }: World) =>
    (await sql<{ id: number }[]>`select id from users where deleted_at is not null order by id`).map(
      ({ id }) => id,
    )

  test('lets founders and holders of the role `disabler` sign in unless the source deleted them', async () => {
    const world = await createWorld()
    const { reasons, printed } = await bringerOf(world, { database: source.address })()
    assert.deepEqual(await lockedOf(world), [3, 5])
    for (const name of ['root', 'second', 'restricted']) assert.equal(await signIn(world, name), 200, name)
    assert.deepEqual(reasons(STEP, 1), [])
    assert.deepEqual(reasons(STEP, 3), ['locked: deleted in the source, a founder'])
    assert.deepEqual(reasons(STEP, 4), [
      'not locked: the role disabler did not prevent sign-in in the source (--lock-disablers locks its holders)',
    ])
    assert.deepEqual(reasons(STEP, 5), ['locked: deleted in the source'])
    assert.match(printed.join('\n'), /^Administrators who can sign in: root \(1\), second \(2\)$/m)
    assert.deepEqual(await faultsOf(world), [])
  })

  test('locks holders of the role `disabler` with --lock-disablers', async () => {
    const world = await createWorld()
    const bring = bringerOf(world, { database: source.address, lockDisablers: true })
    for (const { reasons } of [await bring(), await bring(), await bring({ again: true })]) {
      assert.deepEqual(await lockedOf(world), [3, 4, 5])
      assert.deepEqual(reasons(STEP, 1), [])
      assert.deepEqual(reasons(STEP, 4), ['locked: has the role disabler (--lock-disablers)'])
      assert.deepEqual(reasons(STEP, 5), ['locked: deleted in the source'])
    }
    assert.equal(await signIn(world, 'root'), 200)
    assert.equal(await signIn(world, 'restricted'), 403)
    await assert.rejects(
      bring({ lockDisablers: false }),
      /options differ from those of the first run: --time-zone UTC --waiting keep --lock-disablers\. Give/,
    )
  })

  test('keeps a founder enabled when a repeated import no longer finds the user in the source', async () => {
    const world = await createWorld()
    const bring = bringerOf(world, { database: source.address })
    await bring()
    await world.sql`
      insert into user_roles (user_id, role_id) select 6, id from roles where name = 'founder'`
    await world.sql`
      update users set email = 'six@example.org', email_key = 'six@example.org', password = ${HASH} where id = 6`
    await source.run('delete from users where id = 6')
    await source.add('role_user', { user_id: 2, role_id: 4 })
    await bring()
    await source.run('delete from role_user where user_id = 2 and role_id = 4')
    await bring()
    assert.deepEqual(await lockedOf(world), [3, 5])
    const { count } = await world.sql`
      select from user_roles x join roles r on r.id = x.role_id where r.name = 'founder' and x.user_id = 6`
    assert.equal(count, 1)
    for (const login of ['silent', 'six@example.org']) assert.equal(await signIn(world, login), 200, login)
    await source.add('users', { id: 6, name: 'silent' })
  })

  test('removes roles of administrators whose rows the source removed, until it has them again', async () => {
    const world = await createWorld()
    const bring = bringerOf(world, { database: source.address })
    const rolesOf = async (id: number) =>
      (
        await world.sql<{ name: string }[]>`
          select r.name from user_roles x join roles r on r.id = x.role_id where x.user_id = ${id} order by 1`
      ).map(({ name }) => name)
    await source.add('roles', { id: 9, name: 'helper' })
    await source.add('role_user', { user_id: 2, role_id: 9 }, { user_id: 6, role_id: 1 })
    await bring()
    const { access_token: token } = await issueToken(world.sql, 2)
    const enter = async () => (await world.as({ id: 2, name: '', token }, 'GET', '/admin/users')).status
    assert.deepEqual(
      [await rolesOf(2), await rolesOf(6), await enter()],
      [['founder', 'helper'], ['founder'], 200],
    )
    // The rows of `role_user` stay in the first case, and go in the second.
    await source.run('delete from users where id in (2, 6)')
    await source.run('delete from role_user where user_id = 6')
    for (const _ of [1, 2]) {
      const { reasons } = await bring()
      assert.deepEqual([await rolesOf(2), await rolesOf(6), await enter()], [[], [], 401])
      assert.deepEqual(await lockedOf(world), [2, 3, 5, 6])
      assert.deepEqual(reasons('role_user', '2/1'), ['the user no longer exists'])
    }
    await source.add('users', { id: 2, name: 'second', password: HASH, email: 'second@example.org' })
    await source.add('users', { id: 6, name: 'silent' })
    await bring()
    assert.deepEqual([await rolesOf(2), await rolesOf(6)], [['founder', 'helper'], []])
    assert.deepEqual(await lockedOf(world), [3, 5])
    assert.equal(await signIn(world, 'second'), 200)
    assert.deepEqual(await faultsOf(world), [])
    const fresh = await createWorld()
    await bringerOf(fresh, { database: source.address })()
    assert.deepEqual(
      (await differencesOf(world, fresh)).filter((line) =>
        /^(user_roles|roles|import_targets|report) /.test(line),
      ),
      [],
    )
    await source.run('delete from role_user where role_id = 9')
    await source.run('delete from roles where id = 9')
  })

  test("names the command that resets a founder's password when no founder can sign in", async () => {
    const world = await createWorld()
    await source.run('update users set password = null where id in (1, 2)')
    await source.run('update users set email = null where id = 2')
    const { printed } = await bringerOf(world, { database: source.address })()
    assert.match(printed.join('\n'), /No administrator can sign in\. .*kith admin reset-password 1 --enable/)
    await source.run('update users set password = ? where id in (1, 2)', [HASH])
  })

  test('assigns orphaned content to a founder who is not deleted', async () => {
    const world = await createWorld()
    const other = await createThinkSns(maria, 'heirs')
    await other.add(
      'users',
      { id: 1, name: 'former', deleted_at: '2021-01-01 00:00:00' },
      { id: 2, name: 'present' },
    )
    await other.add('roles', { id: 1, name: 'founder' })
    await other.add('role_user', { user_id: 1, role_id: 1 }, { user_id: 2, role_id: 1 })
    await other.add('feed_topics', { id: 1, name: 'Orphan', creator_user_id: 77, status: 'passed' })
    await bringerOf(world, { database: other.address })()
    const [topic] = await world.sql`select creator_user_id as creator from feed_topics`
    assert.equal(topic?.creator, 2)
  })
})
