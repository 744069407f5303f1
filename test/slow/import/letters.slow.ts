import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { sendLetters } from '../../../importers/thinksns/letters.ts'

describe('tells users the name that the import gave them', { skip: skipMariaDb }, async () => {
  const world = await createWorld()
  const { sql, ctx, outbox } = world
  let maria: MariaDb
  let source: ThinkSns

  async function send(dryRun = false, ways = { mail: true, sms: true }): Promise<string[]> {
    const lines: string[] = []
    await sendLetters(ctx, { dryRun, ways, print: (line) => void lines.push(line) })
    await world.work()
    return lines
  }

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'letters')
    const { add } = source
    await add('users', { id: 1, name: 'plain', email: 'plain@example.org' })
    await add('users', { id: 2, name: 'two@example.org', email: 'other@example.org' })
    await add('users', { id: 3, name: '13800000001', phone: '13800000003' })
    await add('users', { id: 4, name: '12345' })
    await add('users', { id: 5, name: 'five@example.org', email: 'five@example.org' })
    await add('users', {
      id: 6,
      name: '66666',
      email: 'six@example.org',
      deleted_at: '2020-01-01 00:00:00',
    })
    await add('users', { id: 7, name: 'seven\0name', email: 'seven@example.org' })
    await bringerOf(world, { database: source.address })()
    outbox.length = 0
  })
  after(() => maria?.stop())

  test('rejects letters before the import is closed, and prints them in a dry run', async () => {
    await assert.rejects(send(), /close the import first/)
    assert.deepEqual(await send(true), [
      '2: two@example.org → _two_example.org',
      '3: 13800000001 → _13800000001',
      '4: 12345 → _12345 (no e-mail address or phone number)',
      '5: five@example.org → _five_example.org',
      '7: seven name → sevenname',
      '4 letters to send, 1 users cannot be reached.',
    ])
    assert.deepEqual(outbox, [])
    await sql`update imports set closed_at = now()`
  })

  test('leaves out users whom no configured service reaches', async () => {
    assert.deepEqual(await send(false, { mail: false, sms: false }), [
      '2: two@example.org → _two_example.org (SMTP_URL is not set)',
      '3: 13800000001 → _13800000001 (no provider of text messages is set)',
      '4: 12345 → _12345 (no e-mail address or phone number)',
      '5: five@example.org → _five_example.org (SMTP_URL is not set)',
      '7: seven name → sevenname (SMTP_URL is not set)',
      '0 letters queued: the running server sends them, 5 users cannot be reached.',
    ])
    assert.deepEqual(outbox, [])
  })

  test('sends a mail, or a text message to users without an address', async () => {
    await sql`update users set name = 'chosen', name_key = 'chosen' where id = 5`
    await send()
    assert.deepEqual(outbox.map(({ to }) => to).sort(), [
      '13800000003',
      'other@example.org',
      'seven@example.org',
    ])
    const [mail] = outbox.filter(({ to }) => to === 'other@example.org')
    assert.match(mail?.text ?? '', /“two@example\.org” is now “_two_example\.org”/)
  })

  test('sends no letter twice', async () => {
    outbox.length = 0
    assert.deepEqual(await send(), [
      '4: 12345 → _12345 (no e-mail address or phone number)',
      '0 letters queued: the running server sends them, 1 users cannot be reached.',
    ])
    assert.deepEqual(outbox, [])
  })

  test('remembers no letter whose job was not stored', async () => {
    outbox.length = 0
    await sql`delete from import_letters where user_id = 3`
    const broken = {
      ...ctx,
      secrets: {
        ...ctx.secrets,
        seal: () => {
          throw new Error('no key')
        },
      },
    }
    await assert.rejects(
      sendLetters(broken, { dryRun: false, ways: { mail: true, sms: true }, print() {} }),
      /no key/,
    )
    assert.equal((await sql`select from import_letters where user_id = 3`).count, 0)
    await send()
    assert.deepEqual(
      outbox.map(({ to }) => to),
      ['13800000003'],
    )
  })
})
