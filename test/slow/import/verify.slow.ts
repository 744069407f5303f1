import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { addOldCommunity } from '#test/fixtures/old-community.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { verify } from '../../../importers/thinksns/verify/verify.ts'

describe('compares an import with its source', { skip: skipMariaDb }, async () => {
  const { sql, ...world } = await createWorld()
  let maria: MariaDb
  let source: ThinkSns

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'verified')
    await addOldCommunity(source, 5)
    await bringerOf({ sql, ...world }, { database: source.address })()
  })
  after(() => maria?.stop())

  async function verified(): Promise<{ code: number; lines: string[] }> {
    const lines: string[] = []
    const code = await verify(sql, { database: source.address }, '', (line) => void lines.push(line))
    return { code, lines }
  }

  test('ends with go after a run', async () => {
    const { code, lines } = await verified()
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('✓')),
      ['go'],
    )
    assert.equal(code, 0)
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
            '',
            (each) => void lines.push(each),
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
