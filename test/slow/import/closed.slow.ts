import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'

describe('closes what it does not understand', { skip: skipMariaDb }, async () => {
  const world = await createWorld()
  const { sql } = world
  let maria: MariaDb
  let source: ThinkSns
  let bring: ReturnType<typeof bringerOf>

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'closed')
    const { add, run } = source
    await run("set global sql_mode = ''")
    for (const id of [1, 2, 3, 4]) await add('users', { id, name: `person${id}` })
    await run("update users set deleted_at = '0000-00-00 00:00:00' where id = 4")
    await add('roles', { id: 3, name: 'owner' }, { id: 4, name: 'editor' })
    await add('abilities', { id: 1, name: 'feed-post' }, { id: 2, name: 'admin: login' })
    await add('ability_role', { ability_id: 1, role_id: 3 }, { ability_id: 2, role_id: 4 })
    await add('role_user', { user_id: 1, role_id: 3 }, { user_id: 2, role_id: 4 })
    await add('group_categories', { id: 1, name: 'kind', status: 1 })
    const group = (id: number, more: object) =>
      add('groups', {
        id,
        name: `group ${id}`,
        user_id: 1,
        category_id: 1,
        audit: 1,
        mode: 'public',
        ...more,
      })
    await group(1, { mode: 'paid', money: 0 })
    await group(2, { mode: 'odd' })
    await group(3, { mode: null })
    await group(4, { audit: null })
    await group(5, {})
    await group(1000, {})
    await run("update `groups` set deleted_at = '0000-00-00 00:00:00' where id = 5")
    await add(
      'group_members',
      { id: 1, group_id: 1, user_id: 2, role: 'administrator', audit: 1, disabled: 1 },
      { id: 2, group_id: 1, user_id: 3, role: 'administrator', audit: 0, disabled: 0 },
    )
    await add('questions', { id: 1, user_id: 1, subject: 'who', anonymity: 7 })
    await add('answers', { id: 1, question_id: 1, user_id: 2, body: 'me', anonymity: 7 })
    await add('news_cates', { id: 1, name: 'one' })
    await add('news', { id: 1, title: 'n', content: 'c', user_id: 1, cate_id: 1, audit_status: null })
    await run(
      'insert into feeds (id, user_id, feed_content, feed_mark, audit_status) values (1, 1, 1, 1, null)',
    )
    bring = bringerOf(world, { database: source.address })
    await bring()
  })
  after(() => maria?.stop())

  test('makes groups of unknown access, and paid ones without a price, private', async () => {
    assert.deepEqual(
      (await sql`select id, mode, audit from groups order by id`).map(({ id, mode, audit }) => [
        id,
        mode,
        audit,
      ]),
      [
        [1, 'private', 1],
        [2, 'private', 1],
        [3, 'private', 1],
        [4, 'public', 0],
        [1000, 'public', 1],
      ],
    )
  })

  test('lets only those who run a group post when the rule is unknown', async () => {
    const [group] = await sql`select permissions from groups where id = 1000`
    assert.deepEqual(group?.permissions, ['administrator', 'founder'])
  })

  test('gives administrators of a group who wait or are blacklisted no rights', async () => {
    const members = await sql`
      select user_id, role, audit, disabled from group_members where group_id = 1 and user_id > 1 order by 1`
    assert.deepEqual(
      members.map((row) => ({ ...row })),
      [
        { user_id: 2, role: 'member', audit: 1, disabled: true },
        { user_id: 3, role: 'member', audit: 0, disabled: false },
      ],
    )
  })

  test('hides authors whose anonymity is unknown', async () => {
    assert.deepEqual(
      [
        (await sql`select anonymity from questions where id = 1`)[0]?.anonymity,
        (await sql`select anonymity from answers where id = 1`)[0]?.anonymity,
      ],
      [true, true],
    )
  })

  test('hides feeds and articles whose review is unknown', async () => {
    const [feed] = await sql`select deleted_at is not null as hidden from feeds where id = 1`
    const [article] = await sql`select audit_status from news where id = 1`
    assert.deepEqual([feed?.hidden, article?.audit_status], [true, 2])
  })

  test('takes an unreadable date of a deletion for a deletion', async () => {
    assert.notEqual((await sql`select deleted_at from users where id = 4`)[0]?.deleted_at, null)
  })

  test('gives no membership of its own an id that a later member of the source has', async () => {
    // The members of these groups are read in different ranges.
    const [added] = await sql<{ id: number }[]>`select id from group_members where group_id = 1000`
    const id = added?.id ?? 0
    await source.add('group_members', { id, group_id: 2, user_id: 3, role: 'member', audit: 1 })
    await bring()
    const [member] = await sql`select group_id, user_id from group_members where id = ${id}`
    assert.deepEqual({ ...member }, { group_id: 2, user_id: 3 })
    assert.equal((await sql`select from group_members where role = 'founder'`).count, 5)
  })

  test('lets only those publish who could before, also after the ability is taken', async () => {
    const publish = async (id: number) => {
      const { access_token: token } = await issueToken(sql, id)
      const answer = await world.as({ id, name: '', token }, 'POST', '/feeds', {
        feed_content: 'hello',
        feed_from: 1,
        feed_mark: Date.now() + id,
      })
      return answer.status
    }
    assert.deepEqual([await publish(1), await publish(2), await publish(3)], [201, 403, 403])
    await sql`delete from feeds where feed_content = 'hello'`
    const rights = async () =>
      (
        await sql<{ right: string }[]>`
          select r.name || ' ' || ability as right from role_abilities x join roles r on r.id = x.role_id
          where r.name = 'editor' or r.name = 'owner' and ability = 'feed-post' order by 1`
      ).map(({ right }) => right)
    assert.deepEqual(await rights(), ['editor admin: login', 'owner feed-post'])
    await source.run('delete from ability_role')
    await bring()
    assert.deepEqual(await rights(), [])
  })
})
