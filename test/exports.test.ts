import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PersonalTable } from '#contracts/personal-data.ts'
import { addJob } from '#platform/jobs'
import { exportsOn } from '#test/fixtures/exports.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { COLUMNS_NOT_EXPORTED, NOT_EXPORTED, peopleTables } from '#test/fixtures/people-tables.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { SITE } from '../src/site.ts'

const world = await createWorld()
const { as, guest, sql, ctx, work, outbox } = world
// Uses large user ids, so that a search of the archive for an id finds no other number.
await sql`select setval(pg_get_serial_sequence('users', 'id'), 700100200)`
const { ask, answer } = questionsOf(world)
const { publish } = feedsOf(world)
const under = settingsOn(world)
const { owner, request, fetchBytes, exportOf, hashed } = await exportsOn(world)

test("distinguishes a user's own chat groups from joined groups in the export", async () => {
  const [ann, bob] = [await owner(), await owner()]
  const { makeGroup } = imGroupsOf(world)
  await makeGroup(ann, { groupname: 'Hers', members: String(bob.id) })
  await makeGroup(bob, { groupname: 'His', members: String(ann.id) })
  const { list } = await exportOf(ann)
  assert.deepEqual(
    list('chat-groups').map(({ name, owned }: Record<string, unknown>) => [name, owned]),
    [
      ['Hers', true],
      ['His', false],
    ],
  )
})

test("exports a user's data when the user proves their identity (rights-9)", async () => {
  const ann = await owner()
  const bob = await world.person()
  const picture = await uploadPicture(world, ann)
  const feed = await publish(ann, { feed_content: 'Guten Morgen', images: [{ id: picture }] })
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'what Bob says' })
  await as(ann, 'POST', `/feeds/${feed}/comments`, { body: 'what Ann says' })
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  assert.deepEqual(refusalOf(await as(ann, 'POST', '/user/exports', {})), [422, 'proof_required'])
  assert.deepEqual(refusalOf(await as(ann, 'POST', '/user/exports', { password: 'wrong' })), [
    422,
    'wrong_password',
  ])
  const { id, reply, files, list, url } = await exportOf(ann, { 'accept-language': 'zh' })

  const shown = (await as(ann, 'GET', `/user/exports/${id}`)).body
  assert.deepEqual([shown.state, shown.size, shown.files], ['ready', reply.rawPayload.length, 1])
  assert.equal(reply.headers['content-disposition'], `attachment; filename="data-export-${id}.zip"`)
  assert.equal(reply.headers['cache-control'], 'private, no-store')
  const [profile] = list('profile')
  assert.deepEqual([profile.id, profile.name, profile.email], [ann.id, ann.name, ann.email])
  assert.match(profile.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const [told] = list('feeds')
  assert.deepEqual([told.id, told.feed_content, told.images], [feed, 'Guten Morgen', [picture]])
  assert.deepEqual(
    list('comments').map(({ body }: { body: string }) => body),
    ['what Ann says'],
  )
  assert.deepEqual(
    list('followings').map(({ target_id, name }: Record<string, unknown>) => [target_id, name]),
    [[bob.id, bob.name]],
  )
  const [upload] = list('uploads')
  assert.equal(upload.uses[0].id, picture)
  assert.equal(files.get(upload.path)?.length, upload.size)
  assert.equal(list('notifications')[0].data.contents, 'what Bob says')
  const index = JSON.parse(String(files.get('index.json')))
  assert.deepEqual(
    index.lists.map(({ path }: { path: string }) => path),
    SITE.personalData.map(({ file }) => `${file}.json`),
  )
  for (const { path, rows } of index.lists) assert.equal(list(path.replace('.json', '')).length, rows, path)
  assert.match(String(files.get('index.html')), /<html lang="zh">[\s\S]*您的动态/)

  assert.match(outbox.findLast(({ to }) => to === ann.email)?.text ?? '', /导出已完成.*ready/)
  const { body: notices } = await as(ann, 'GET', '/user/notifications?type=system')
  assert.deepEqual([notices.data[0].data.kind, notices.data[0].data.state], ['account:export', 'ready'])

  const led = await as(ann, 'GET', `/user/exports/${id}/archive`)
  assert.equal(led.status, 302)
  const part = await fetchBytes(url, { range: 'bytes=0-3' })
  assert.deepEqual([part.statusCode, part.body.slice(0, 2)], [206, 'PK'])
})

test('limits a user to one export a day (rights-9)', async () => {
  const ann = await owner()
  const answers = await Promise.all(Array.from({ length: 6 }, () => request(ann)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 422, 422, 422, 422, 422])
  assert.ok(answers.every((each) => each.status === 202 || each.headers['x-error-code'] === 'export_running'))
  await work()
  const soon = await request(ann)
  assert.deepEqual(refusalOf(soon), [422, 'export_too_soon'])
  assert.match(soon.body.next_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  // The clock of the database was ahead at the last export.
  await sql`update data_exports set created_at = created_at + interval '2 days' where user_id = ${ann.id}`
  assert.equal((await request(ann)).status, 202)
  await work()
  await under({ 'account:export-hours': 0, 'account:export-days': 3 }, async () => {
    assert.equal((await request(ann)).status, 202)
    await work()
  })
  const [kept] = await sql`
    select round(extract(epoch from expires_at - finished_at) / 86400)::int as days from data_exports
    where user_id = ${ann.id} order by id desc limit 1`
  assert.equal(kept?.days, 3)
  const { body: all } = await as(ann, 'GET', '/user/exports')
  assert.deepEqual(
    all.map(({ state }: { state: string }) => state),
    ['ready', 'ready', 'ready'],
  )
})

test('restricts an archive to its owner until the archive expires (rights-9)', async () => {
  const ann = await owner()
  const bob = await world.person()
  const { id, url } = await exportOf(ann)
  for (const path of [`/user/exports/${id}`, `/user/exports/${id}/archive`]) {
    assert.equal((await guest('GET', path)).status, 401)
    assert.deepEqual(refusalOf(await as(bob, 'GET', path)), [404, 'no_such_export'])
  }
  assert.deepEqual(refusalOf(await as(bob, 'DELETE', `/user/exports/${id}`)), [404, 'no_such_export'])
  for (const wrong of [url.replace(/signature=./, 'signature=x'), url.replace(`/${id}?`, `/${id + 1}?`)])
    assert.equal((await fetchBytes(wrong)).statusCode, 403)
  assert.equal((await fetchBytes(url.replace(/expires=\d+/, 'expires=9999999999999'))).statusCode, 403)

  const [kept] = await sql`select storage_key as key from data_exports where id = ${id}`
  const { id: second, url: later } = await (async () => {
    let made: Awaited<ReturnType<typeof exportOf>> | undefined
    await under({ 'account:export-hours': 0 }, async () => {
      made = await exportOf(ann)
    })
    return made as Awaited<ReturnType<typeof exportOf>>
  })()
  assert.equal((await as(ann, 'DELETE', `/user/exports/${second}`)).status, 204)
  assert.equal((await fetchBytes(later)).statusCode, 404)
  await work()
  assert.equal((await fetchBytes(url)).statusCode, 200)
  assert.deepEqual(refusalOf(await as(ann, 'GET', `/user/exports/${second}/archive`)), [
    422,
    'export_not_ready',
  ])
  await sql`update data_exports set expires_at = now() where id = ${id}`
  assert.equal((await fetchBytes(url)).statusCode, 404)
  await addJob(sql, 'tidy_exports', {})
  await work()
  assert.equal((await as(ann, 'GET', `/user/exports/${id}`)).body.state, 'expired')
  assert.equal(await ctx.storage.writtenAt(kept?.key), undefined)
  await sql`update data_exports set created_at = now() - interval '91 days' where id = ${id}`
  await addJob(sql, 'tidy_exports', {})
  await work()
  assert.equal((await as(ann, 'GET', `/user/exports/${id}`)).status, 404)
})

test('reveals no anonymous author, reporter or moderator in an export (rights-10)', async () => {
  const [ann, asker, carol, mod] = [await owner(), await world.person(), await world.person(), await owner()]
  const founder = await world.person({ roles: ['founder'] })
  for (const { id } of [ann, asker, carol])
    assert.equal(
      (await as(founder, 'POST', `/admin/users/${id}/points`, { amount: 5000, reason: 'test' })).status,
      201,
    )
  const question = await ask(asker)
  const nameless = await answer(carol, question, { anonymity: 1 })
  const hidden = await ask(carol, { anonymity: 1 })
  assert.equal((await as(ann, 'POST', `/question-answers/${nameless}/likes`)).status, 201)
  assert.equal(
    (await as(ann, 'POST', `/question-answers/${nameless}/comments`, { body: 'well' })).status,
    201,
  )
  assert.equal((await as(ann, 'POST', `/questions/${hidden}/comments`, { body: 'oh' })).status, 201)
  assert.equal((await as(ann, 'POST', `/question-answers/${nameless}/rewarders`, { amount: 5 })).status, 201)
  const own = await ask(ann)
  await answer(carol, own, { anonymity: 1 })
  assert.equal((await as(carol, 'POST', `/report/users/${ann.id}`, { reason: 'rude words' })).status, 201)
  await sql`
    insert into sanctions (user_id, kind, reason, imposed_by) values (${ann.id}, 'warning', 'be kind', ${mod.id})`
  await as(carol, 'POST', `/user/black/${ann.id}`)
  const { files, list } = await exportOf(ann)
  assert.equal(list('sanctions')[0].reason, 'be kind')
  assert.equal(list('rewards')[0].rewardable_id, nameless)
  for (const [name, bytes] of files)
    for (const secret of [carol.name, carol.id, mod.name, mod.id, 'rude words', hashed, ann.token])
      assert.ok(!bytes.toString().includes(String(secret)), `${name} tells ${secret}`)
})

test('exports a hundred thousand feeds (rights-9)', async () => {
  const ann = await owner()
  await sql`
    insert into feeds (user_id, feed_content, feed_from, feed_mark)
    select ${ann.id}, 'feed ' || n || repeat(' 动态', 40), 1, 'many ' || n from generate_series(1, 100000) n`
  await sql`
    insert into likes (likeable_type, likeable_id, user_id, target_user)
    select case n % 3 when 0 then 'feeds' when 1 then 'news' else 'musics' end, 1000000 + n, ${ann.id}, 0
    from generate_series(1, 1000) n`
  const { list } = await exportOf(ann)
  const feeds = list('feeds') as { id: number; feed_content: string }[]
  assert.equal(feeds.length, 100_000)
  assert.equal(new Set(feeds.map(({ id }) => id)).size, 100_000)
  assert.ok(feeds.every(({ id }, index) => index === 0 || id > (feeds[index - 1]?.id ?? 0)))
  const likes = list('likes') as { likeable_id: number }[]
  assert.equal(new Set(likes.map(({ likeable_id }) => likeable_id)).size, 1000)
})

test('exports every table with user ids unless listed as an exception (rights-10)', async () => {
  const people = await peopleTables(sql)
  const exported = new Set<string>(SITE.personalData.flatMap(({ table, with: parts }) => [table, ...parts]))
  assert.ok(people.length > 60, `saw only ${people.length} tables`)
  assert.deepEqual(
    people.filter((name) => !exported.has(name) && NOT_EXPORTED[name] === undefined),
    [],
  )
  const all = new Set((await sql`select tablename as name from pg_tables`).map(({ name }) => name))
  for (const name of Object.keys(NOT_EXPORTED)) {
    assert.ok(all.has(name), `there is no table ${name}`)
    assert.ok(!exported.has(name), `${name} is exported: take it off the list`)
  }
})

test('exports every column of an exported table unless listed as an exception (rights-10)', async () => {
  const rows = await sql<{ table: string; column: string }[]>`
    select table_name::text as table, column_name::text as column from information_schema.columns
    where table_schema = 'public'`
  const exported = Map.groupBy(SITE.personalData, ({ table }) => table)
  const excepted = new Set<RegExp>()
  const missing = rows.flatMap(({ table, column }) => {
    const lists = exported.get(table as PersonalTable['table'])
    if (!lists) return []
    if (lists.some(({ columns, hidden = [], owner: of }) => [of, ...columns, ...hidden].includes(column)))
      return []
    const name = `${table}.${column}`
    const [reason] = COLUMNS_NOT_EXPORTED.find(([pattern]) => pattern.test(name)) ?? []
    if (reason) excepted.add(reason)
    return reason ? [] : [name]
  })
  assert.deepEqual(missing, [])
  assert.deepEqual(
    COLUMNS_NOT_EXPORTED.filter(([pattern]) => !excepted.has(pattern)),
    [],
  )
})

test('exports no column that holds a secret or names another user (rights-10)', () => {
  for (const { columns, file } of SITE.personalData)
    for (const column of columns)
      assert.doesNotMatch(
        column,
        /password|secret|_hash$|^hash|token|imposed|decided_by|handled_by|target_user/,
        file,
      )
})

test('has an index for the sort order of each exported list', async () => {
  const indexes = await sql<{ table: string; columns: string[]; is_unique: boolean }[]>`
    select i.indrelid::regclass::text as table, i.indisunique and i.indpred is null as is_unique,
      array(select a.attname::text from unnest(i.indkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number order by place) as columns
    from pg_index i`
  for (const { table, owner: ownerColumn, within, key, file } of SITE.personalData) {
    const order = [ownerColumn, ...(within === undefined ? [] : [within]), key[0]]
    const serves = indexes.some(
      ({ table: of, columns: has, is_unique: isOne }) =>
        of === table &&
        (order.every((column, index) => has[index] === column) ||
          (isOne && has.length === 1 && has[0] === ownerColumn)),
    )
    // `im_group_members` needs no index, because a user is in only a few group chats.
    assert.ok(serves || table === 'im_group_members', `${file} has no index on ${order.join(', ')}`)
  }
})
