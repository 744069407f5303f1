import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { erasureOf, PASSWORD } from '#test/fixtures/erasure.ts'
import { storePicture } from '#test/fixtures/nodes.ts'
import { peopleTables } from '#test/fixtures/people-tables.ts'
import { pinWorld } from '#test/fixtures/pins.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { refusalOf, signUpsOn } from '#test/sign-up.ts'
import type { Person } from '#test/world.ts'

const fixtures = await pinWorld()
const { world, founder, give, feedOf, commentOf, pinFeed, pinComment, pinOf, points, rich } = fixtures
const { as, guest, sql, work, outbox, person } = world
const { signUp, signIn, register } = signUpsOn(world)
const { ask } = questionsOf(world)
const { erase, owner, comeDue, gone, healthy } = await erasureOf(fixtures)
const balanceOf = async ({ id }: Person) =>
  Number((await sql`select coalesce(sum(balance), 0) as n from ledger_accounts where owner_id = ${id}`)[0]?.n)
/** Moves points to an erased account, as a refund does. */
const pay = ({ id }: Person, amount: number) =>
  transaction(sql, (tx) =>
    moveFunds(tx, {
      ...{ currency: 'points', amount, from: PLATFORM_ACCOUNTS.issuance, to: id, kind: 'adjustment' },
      subject: { type: 'users', id },
    }),
  )

/** Returns the income of the site from an erased account. */
async function incomeFrom({ id }: Person) {
  const [income] = await sql`
    select coalesce(sum(amount) filter (where currency = 'points'), 0)::int as points,
      coalesce(sum(amount) filter (where currency = 'wallet'), 0)::int as wallet
    from ledger_postings where owner_id = -2 and kind = 'deletion' and subject_id = ${id}`
  return { ...income }
}

test('subtracts only the follows of the erased account from follow counters (rights-2)', async () => {
  const [ann, followed, follower, other] = [await person(), await person(), await person(), await person()]
  for (const [one, target] of [
    [ann, followed],
    [follower, ann],
    [follower, followed],
    [other, followed],
    [other, follower],
  ] as const)
    assert.equal((await as(one, 'PUT', `/user/followings/${target.id}`)).status, 204)
  await gone(ann)
  const rows = await sql`
    select followings_count, followers_count from user_counts
    where user_id in (${followed.id}, ${follower.id}, ${other.id}) order by user_id`
  assert.deepEqual(
    rows.map((row) => [row.followings_count, row.followers_count]),
    [
      [0, 2],
      [1, 1],
      [2, 0],
    ],
  )
})

test('removes all identifying data of an erased account (rights-2)', async () => {
  const ann = await signUp({ phone: '13911110001' })
  const bob = await person()
  const avatar = await storePicture(world, ann)
  const mention = { feed_content: `@${ann.name}`, feed_from: 5, feed_mark: 9_001 }
  assert.equal((await as(bob, 'POST', '/feeds', mention)).status, 201)
  assert.equal((await as(ann, 'PATCH', '/user', { avatar, bio: 'Sings', location: 'Hamburg' })).status, 204)
  for (const [one, other] of [
    [ann, bob],
    [bob, ann],
  ] as const)
    assert.equal((await as(one, 'PUT', `/user/followings/${other.id}`)).status, 204)
  const feed = await feedOf(ann)
  await commentOf(bob, feed)
  // A block deletes only unread notifications.
  await as(bob, 'PATCH', '/user/notifications', { type: 'follow' })
  await as(ann, 'POST', `/user/black/${bob.id}`)
  await as(ann, 'POST', '/user/feedback', { content: 'Hello', system_mark: 1 })
  const papers = await uploadPicture(world, ann)
  const sent = await as(ann, 'POST', '/user/certification', {
    type: 'user',
    name: 'Ann',
    phone: '13911110001',
    number: '1',
    desc: 'Singer',
    files: [papers],
  })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  await sql`
    with version as (
      insert into site_page_versions (page_id, language, title, body)
      select id, 'en', 'Terms', 'Be kind' from site_pages where slug = 'terms' returning id
    )
    insert into consents (user_id, version_id) select ${ann.id}, id from version`
  await sql`insert into digest_readers (user_id, language) values (${ann.id}, 'en')`
  // Fills the other text columns too, so that the test fails for a new column that the erasure omits.
  const texts = await sql<{ name: string }[]>`
    select column_name::text as name from information_schema.columns
    where table_name = 'users' and data_type = 'text' and is_nullable = 'YES' and column_name not like 'email%'`
  for (const { name } of texts)
    await sql`update users set ${sql(name)} = coalesce(${sql(name)}, 'Filled in') where id = ${ann.id}`
  const followerOfBob = async () =>
    (await as(bob, 'GET', '/user/notifications?type=follow')).body.data[0].data.sender.name
  assert.equal(await followerOfBob(), ann.name)
  // Unread notifications of the follow are withdrawn with it.
  await as(bob, 'PUT', '/user/notifications/all')
  await gone(ann)
  assert.equal(await followerOfBob(), '')

  const [user] = await sql`select * from users where id = ${ann.id}`
  const {
    found_by_phone,
    content_version,
    name,
    name_key,
    created_at,
    updated_at,
    deleted_at,
    erased_at,
    id,
    ...rest
  } = user as Record<string, unknown>
  assert.equal(found_by_phone, true)
  assert.ok(content_version)
  assert.equal(name, `deleted ${ann.id}`)
  assert.ok(deleted_at && erased_at)
  for (const [column, value] of Object.entries(rest))
    assert.ok(value === null || value === 0 || (value as unknown[]).length === 0, `${column}: ${value}`)
  for (const table of [
    ...[
      'tokens',
      'token_families',
      'user_roles',
      'linked_accounts',
      'certifications',
      'feedback',
      'user_places',
    ],
    ...[
      'notifications',
      'notification_counts',
      'push_devices',
      'user_tags',
      'user_follows',
      'user_blocks',
      'user_mutes',
      'muted_words',
      'contact_rules',
      'follow_requests',
    ],
    ...['mentions', 'consents', 'digest_readers', 'withheld_follows'],
  ])
    assert.equal((await sql`select from ${sql(table)} where user_id = ${ann.id}`).length, 0, table)
  const [chat] = await sql`select locked from im_accounts where user_id = ${ann.id}`
  assert.equal(chat?.locked, true)
  assert.equal((await sql`select from file_uses where id = ${papers}`).length, 0)
  await sql`update storage_nodes set created_at = now() - interval '2 days' where node = ${avatar}`
  await addJob(sql, 'tidy_files', {})
  await work()
  assert.equal((await sql`select from storage_nodes where node = ${avatar}`).length, 0)

  assert.equal((await guest('GET', `/feeds/${feed}`)).body.user, null)
  const { extra } = (await as(bob, 'GET', '/user')).body
  assert.deepEqual([extra.followers_count, extra.followings_count], [0, 0])
  assert.match(outbox.findLast(({ to, code }) => to === ann.phone && !code)?.text ?? '', /已注销.*deleted/)
  for (const login of [ann.name, String(ann.phone), `deleted ${ann.id}`, String(ann.id)])
    assert.equal((await signIn(login, { password: PASSWORD })).status, 422, login)
  assert.deepEqual(refusalOf(await as(founder, 'PATCH', `/admin/users/${ann.id}`, { disabled: false })), [
    422,
    'account_erased',
  ])
  assert.equal((await register({ name: ann.name, phone: ann.phone })).status, 201)
  await healthy()
})

test('refuses every change of an erased account (rights-2)', async () => {
  const [ann, bob] = [await owner(), await person()]
  await as(bob, 'POST', `/report/users/${ann.id}`, { reason: 'Too loud' })
  const papers = await uploadPicture(world, founder)
  await gone(ann)
  const { data } = (await as(founder, 'GET', `/admin/reports?target_user=${ann.id}`)).body
  const sanction = { kind: 'warning', reason: 'Too loud' }
  const certificate = { type: 'user', name: 'Ann', phone: '1', number: '1', desc: 'Dancer', files: [papers] }
  const attempts = [
    ['PATCH', `/admin/users/${ann.id}`, { disabled: false }],
    ['PATCH', `/admin/users/${ann.id}`, { name: 'ann_again' }],
    ['PATCH', `/admin/users/${ann.id}`, { roles: ['owner'] }],
    ['DELETE', `/admin/users/${ann.id}`, undefined],
    ['POST', `/admin/users/${ann.id}/sanctions`, sanction],
    ['PATCH', `/admin/reports/${data[0].id}`, { action: 'deal', sanction }],
    ['POST', `/admin/users/${ann.id}/points`, { amount: 5, reason: 'Gift' }],
    ['POST', `/admin/users/${ann.id}/wallet`, { amount: 5, reason: 'Gift' }],
    ['POST', '/admin/certifications', { user_id: ann.id, ...certificate }],
  ] as const
  for (const [verb, path, body] of attempts)
    assert.deepEqual(
      refusalOf(await as(founder, verb, path, body)),
      [422, 'account_erased'],
      `${verb} ${path} ${JSON.stringify(body)}`,
    )
  for (const path of [`/admin/user-recommends/${ann.id}`, `/admin/user-famous/${ann.id}`])
    assert.equal((await as(founder, 'PUT', path, { type: 'followed' })).status, 404, path)
  assert.equal((await as(founder, 'DELETE', `/admin/users/${ann.id}/second-factor`)).status, 422)
  assert.equal(await balanceOf(ann), 0)
  assert.equal((await sql`select from sanctions where user_id = ${ann.id}`).length, 0)
  assert.equal((await sql`select from certifications where user_id = ${ann.id}`).length, 0)
  await healthy()
})

test('cancels the bounties, pins and withdrawals of an erased account (rights-3)', async () => {
  const ann = await owner(5000)
  await give(ann, 1)
  assert.equal(
    (await as(founder, 'POST', `/admin/users/${ann.id}/wallet`, { amount: 900, reason: 'test' })).status,
    201,
  )
  const bob = await rich(1000)
  const question = await ask(ann, { amount: 300 })
  const invited = await ask(ann, { amount: 200, automaticity: 1, look: 1, invitations: [{ user: bob.id }] })
  const own = await feedOf(ann)
  assert.equal((await pinFeed(ann, own)).status, 201)
  const comment = await commentOf(bob, own)
  assert.equal((await pinComment(bob, own, comment)).status, 201)
  const cash = { value: 500, type: 'alipay', account: 'ann@pay.example' }
  assert.equal((await as(ann, 'POST', '/plus-pay/cashes', cash)).status, 201)
  assert.equal(await points(bob), 900)
  await gone(ann)

  assert.equal(await balanceOf(ann), 0)
  assert.equal(await points(bob), 1000)
  assert.equal((await pinOf('feed', own)).state, 'cancelled')
  assert.equal((await pinOf('feed:comment', comment)).state, 'cancelled')
  const [paid] = await sql`select state, account from withdrawals where owner_id = ${ann.id}`
  assert.deepEqual([paid?.state, paid?.account], ['rejected', ''])
  assert.deepEqual(await incomeFrom(ann), { points: 5001, wallet: 900 })
  for (const id of [question, invited]) assert.equal((await guest('GET', `/questions/${id}`)).body.amount, 0)
  await healthy()
})

test('moves payments during and after an erasure to the income of the site (rights-3)', async () => {
  const ann = await owner(100)
  const bob = await rich(0)
  await as(founder, 'POST', `/admin/users/${bob.id}/wallet`, { amount: 1000, reason: 'test' })
  assert.equal((await erase(ann)).status, 202)
  await comeDue(ann)
  const send = () => as(bob, 'POST', '/plus-pay/transfer', { user: ann.id, amount: 10 })
  const [answers] = await Promise.all([Promise.all(Array.from({ length: 12 }, send)), work(), work()])
  const received = answers.filter(({ status }) => status === 201).length
  assert.ok(received > 0)
  await pay(ann, 7)
  await addJob(sql, 'sweep_erased', {})
  await work()
  assert.equal(await balanceOf(ann), 0)
  assert.deepEqual(await incomeFrom(ann), { points: 107, wallet: received * 10 })
  await healthy()
})

test('finishes an interrupted erasure when two jobs resume it (rights-2)', async () => {
  const ann = await owner(50)
  await gone(ann)
  await sql`update account_deletions set finished_at = null where user_id = ${ann.id}`
  await pay(ann, 5)
  await Promise.all([
    addJob(sql, 'erase_account', { id: ann.id }),
    addJob(sql, 'erase_account', { id: ann.id }),
  ])
  await work()
  assert.equal(await balanceOf(ann), 0)
  assert.deepEqual(await incomeFrom(ann), { points: 55, wallet: 0 })
  const [row] =
    await sql`select finished_at is not null as done from account_deletions where user_id = ${ann.id}`
  assert.equal(row?.done, true)
  await healthy()
})

/** Tables that may still contain the id of an erased user. */
const RETAINED = new Set([
  // Keeps the feeds of the account hidden (relations-8).
  'private_accounts',
  ...[
    'account_deletions',
    'appeals',
    'address_blocks',
    'payment_differences',
    'payment_refunds',
    'audit_log',
    'sanctions',
    'registration_requests',
    'invitation_uses',
    'invitations',
  ],
  ...[
    'user_counts',
    'active_people',
    'last_active_days',
    'period_sums',
    'period_sum_changes',
    'ledger_accounts',
    'ledger_checkpoints',
    'ledger_postings',
    'recharges',
    'withdrawals',
    'earlier_orders',
    'import_letters',
    'idempotency_keys',
  ],
  ...[
    'checkin_logs',
    'likes',
    'collections',
    'purchases',
    'rewards',
    'reports',
    'pins',
    'paid_nodes',
    'notices',
    'site_page_versions',
  ],
])

test('keeps the rows of other users when an account is erased (rights-2)', async () => {
  const [ann, bob] = [await signUp({ phone: '13911110007' }), await person()]
  const papers = await uploadPicture(world, bob)
  const [tag] = await sql<{ id: number }[]>`
    with kind as (insert into tag_categories (name, name_key) values ('Erasure', 'erasure') returning id)
    insert into tags (tag_category_id, name, name_key) select id, 'Quiet', 'quiet' from kind returning id`
  for (const [one, subject] of [
    [ann, 'ann'],
    [bob, 'bob'],
  ] as const) {
    await sql`insert into linked_accounts (provider, subject, user_id) values ('elsewhere', ${subject}, ${one.id})`
    await as(one, 'POST', '/around-amap', { latitude: 40, longitude: 40 })
    await as(one, 'POST', '/user/feedback', { content: 'Hello', system_mark: 1 })
    await as(one, 'PUT', `/user/tags/${tag?.id}`)
  }
  const body = {
    type: 'user',
    name: 'Bob',
    phone: '13911110008',
    number: '2',
    desc: 'Dancer',
    files: [papers],
  }
  assert.equal((await as(bob, 'POST', '/user/certification', body)).status, 201)
  const tables = [
    ...['linked_accounts', 'user_places', 'feedback', 'user_tags', 'certifications', 'user_roles'],
    ...['tokens', 'token_families'],
  ]
  const held = async () => {
    const counts: Record<string, number> = {}
    for (const table of tables)
      counts[table] = (await sql`select from ${sql(table)} where user_id = ${bob.id}`).length
    return counts
  }
  const before = await held()
  assert.deepEqual(
    tables.filter((table) => before[table] === 0),
    [],
  )
  await gone(ann)
  assert.deepEqual(await held(), before)
})

test('classifies every table with user ids as erased, retained or content (rights-2)', async () => {
  const erased = [
    ...[
      'tokens',
      'token_families',
      'user_roles',
      'linked_accounts',
      'certifications',
      'feedback',
      'user_places',
    ],
    ...['notifications', 'notification_counts', 'notification_reads', 'notification_cursors', 'pin_counters'],
    ...[
      'push_devices',
      'push_preferences',
      'user_tags',
      'user_follows',
      'user_blocks',
      'user_mutes',
      'muted_words',
      'contact_rules',
      'follow_requests',
      'withheld_follows',
      'famous_users',
      'data_exports',
      'verification_codes',
      'second_factors',
      'recovery_codes',
      'chat_members',
      'mentions',
      'consents',
      'digest_readers',
    ],
  ]
  const content = /^(comment|feed|topic|music|news|question|answer|group|im_|chat|file|storage_nodes|import_)/
  const unknown = (await peopleTables(sql)).filter(
    (table) => !RETAINED.has(table) && !erased.includes(table) && !content.test(table),
  )
  assert.deepEqual(unknown, [])
})
