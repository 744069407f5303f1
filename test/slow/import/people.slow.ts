import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { accept, bringerOf, faultsOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { addOldPeople, HASH, NODE } from '#test/fixtures/old-people.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { openFiles } from '../../../importers/thinksns/database/files.ts'
import { closeMove } from '../../../importers/thinksns/import.ts'
import { verify } from '../../../importers/thinksns/verify/verify.ts'

/** Hash of `another one`. */
const OTHER_HASH = '$2y$04$36yc.BveR3xq6bWZ27HD0OUxh0YR.7pDTNj8pkPsPk.nEbwudiQgi'

describe('imports users', { skip: skipMariaDb }, async () => {
  let maria: MariaDb
  let source: ThinkSns
  const world = await createWorld()
  const { sql, guest } = world
  const folder = await mkdtemp(join(tmpdir(), 'kith-old-files-'))
  const put = async (path: string, bytes: Buffer | string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes)
  }
  let bring: ReturnType<typeof bringerOf>
  let first: Awaited<ReturnType<typeof bring>>

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'people')
    bring = bringerOf(world, { database: source.address, files: folder, timeZone: 'Asia/Shanghai' })
    await addOldPeople(source)
    const picture = await flatPicture(40, 30).png().toBuffer()
    await put(NODE.slice('public:'.length), picture)
    await put('avatars/000/000/000/09.png', picture)
    await put('2019/01/02/0304/abc.png', picture)
    first = await bring()
  })
  after(async () => {
    await maria?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const signIn = (login: string, password = 'correct horse') =>
    guest('POST', '/auth/login', { login, password })

  test('counts every row of a table as imported, merged or omitted', () => {
    assert.equal(first.code, 0)
    for (const { table, rows, imported, merged, left_out } of first.totals)
      assert.equal(rows, imported + merged + left_out, table)
    assert.deepEqual(first.of('users'), {
      table: 'users',
      rows: 9,
      imported: 9,
      merged: 0,
      left_out: 0,
      mended: 9,
    })
    assert.equal(first.of('user_extras')?.merged, 1)
    assert.equal(first.of('user_extras')?.left_out, 1)
    assert.ok(first.printed.some((line) => /^all +\d/.test(line)))
  })

  test('keeps the ids and contacts of users', async () => {
    const people = await sql`
      select id, name, phone, email, email_verified_at is not null as proved, created_at::text as created from users
      where id in (1, 2, 4) order by id`
    assert.deepEqual(people[0], {
      id: 1,
      name: 'root',
      phone: null,
      email: 'root@example.org',
      proved: true,
      created: '2020-01-02 00:00:00+00',
    })
    assert.equal(people[1]?.phone, '13800000002')
    assert.equal(people[2]?.name, 'user_4')
  })

  test('changes user names that are ambiguous, numeric or too long', async () => {
    const names = await sql<{ id: number; name: string }[]>`select id, name from users order by id`
    const of = (id: number) => names.find((row) => row.id === id)?.name
    assert.equal(of(3), '\u{1d400}nn_3')
    assert.equal(of(5), '_12345')
    assert.equal(of(8), 'x'.repeat(80))
    assert.match(first.reasons('users', 3).join(), /differs from another only in case/)
    assert.match(first.reasons('users', 5).join(), /underscore.*no e-mail address.*unknown password format/)
    assert.match(first.reasons('users', 6).join(), /the same phone/)
  })

  test('links each external account to one user', async () => {
    const links = await sql`select user_id, provider, subject from linked_accounts order by user_id`
    assert.deepEqual(
      [...links],
      [
        { user_id: 2, provider: 'qq', subject: 'u' },
        { user_id: 3, provider: 'wechat', subject: 'w' },
      ],
    )
    assert.match(first.reasons('user_socialites', '3/qq/u').join(), /another user/)
    assert.match(first.reasons('user_socialites', '2/qq/v').join(), /second account of the same provider/)
    assert.match(first.reasons('user_socialites', '99/wechat/x').join(), /no longer exists/)
  })

  test('rehashes an imported password at the first sign-in', async () => {
    for (const login of ['root', 'root@example.org', '1', 'ANN', '13800000002'])
      assert.equal((await signIn(login)).status, 200, login)
    assert.equal((await signIn('root', 'Correct horse')).status, 422)
    const [{ password }] = await sql<[{ password: string }]>`select password from users where id = 1`
    assert.match(password, /^\$argon2id\$/)
    assert.equal((await signIn('root')).status, 200)
    assert.equal((await signIn('user_4', '')).status, 422)
  })

  test('accepts concurrent first sign-ins of a user', async () => {
    await sql`update users set password = ${HASH} where id = 2`
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => signIn('Ann')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
  })

  test('disables deleted users, but not holders of the role `disabler`', async () => {
    assert.equal((await signIn('13800000007')).status, 200)
    const [{ n }] = await sql<
      [{ n: number }]
    >`select count(*)::int as n from users where deleted_at is not null`
    assert.equal(n, 1)
  })

  test('keeps the roles of users', async () => {
    const roles = await sql<{ name: string; people: number[]; abilities: string[] }[]>`
      select r.name, array(select user_id from user_roles u where u.role_id = r.id order by 1) as people,
        array(select ability from role_abilities a where a.role_id = r.id) as abilities
      from roles r where name in ('founder', 'moderator') order by name`
    assert.deepEqual(roles[0]?.people, [1])
    assert.deepEqual({ ...roles[1] }, { name: 'moderator', people: [2], abilities: ['[feed] Delete Feed'] })
  })

  test('imports follows and blocks only between existing users', async () => {
    assert.deepEqual(
      [...(await sql`select id, user_id, target_id, created_at::text as at from user_follows`)],
      [{ id: 5, user_id: 2, target_id: 3, at: '2022-05-05 23:08:09+00' }],
    )
    assert.deepEqual(
      [...(await sql`select user_id, target_id from user_blocks`)],
      [{ user_id: 3, target_id: 2 }],
    )
    const { body } = await guest('GET', '/users/3')
    assert.equal(body.extra.followers_count, 1)
  })

  test('imports avatars of old and new ThinkSNS+ versions', async () => {
    const { body } = await guest('GET', '/users/2')
    assert.equal(body.avatar.mime, 'image/png')
    assert.deepEqual(body.avatar.dimension, { width: 40, height: 30 })
    const path = new URL(body.avatar.url).pathname
    assert.equal(path, `/storage/public:${Buffer.from(NODE.slice(7)).toString('base64url')}`)
    assert.equal((await guest('GET', `http://localhost${path}`)).status, 200)
    assert.equal((await guest('GET', '/users/9')).body.avatar.size, body.avatar.size)
  })

  test('stores an imported file once for each user who uses it', async () => {
    const uses = await sql`
      select u.id, u.channel, u.raw, f.owner_id, f.mime, f.size > 0 as there from file_uses u join files f on f.id = u.file_id
      order by u.id`
    assert.deepEqual(
      [...uses],
      [
        { id: 11, channel: 'feed:image', raw: 1, owner_id: 2, mime: 'image/png', there: true },
        { id: 12, channel: 'feed:image', raw: 2, owner_id: 3, mime: 'image/png', there: true },
        { id: 13, channel: 'feed:image', raw: 1, owner_id: 2, mime: 'image/jpeg', there: false },
      ],
    )
    // This test imports no content that contains the picture, so no viewer may read its file (files-15).
    assert.equal((await guest('GET', '/files/11')).status, 404)
    assert.match(
      first.notes.map(({ row, reason }) => `${row}: ${reason}`).join('\n'),
      /file 2 of user 2: the file is missing/,
    )
    assert.match(first.reasons('file_withs', 15).join(), /content no longer exists/)
  })

  test('redirects URLs of the imported site only to visible files (files-13)', async () => {
    const go = async (path: string) => {
      const { status, headers } = await guest('GET', `http://localhost/storage/${path}`)
      return [status, status === 302 ? new URL(String(headers.location)).pathname : undefined]
    }
    assert.deepEqual(await go('2019/01/02/0304/abc.png'), [404, undefined])
    assert.deepEqual(await go('2019/01/02/0304/other.png'), [404, undefined])
    const [status, node] = await go('avatars/000/000/000/09.png')
    assert.equal(status, 302)
    assert.equal((await guest('GET', `http://localhost${node}`)).status, 200)
    assert.equal((await go(NODE.slice('public:'.length)))[0], 302)
  })

  test('applies new, changed and deleted rows of the source in a second run', async () => {
    await sql`select setval(pg_get_serial_sequence('users', 'id'), 19)`
    const stranger = await world.person({ name: 'registered here' })
    assert.equal(stranger.id, 20)
    assert.equal((await world.as(stranger, 'GET', '/user')).status, 200)
    await source.add('users', { id: 20, name: 'late', email: 'late@example.org', password: HASH })
    await source.run("update users set bio = 'changed' where id = 3")
    assert.equal((await signIn('13800000002')).status, 200)
    await source.run(`update users set password = '${OTHER_HASH}' where id = 2`)
    await source.run("update users set name = 'between' where id = 1")
    await source.run("update users set name = 'root' where id = 9")
    await source.run('delete from user_follow where id = 5')
    await put('2019/01/02/0304/lost.jpg', await flatPicture(20, 10).jpeg().toBuffer())
    const second = await bring()
    assert.equal(second.of('users')?.imported, 10)
    const people = await sql<{ id: number; name: string; bio: string }[]>`
      select id, name, bio from users where id in (1, 3, 9, 20) order by id`
    assert.deepEqual(
      people.map(({ name }) => name),
      ['between', '\u{1d400}nn_3', 'root', 'late'],
    )
    assert.equal(people[1]?.bio, 'changed')
    assert.equal((await world.as(stranger, 'GET', '/user')).status, 401)
    assert.equal((await signIn('between')).status, 200)
    assert.equal((await signIn('13800000002')).status, 422)
    assert.equal((await signIn('13800000002', 'another one')).status, 200)
    assert.equal((await guest('GET', '/users/3')).body.extra.followers_count, 0)
    const [found] = await sql<{ there: boolean }[]>`
      select f.size > 0 as there from file_uses u join files f on f.id = u.file_id where u.id = 13`
    assert.equal(found?.there, true)
    const [{ next }] = await sql<[{ next: number }]>`
      select nextval(pg_get_serial_sequence('users', 'id')) as next`
    assert.equal(next, 21)
  })

  test('finds pictures named by ids in every run, in spite of equal paths', async () => {
    const avatarOf = (id: number, extension: string) => `avatars/000/000/000/0${id}.${extension}`
    const paint = async (path: string, width: number) =>
      put(path, await flatPicture(width, 9).png().toBuffer())
    const widths = async () => {
      const rows = await sql<{ id: number; width: number | null; cover: number | null }[]>`
        select id, (avatar ->> 'width')::int as width, (bg ->> 'width')::int as cover from users
        where id in (3, 4, 5, 9) order by id`
      return rows.map(({ width, cover }) => [width, cover])
    }
    const check = async () => {
      const printed: string[] = []
      const files = await openFiles(folder, world.ctx.config.s3)
      await verify(sql, { database: source.address }, { files, print: (line) => void printed.push(line) })
      const at = printed.findIndex((line) => line.includes('bytes of pictures'))
      return printed.slice(at, at + 2)
    }
    await paint(avatarOf(3, 'png'), 31)
    await paint(avatarOf(4, 'jpg'), 41)
    await paint('user-bg/000/000/000/03.png', 32)
    await bring()
    assert.deepEqual(await widths(), [
      [31, 32],
      [41, null],
      [null, null],
      [40, null],
    ])
    await paint(avatarOf(3, 'png'), 33)
    await paint(avatarOf(4, 'png'), 43)
    await paint(avatarOf(5, 'jpeg'), 51)
    await rm(join(folder, avatarOf(9, 'png')))
    await paint('user-bg/000/000/000/03.png', 34)
    assert.match((await check()).join(), /✗.*differ: users.avatar 3, users.bg 3/)
    await bring()
    assert.deepEqual(await widths(), [
      [33, 34],
      [43, null],
      [51, null],
      [null, null],
    ])
    assert.match((await check()).join(), /✓/)
    const nodes = async () => sql`select node from storage_nodes order by node`
    const before = await nodes()
    await bring()
    assert.deepEqual(await nodes(), before, 'copies no picture twice')
    await bringerOf(world, { database: source.address, timeZone: 'Asia/Shanghai' })()
    assert.deepEqual(await widths(), [
      [33, 34],
      [43, null],
      [51, null],
      [null, null],
    ])
  })

  test('leaves nothing for `kith doctor` to repair', async () => {
    assert.deepEqual(await faultsOf(world), [])
  })

  test('rejects invalid options and options that differ from the first run', async () => {
    await assert.rejects(bring({ timeZone: 'UTC' }), /options differ from those of the first run/)
    await assert.rejects(bring({ timeZone: 'Mars/Olympus' }), /time-zone/)
    await assert.rejects(bring({ waiting: 'never' }), /--waiting/)
    await assert.rejects(bring({ resume: true }), /run has finished/)
    await assert.rejects(bring({ database: maria.address('mysql') }), /contains no ThinkSNS\+ tables/)
  })

  test('writes nothing in a dry run', async () => {
    const empty = await createWorld()
    const dry = await bringerOf(empty, {
      database: source.address,
      files: folder,
      timeZone: 'Asia/Shanghai',
      dryRun: true,
    })()
    assert.equal(dry.of('users')?.imported, 10)
    const [row] = await empty.sql<[{ people: number; imports: number; nodes: number }]>`
      select (select count(*)::int from users) as people, (select count(*)::int from imports) as imports,
        (select count(*)::int from storage_nodes) as nodes`
    assert.deepEqual({ ...row }, { people: 0, imports: 0, nodes: 0 })
    await assert.rejects(bringerOf(empty, { database: source.address, resume: true })(), /no run to resume/)
  })

  test('resumes an aborted run without duplicates', async () => {
    const broken = await createWorld()
    const bringBroken = bringerOf(broken, {
      database: source.address,
      files: folder,
      timeZone: 'Asia/Shanghai',
    })
    for (const stop of ['user_follow', 'file_withs', 'counting'])
      await assert.rejects(
        bringBroken({}, (at) => {
          if (at === stop) throw new Error(`broken off at ${stop}`)
        }),
        /broken off/,
      )
    const resumed = await bringBroken({ resume: true })
    assert.equal(resumed.of('users')?.imported, 10)
    const rows = (db: typeof sql) => db`
      select (select count(*) from users) as users, (select count(*) from user_blocks) as blocks,
        (select count(*) from file_uses) as uses, (select count(*) from files) as files,
        (select count(*) from user_roles) as roles`
    assert.deepEqual([...(await rows(broken.sql))], [...(await rows(sql))])
    assert.deepEqual(await faultsOf(broken), [])
    const { decisions } = await bringBroken()
    await assert.rejects(closeMove(broken.ctx), /decisions are not confirmed/)
    await accept(broken, decisions)
    await closeMove(broken.ctx, { unverified: true })
    await assert.rejects(bringBroken(), /import into this database is closed/)
    await assert.rejects(closeMove(broken.ctx), /no import to close/)
  })

  test('imports users only into an empty database', async () => {
    const used = await createWorld()
    await used.person()
    await assert.rejects(bringerOf(used, { database: source.address })(), /already contains 1 users/)
  })
})
