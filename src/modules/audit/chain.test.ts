import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { createWorld } from '#test/world.ts'
import { linkAuditRecords, redactAuditOf, verifyAuditChain } from './chain.ts'

async function chainWorld() {
  const world = await createWorld()
  const founder = await world.person({ roles: ['founder', 'owner'] })
  const change = async (words: string[]) => {
    for (const word of words) {
      const body = { word, type: 'warning' }
      assert.equal((await world.as(founder, 'POST', '/admin/sensitive-words', body)).status, 201)
    }
  }
  await change(['one', 'two', 'three'])
  await linkAuditRecords(world.sql)
  const verify = (...anchors: Parameters<typeof verifyAuditChain>[1][]) =>
    verifyAuditChain(world.sql, anchors[0] ?? [])
  /**
   * Drops the foreign key of the links and disables the user triggers of the audit log, as an intruder with the
   * rights of the table owner could.
   */
  const tamper = (work: (tx: typeof world.sql) => Promise<unknown>) =>
    world.sql.begin(async (tx) => {
      await tx`alter table audit_links drop constraint audit_links_entry`
      await tx`alter table audit_log disable trigger user`
      await work(tx as never)
    })
  return { ...world, founder, change, verify, tamper }
}

test('links new audit records in a valid chain (administration-25)', async () => {
  const { as, founder, change, sql, verify } = await chainWorld()
  const first = await verify()
  assert.deepEqual([first.faults, first.waiting], [[], 0])
  assert.equal(first.anchor?.position, first.records)
  assert.deepEqual((await as(founder, 'GET', '/admin/audit-log/anchor')).body, first.anchor)
  await change(['four'])
  assert.equal((await verify()).waiting, 1)
  await Promise.all([linkAuditRecords(sql), linkAuditRecords(sql)])
  const second = await verify([first.anchor!])
  assert.deepEqual([second.faults, second.waiting, second.records], [[], 0, first.records + 1])
})

test('links an audit record that commits after records with higher ids are linked', async () => {
  const { change, sql, verify } = await chainWorld()
  const write = (tx: typeof sql, action: string) =>
    tx`insert into audit_log (user_id, action, subject_type, subject_id, request_id) values (1, ${action}, 'x', '1', 'r')`
  let commit = () => {}
  const gate = new Promise<void>((resolve) => {
    commit = resolve
  })
  let began = () => {}
  const isBegun = new Promise<void>((resolve) => {
    began = resolve
  })
  const late = sql.begin(async (tx) => {
    await write(tx as never, 'late')
    began()
    await gate
  })
  await isBegun
  await change(['four'])
  await linkAuditRecords(sql)
  commit()
  await late
  await linkAuditRecords(sql)
  const { faults, waiting } = await verify()
  assert.deepEqual([faults, waiting], [[], 0])
})

test('detects changed and deleted audit records', async () => {
  for (const [work, expected] of [
    [
      (tx) => tx`update audit_log set after = '{"word": "two!"}' where id = 2`,
      /content of record 2 was changed/,
    ],
    [(tx) => tx`update audit_log set user_id = 7 where id = 2`, /record 2 at position 2 does not continue/],
    [(tx) => tx`update audit_links set content_hash = sha256('x') where entry_id = 2`, /record 2/],
    [(tx) => tx`delete from audit_log where id = 2`, /record 2 was deleted/],
    [
      async (tx) => {
        await tx`delete from audit_links where entry_id = 2`
        await tx`delete from audit_log where id = 2`
      },
      /positions 2 to 2 are missing/,
    ],
    [(tx) => tx`delete from audit_links where entry_id = 3`, /1 records are not part of the chain/],
    [
      // Content in a redacted record proves a manipulation.
      (tx) => tx`update audit_log set content_redacted_at = now(), after = '{"word": "x"}' where id = 1`,
      /content of record 1 was changed/,
    ],
  ] as [(tx: Awaited<ReturnType<typeof chainWorld>>['sql']) => Promise<unknown>, RegExp][]) {
    const { tamper, verify } = await chainWorld()
    await tamper(work)
    assert.match((await verify()).faults.join('\n'), expected)
  }
  const { tamper, verify } = await chainWorld()
  const { anchor } = await verify()
  await tamper(async (tx) => {
    await tx`delete from audit_links where entry_id = 3`
    await tx`delete from audit_log where id = 3`
  })
  assert.deepEqual((await verify()).faults, [], 'a chain alone does not show that its end is missing')
  assert.match((await verify([anchor!])).faults.join(), /anchor at position 3 is beyond the end/)
})

test('preserves a valid audit chain when an erasure redacts records', async () => {
  const { as, founder, sql, person, verify } = await chainWorld()
  const ann = await person()
  const rename = { name: 'annbefore' }
  assert.equal((await as(founder, 'PATCH', `/admin/users/${ann.id}`, rename)).status, 204)
  await linkAuditRecords(sql)
  const { anchor } = await verify()
  await transaction(sql, (tx) => redactAuditOf(tx, ann.id))
  const { faults, redacted } = await verify([anchor!])
  assert.deepEqual([faults, redacted], [[], 1])
  const { data } = (await as(founder, 'GET', `/admin/audit-log?subject_type=users&subject_id=${ann.id}`)).body
  assert.deepEqual(
    data.map(({ action, before, after, redacted: isGone }: Record<string, unknown>) => [
      action,
      before,
      after,
      isGone,
    ]),
    [['users.update', null, null, true]],
  )
  assert.doesNotMatch(JSON.stringify(await sql`select * from audit_log`), /annbefore/)
  const salts = await sql`select from audit_links where content_salt is null`
  assert.equal(salts.count, 1, 'no salt, so that the content cannot be guessed from its hash')
})

test('rejects changes, deletions and incomplete redactions of audit records', async () => {
  const { sql } = await chainWorld()
  for (const change of [
    sql`update audit_log set action = 'other' where id = 1`,
    sql`update audit_log set after = '{}' where id = 1`,
    sql`update audit_log set after = null where id = 1`,
    sql`update audit_log set after = null, content_redacted_at = now(), user_id = 9 where id = 1`,
    sql`delete from audit_log where id = 1`,
  ])
    await assert.rejects(async () => void (await change), /never changed or deleted/)
})

test('filters the audit log by time', async () => {
  const { as, founder, sql } = await chainWorld()
  const count = async (query: string) => (await as(founder, 'GET', `/admin/audit-log?${query}`)).body.total
  const all = await count('')
  const [{ day, next }] = (await sql`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day,
      to_char((now() + interval '1 day') at time zone 'UTC', 'YYYY-MM-DD') as next`) as unknown as [
    { day: string; next: string },
  ]
  assert.ok(all >= 3)
  assert.equal(await count('from=2020-01-01'), all)
  assert.equal(await count(`to=${next}T23:59:59Z`), all)
  assert.equal(await count('to=2020-01-01'), 0)
  assert.equal(await count('from=2100-01-01%2000:00'), 0)
  assert.ok(day)
  for (const bad of ['from=2026-02-31', 'to=2026-13-01', 'to=2026-01-01T25:00:00', 'from=yesterday'])
    assert.equal((await as(founder, 'GET', `/admin/audit-log?${bad}`)).status, 422, bad)
})
