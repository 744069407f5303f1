import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createLocalStorage } from '#platform/files'
import { accept, bringerOf } from '#test/fixtures/bring-over.ts'
import { createDice } from '#test/fixtures/dice.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { writeFiles } from '#test/fixtures/mirrored.ts'
import { addOldCommunity } from '#test/fixtures/old-community.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { type FileSource, openFiles } from '../../../importers/thinksns/database/files.ts'
import { listDecisions } from '../../../importers/thinksns/decisions.ts'
import { closeMove } from '../../../importers/thinksns/import.ts'
import { verify } from '../../../importers/thinksns/verify/verify.ts'

describe('compares an import with its source', { skip: skipMariaDb }, async () => {
  const { sql, ...world } = await createWorld()
  let maria: MariaDb
  let source: ThinkSns
  let files: FileSource
  const folder = await mkdtemp(join(tmpdir(), 'kith-verify-'))

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'verified')
    await addOldCommunity(source, 5)
    await source.add(
      'common_configs',
      { namespace: 'wallet', name: 'ratio', value: '200' },
      { namespace: 'wallet', name: 'cash', value: '["alipay"]' },
      { namespace: 'wallet', name: 'rule', value: '{"a":1}' },
      { namespace: 'common', name: 'hots_area', value: '[{"name":"b","sort":1},{"name":"a","sort":2}]' },
      { namespace: 'question', name: 'apply_amount', value: '7' },
      { namespace: 'user', name: 'register-setting', value: '{"method":"mail","showTerms":"1"}' },
      { namespace: 'checkin', name: 'switch', value: '' },
      { namespace: 'site', name: 'title', value: '"none of these"' },
    )
    await source.add(
      'settings',
      { namespace: 'user', name: 'register-role', contents: 'i:3;' },
      { namespace: 'wallet', name: 'ratio', contents: 's:3:"300";' },
      { namespace: 'currency', name: 'cash', contents: 's:3:"odd";' },
      {
        namespace: 'site',
        name: 'reward',
        contents: 'a:2:{s:6:"status";b:1;s:7:"amounts";s:3:"5,9";}',
      },
    )
    await source.add('currency_types', { id: 1, name: 'coins', unit: 'c' })
    await writeFiles(folder, createDice(5), 1)
    files = await openFiles(folder, world.ctx.config.s3)
    await bringerOf({ sql, ...world }, { database: source.address, files: folder })()
  })
  after(async () => {
    await maria?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function verified(): Promise<{ code: number; lines: string[] }> {
    const lines: string[] = []
    const code = await verify(
      sql,
      { database: source.address },
      { files, storage: world.ctx.storage, print: (line) => void lines.push(line) },
    )
    return { code, lines }
  }

  test('ends with go after a run', async () => {
    const { code, lines } = await verified()
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('✓') && !/^(points|wallet): /.test(line)),
      ['go'],
    )
    assert.ok(
      lines.some((line) =>
        /^✓ bytes of files: [1-9]\d* the same, \d+ not copied, as the report says, 0 here but/.test(line),
      ),
    )
    assert.ok(
      lines.some((line) => /^✓ settings: 13 the same, 1 in the report of the import$/.test(line)),
      lines.join('\n'),
    )
    assert.ok(lines.some((line) => /^✓ buyers of content: [1-9]/.test(line)))
    assert.ok(
      lines.some((line) => /^points: balances here \d+, in escrow \d+, opening by currencies/.test(line)),
    )
    assert.equal(code, 0)
  })

  test('rejects a database without the tables of the last run', async () => {
    const before = await sql<{ verified_run: number | null }[]>`select verified_run from imports`
    await maria.run(undefined, 'create database elsewhere')
    const at = (database: string) => ({ database: source.address.replace('verified', database) })
    const print = () => {}
    await assert.rejects(verify(sql, at('elsewhere'), { print }), /no ThinkSNS\+ tables: check/)
    await assert.rejects(verify(sql, at('verified'), { prefix: 'ts_', print }), /no ThinkSNS\+ tables: check/)
    await source.run('rename table comments to kept_comments')
    const { code, lines } = await verified()
    assert.equal(code, 1)
    assert.ok(lines.includes('✗ tables that the last run read and this database lacks: comments'))
    await assert.rejects(
      bringerOf({ sql, ...world }, { database: source.address, files: folder })(),
      /lacks tables that an earlier run read: comments/,
    )
    assert.ok((await sql`select from comments`).count > 0)
    await source.run('rename table kept_comments to comments')
    assert.deepEqual([...(await sql`select verified_run from imports`)], [...before])
    assert.equal((await verified()).code, 0)
  })

  test('ends with no go for files that the store lacks, as after another DATA_DIR', async () => {
    const elsewhere = createLocalStorage(join(folder, 'elsewhere'))
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    assert.equal(await verify(sql, { database: source.address }, { files, storage: elsewhere, print }), 1)
    for (const name of ['files', 'pictures']) {
      const at = lines.findIndex((line) => line.startsWith(`✗ bytes of ${name}: `))
      assert.match(lines[at + 1] ?? '', /^ {2}\d+ not in the store: check STORAGE and DATA_DIR: /)
    }
  })

  test('allows the end of an import only after the last run was compared', async () => {
    const { ctx } = world
    await accept({ sql, ...world }, await listDecisions(sql))
    await sql`update imports set runs = runs + 1`
    await assert.rejects(closeMove(ctx), /`kith import verify` has not ended with go/)
    await sql`update ledger_accounts set balance = balance + 1 where owner_id = 3`
    assert.equal((await verified()).code, 1)
    await assert.rejects(closeMove(ctx), /`kith import verify` has not ended with go/)
    await sql`update ledger_accounts set balance = balance - 1 where owner_id = 3`
    await sql`update imports set finished_at = null`
    const unfinished = await verified()
    assert.equal(unfinished.code, 1)
    assert.equal(unfinished.lines[0], '✗ the last run has not finished: repeat it')
    await sql`update imports set finished_at = now()`
    await assert.rejects(closeMove(ctx), /`kith import verify` has not ended with go/)
    assert.equal((await verified()).code, 0)
    assert.equal(await closeMove(ctx), 0)
    await sql`update imports set closed_at = null, verified_run = null`
    assert.equal(await closeMove(ctx, { unverified: true }), 0)
    await sql`update imports set closed_at = null`
  })

  test('rejects a database without an import', async () => {
    const empty = await createWorld()
    await assert.rejects(
      verify(empty.sql, { database: source.address }, { print: () => {} }),
      /contains no import: run `kith import thinksns` first/,
    )
  })

  test('names disabled users whose rows the source deleted, and still ends with go', async () => {
    const bring = bringerOf({ sql, ...world }, { database: source.address, files: folder })
    await source.run('delete from users where id = 9')
    const { reasons } = await bring()
    assert.deepEqual(reasons('users', 9), ['no longer in the source: disabled'])
    const { code, lines } = await verified()
    assert.equal(code, 0, lines.join('\n'))
    assert.ok(
      lines.includes('1 users disabled, because the old site has no row of them: 9'),
      lines.join('\n'),
    )
    await sql`update users set deleted_at = null where id = 9`
    assert.ok((await verified()).lines.includes('  1 here without a source: 9'))
    await sql`update users set deleted_at = now() where id = 9`
  })

  for (const [what, statement, line] of [
    ['an open group', "update groups set mode = 'public', audit = 1", 'groups that guests see'],
    [
      'money that came from nowhere',
      'update ledger_accounts set balance = balance + 1 where owner_id > 0',
      'points of people',
    ],
    [
      'a right that nobody had',
      'insert into user_roles select 7, id from roles where name = $$founder$$ on conflict do nothing',
      'roles of people',
    ],
    [
      'a member of a group who never joined',
      'insert into group_members (group_id, user_id, id, role, audit) select g.id, 79, 999999, $$member$$, 1 from groups g where not exists (select from group_members where group_id = g.id and user_id = 79) limit 1',
      'members of groups',
    ],
    [
      'a buyer who never paid',
      `insert into purchases (user_id, node_id, currency, amount, settled_before)
        select 79, n.id, 'points', 1, true from paid_nodes n
        where not exists (select from purchases where node_id = n.id and user_id = 79) limit 1`,
      'buyers of content',
    ],
    ['paid content that became free', 'update paid_nodes set free = true', 'prices of content'],
    [
      'an administrator who was none',
      `with somebody as (insert into users (id, name, name_key) values (999, 'somebody', 'somebody')),
        made as (insert into roles (name, display_name) values ('odd', 'odd') returning id),
        able as (insert into role_abilities (role_id, ability) select id, 'admin: login' from made)
        insert into user_roles select 999, id from made`,
      'people who administer',
    ],
    [
      'money in escrow that nobody paid',
      'update import_holds set amount = amount + 1000000',
      'money in escrow of people',
    ],
    [
      'an amount that no line of the report explains',
      `delete from import_notes where source_table = 'wallets'`,
      'older wallets of people, booked or reported',
    ],
    [
      'a setting that nobody made',
      `insert into settings (name, value) values ('currency:cash', 'true')
        on conflict (name) do update set value = excluded.value`,
      'settings',
    ],
    ['a lost setting', "delete from settings where name = 'site:reward-amounts'", 'settings'],
    ['another ratio', "update settings set value = '7' where name = 'wallet:ratio'", 'settings'],
    [
      'another role of new users',
      "update settings set value = '\"founder\"' where name = 'register:role'",
      'settings',
    ],
    [
      'a lost order',
      'delete from earlier_orders where id in (select min(id) from earlier_orders)',
      'earlier orders of points',
    ],
    [
      'a file that is neither copied nor reported',
      "with gone as (delete from import_notes where source_table = 'bytes of files') update files set size = 0 where id in (select min(file_id) from import_uploads)",
      'bytes of files',
    ],
    ['other bytes', `update files set md5 = decode(md5('x'), 'hex') where size > 0`, 'bytes of files'],
    ['a lower price', 'update paid_nodes set amount = 1 where amount > 1', 'prices of content'],
    ['a group at another price', "update groups set money = 1 where mode = 'paid'", 'groups'],
    [
      'a group in which all may post',
      "update groups set permissions = '{member,administrator,founder}'",
      'groups',
    ],
    [
      'an administrator of a group who was a member',
      "update group_members set role = 'administrator' where role = 'member' and audit = 1 and not disabled",
      'states of memberships',
    ],
    ['a lost member of a group', "delete from group_members where role = 'member'", 'states of memberships'],
    [
      'another address',
      "update users set email = 'x@y.z', email_key = 'x@y.z' where id = 5",
      'contacts of people',
    ],
    ['a lost password', 'update users set password = null where id = 5', 'passwords of people'],
    [
      'a password of another',
      "update users set password = '$2y$10$' || repeat('a', 53) where id = 5",
      'passwords of people',
    ],
    ['a disabled user', 'update users set deleted_at = now() where id = 5', 'people who can sign in'],
    ['another author', 'update feeds set user_id = 3 where user_id <> 3', 'authors and texts of feeds'],
    ['another text', "update feeds set feed_content = 'x'", 'authors and texts of feeds'],
    ['another article', "update news set content = 'x'", 'authors, texts and fees of news'],
    ['another comment', "update comments set body = 'x'", 'comments'],
    ['a named question', 'update questions set anonymity = not anonymity', 'questions'],
    ['a cheaper question', 'update questions set amount = amount + 5 where amount > 0', 'questions'],
    ['a named answer', 'update answers set anonymity = not anonymity', 'answers'],
    ['a larger reward', 'update rewards set amount = amount + 1', 'rewards'],
    ['a doubled order', 'update earlier_orders set amount = amount * 2', 'earlier orders of points'],
    [
      'a lost withdrawal',
      "delete from withdrawals where state = 'pending' and currency = 'wallet'",
      'withdrawals from the wallet',
    ],
    [
      'a withdrawal that was paid out',
      "update withdrawals set state = 'passed', decided_at = now() where state = 'pending' and currency = 'points'",
      'withdrawals of points',
    ],
    [
      'a withdrawal to another account',
      "update withdrawals set account = 'x' where state = 'pending'",
      'withdrawals from the wallet',
    ],
    [
      'a cancelled pin',
      "update pins set state = 'cancelled' where state = 'pending'",
      'pins of feeds that wait',
    ],
    ['a lost purchase', 'delete from purchases', 'content that people bought'],
    ['a badge that nobody has', 'update certifications set status = 1', 'certifications'],
    ['an upload of another', 'update file_uses set owner_id = 3 where owner_id <> 3', 'uploads'],
    [
      'a picture of another feed',
      'update feed_images set feed_id = (select max(id) from feeds), position = position + file',
      'pictures of feeds',
    ],
    ['a lost block', 'delete from user_blocks', 'people whom people block'],
    ['a lost follow', 'delete from user_follows where user_id = 3', 'people whom people follow'],
    [
      'an account elsewhere of another',
      'update linked_accounts set user_id = 79 where user_id in (select min(user_id) from linked_accounts)',
      'accounts of people elsewhere',
    ],
    [
      'an ability that a role lacked',
      "insert into role_abilities select id, 'admin: login' from roles where name in ('editor', 'helper') on conflict do nothing",
      'abilities of roles',
    ],
    [
      'an answer that nobody paid for',
      'insert into answer_onlookers (answer_id, user_id, amount) select min(id), 79, 1 from answers',
      'people who paid to see answers',
    ],
    ['a lost like', 'delete from likes where id in (select max(id) from likes)', 'likes'],
    ['lost collections', 'delete from collections', 'collections'],
    ['lost tags', 'delete from user_tags', 'tags of people, news and groups'],
    [
      'a lost check-in',
      'delete from checkin_logs where id in (select max(id) from checkin_logs)',
      'check-ins',
    ],
    ['a lost comment', 'delete from comments where id in (select id from comments limit 1)', 'comments'],
    [
      'another name',
      "update users set name = 'nobody', name_key = 'nobody' where id = 3",
      'people and their names',
    ],
  ] as const)
    test(`ends with no go for ${what}`, async () => {
      await sql
        .begin(async (tx) => {
          await tx`${tx.unsafe(statement)}`
          const lines: string[] = []
          const code = await verify(
            tx as never,
            { database: source.address },
            { files, print: (each) => void lines.push(each) },
          )
          assert.equal(code, 1)
          assert.ok(
            lines.some((each) => each.startsWith(`✗ ${line}:`)),
            lines.join('\n'),
          )
          assert.equal(lines.at(-1), 'no go')
          throw new Error('undone')
        })
        .catch((error) => {
          if (error.message !== 'undone') throw error
        })
    })
})
