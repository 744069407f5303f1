import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'

describe('reports what an import cannot keep', { skip: skipMariaDb }, async () => {
  const world = await createWorld()
  const { sql } = world
  const folder = await mkdtemp(join(tmpdir(), 'kith-told-'))
  let maria: MariaDb
  let source: ThinkSns
  let bring: ReturnType<typeof bringerOf>

  const put = async (path: string, bytes: Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes)
  }

  const storedFiles = async () => {
    const uploads = join(world.ctx.config.dataDir ?? '', 'uploads')
    const entries = await readdir(uploads, { recursive: true, withFileTypes: true }).catch(() => [])
    return entries.filter((entry) => entry.isFile())
  }

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'told')
    const { add, run } = source
    await run("set global sql_mode = ''")
    for (const id of [1, 2]) await add('users', { id, name: `person${id}`, phone: `1380000000${id}` })
    await add(
      'common_configs',
      { namespace: 'wallet', name: 'ratio', value: 'many' },
      { namespace: 'wallet', name: 'recharge-status', value: 'perhaps' },
      { namespace: 'wallet', name: 'rule', value: '{"a":1}' },
      { namespace: 'question', name: 'apply_amount', value: '7' },
    )
    await add('settings', { namespace: 'currency', name: 'cash', contents: 's:3:"odd";' })
    const picture = await flatPicture(8, 6).png().toBuffer()
    for (const id of [1, 2, 3]) {
      await add('files', {
        id,
        hash: `h${id}`,
        filename: `a/${id}.png`,
        mime: 'image/gif',
        width: 8,
        height: 6,
      })
      await add('file_withs', {
        ...{ id, file_id: id, user_id: 1, channel: 'feed:image', raw: 1 },
        deleted_at: id === 3 ? '2020-01-01 00:00:00' : null,
      })
    }
    await put('a/1.png', picture)
    await put('a/2.png', picture.subarray(0, 20))
    await run("update users set avatar = 'public:avatars/1.png' where id = 1")
    await put('avatars/1.png', picture.subarray(0, picture.length - 20))
    await add('wallets', { user_id: 2, balance: 400, deleted_at: '2020-01-01 00:00:00' })
    await add('wallet_charges', {
      user_id: 1,
      channel: 'stripe',
      amount: 5,
      action: 1,
      status: 1,
      subject: 's',
    })
    await run("alter table wallet_charges add column currency varchar(30) null default 'usd'")
    await add('currency_orders', {
      ...{ owner_id: 1, title: 'cash', type: -1, target_type: 'cash', target_id: '0' },
      ...{ currency: 3, amount: 70, state: 0 },
    })
    await run(
      'alter table topics add column status int default 1, add column `sort` int default 5, add column mood varchar(20) null, add column empty int null',
    )
    await add('topics', { id: 1, name: 'one', mood: 'grim' })
    await add('topics', { id: 5, name: 'off', status: 0 })
    bring = bringerOf(world, { database: source.address, files: folder })
  })
  after(async () => {
    await maria?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('reads files in a dry run, and stores none', async () => {
    const { reasons } = await bring({ dryRun: true })
    assert.deepEqual(reasons('bytes of files', 'file 2 of user 1'), ['unsupported file type'])
    assert.deepEqual(reasons('bytes of files', 'file 1 of user 1'), ['differs from the stored bytes'])
    assert.deepEqual(reasons('pictures', 'users.avatar 1'), ['damaged: kept as it is'])
    assert.deepEqual(await storedFiles(), [])
    assert.equal((await sql`select from file_uses`).count, 0)
  })

  test('keeps the lines about files that were copied before an interruption', async () => {
    const other = await createWorld()
    const bringOther = bringerOf(other, { database: source.address, files: folder })
    for (const step of ['bytes of files', 'pictures'])
      await assert.rejects(
        bringOther({}, (at) => {
          if (at.startsWith(`${step}: `)) throw new Error(`broken off in ${step}`)
        }),
        new RegExp(`broken off in ${step}`),
      )
    const { reasons } = await bringOther({ resume: true })
    assert.deepEqual(reasons('bytes of files', 'file 1 of user 1'), ['differs from the stored bytes'])
    assert.deepEqual(reasons('pictures', 'users.avatar 1'), ['damaged: kept as it is'])
  })

  test('keeps the lines about copied files in later runs, and drops those of files that are gone', async () => {
    await bring()
    assert.equal((await storedFiles()).length, 2)
    const later = await bring()
    assert.deepEqual(later.reasons('bytes of files', 'file 1 of user 1'), ['differs from the stored bytes'])
    assert.deepEqual(later.reasons('bytes of files', 'file 2 of user 1'), ['unsupported file type'])
    await source.run('delete from file_withs where file_id = 2')
    await source.run('delete from files where id = 2')
    assert.deepEqual((await bring()).reasons('bytes of files', 'file 2 of user 1'), [])
    await source.run('delete from file_withs where file_id = 1')
    await bring()
    await world.work()
    assert.equal((await sql`select from files`).count, 0, 'deletes the bytes of removed uploads')
    await source.add('file_withs', { id: 1, file_id: 1, user_id: 1, channel: 'feed:image', raw: 1 })
    await bring()
    assert.equal((await sql`select from files where size > 0`).count, 1)
  })

  test('leaves out deleted uploads', async () => {
    const { reasons } = await bring()
    assert.deepEqual(reasons('file_withs', 3), ['deleted'])
    assert.deepEqual(
      (await sql`select id from file_uses order by id`).map(({ id }) => id),
      [1],
    )
  })

  test('sets settings of another type to their defaults, with a line', async () => {
    const { notes, decisions } = await bring()
    const told = notes.filter(({ table }) => table === 'common_configs' || table === 'settings')
    assert.deepEqual(told.map(({ row, reason }) => `${row}: ${reason}`).sort(), [
      'currency/cash: the value cannot be read',
      'wallet/ratio: wallet:ratio does not support this value: set to its default',
      'wallet/recharge-status: wallet:recharge does not support this value: set to its default',
      'wallet/rule: wallet:rule does not support this value: set to its default',
    ])
    assert.equal(decisions.filter(({ id }) => /^(common_configs|settings)/.test(id)).length, 4)
    const [row] = await sql`select value from settings where name = 'question:apply-amount'`
    assert.equal(Number(row?.value), 7)
  })

  test('leaves out money in other currencies, and deleted older wallets, with their amounts', async () => {
    const { notes } = await bring({ oldWallets: undefined as never })
    const lost = notes.filter(({ table }) => ['wallet_charges', 'currency_orders', 'wallets'].includes(table))
    assert.deepEqual(lost.map(({ table, reason, old }) => [table, reason, old]).sort(), [
      ['currency_orders', 'pending order in an unknown currency: nothing is held', 70],
      ['wallet_charges', 'unsupported currency', 5],
      ['wallets', 'deleted wallet of an older version', 400],
    ])
    assert.equal((await sql`select from withdrawals`).count, 0)
  })

  test('moves tags to a category of its own when the source removed all categories', async () => {
    await source.add('tag_categories', { id: 1, name: 'first' }, { id: 2, name: 'second' })
    await source.add('tags', { id: 1, name: 'tag', tag_category_id: 2 })
    await bring()
    const shown = async () => [
      ...(await sql`select c.id, c.name, t.name as tag from tag_categories c left join tags t on t.tag_category_id = c.id`),
    ]
    await source.run('delete from tag_categories')
    for (const _ of [1, 2]) {
      await bring()
      assert.deepEqual(await shown(), [{ id: 1, name: '其他', tag: 'tag' }])
    }
    await source.run('delete from tags')
    await bring()
    assert.deepEqual(await shown(), [])
  })

  test('leaves out topics of questions that the source disabled', async () => {
    const { reasons } = await bring()
    assert.deepEqual(reasons('topics', 5), ['disabled'])
    assert.deepEqual(
      (await sql`select name from question_topics`).map(({ name }) => name),
      ['one'],
    )
  })

  test('makes a decision of each column that it does not know and that has values', async () => {
    const { decisions } = await bring()
    const unknown = decisions.filter(({ id }) => id === 'columns: unknown column: not imported')
    assert.deepEqual(
      unknown.map(({ rows, examples }) => [rows, examples]),
      [[1, [{ row: 'topics.mood' }]]],
    )
  })

  test('describes an error of the database with the rows and what to do', async () => {
    await sql`alter table question_topics add constraint odd check (name <> 'two')`
    await source.add('topics', { id: 2, name: 'two' })
    await assert.rejects(
      bring(),
      /^Error: Kith's database rejected topics \(rows with id from 0 to 4999\): .*odd.* Nothing of it was written, .* Run the same command again\./s,
    )
    await sql`alter table question_topics drop constraint odd`
    await bring({ resume: true })
    assert.equal((await sql`select from question_topics`).count, 2)
  })
})
