import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { seedAbilities } from '#modules/abilities/index.ts'
import { hashPassword } from '#modules/accounts/index.ts'
import { migrate, openDatabase } from '#platform/database'
import { addJob, migrateJobs } from '#platform/jobs'
import { diagnose } from '../src/doctor.ts'
import { createWorld } from './world.ts'

const OLD = readdirSync('migrations').filter((name) => name.endsWith('.sql') && name < '0028')
const NAME = `kith_old_rows_${process.pid}`
const MEMBERS = { ada: 1, ben: 2, cleo: 3, gone: 4, founder: 5 }
const PASSWORD = 'a password from before'
const OLD_TIME = '2026-01-02T03:04:05.000Z'
const tokenOf = (name: string) => `token-of-${name}-from-before`
const server = JSON.parse(process.env.KITH_TEST_DATABASE ?? '{}')
const admin = openDatabase({ connection: server, poolSize: 1, statementTimeoutMs: 60_000 })
after(async () => {
  // Ignores a failed drop, because the whole server is deleted later.
  await admin.unsafe(`drop database if exists ${NAME} with (force)`).catch(() => {})
  await admin.end()
})

await fillOldDatabase()
const world = await createWorld({}, { template: NAME })
const signedIn = (name: keyof typeof MEMBERS) => ({ id: MEMBERS[name], name, token: tokenOf(name) })

async function fillOldDatabase(): Promise<void> {
  await admin.unsafe(`create database ${NAME}`)
  const connection = { ...server, database: NAME }
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await migrate(sql, undefined, OLD)
  const password = await hashPassword(PASSWORD)
  for (const [name, id] of Object.entries(MEMBERS)) {
    await sql`
      insert into users (id, name, name_key, email, email_key, password, created_at, deleted_at) values
        (${id}, ${name}, ${name}, ${`${name}@example.org`}, ${`${name}@example.org`}, ${password}, ${OLD_TIME},
          ${name === 'gone' ? OLD_TIME : null})`
    await sql`insert into token_families (user_id, id, created_at)
      values (${id}, ${`00000000-0000-4000-8000-00000000000${id}`}, now() - interval '2 hours')`
    await sql`insert into tokens (hash, user_id, family, issued_at, expires_at, refresh_until)
      select ${hash('sha256', tokenOf(name), 'buffer')}, user_id, id, now(), now() + interval '1 hour', now() + interval '14 days'
      from token_families where user_id = ${id}`
  }
  // Omits one ability from the founder's role. The upgrade must not restore this ability.
  await sql`insert into abilities (name, display_name) values ('admin: login', ''), ('admin: feeds', ''), ('admin:user:show', '')`
  await sql`insert into roles (name, fixed) values ('founder', true), ('owner', true)`
  await sql`insert into role_abilities (role_id, ability)
    select id, a from roles, unnest(array['admin: login', 'admin:user:show']) a where roles.name = 'founder'`
  await sql`insert into user_roles (user_id, role_id) select ${MEMBERS.founder}, id from roles where name = 'founder'`
  // Inserts unsafe links, which migration 0028 removes.
  await sql`insert into settings (name, value) values
    ('site:about-url', '"javascript:alert(1)"'), ('site:name', '"An old site"')`
  await sql`
    insert into advertising (space_id, title, type, data)
    select id, t.title, 'image', t.data from advertising_spaces, (values
      ('script', '{"image": "https://example.org/1.png", "link": "javascript:alert(1)"}'::jsonb),
      ('relative', '{"image": "https://example.org/1.png", "link": "//example.org"}'),
      ('spaced', '{"image": "https://example.org/1.png", "link": "https://example.org/a b"}'),
      ('good', '{"image": "https://example.org/1.png", "link": "HTTPS://example.org/?a=1#b"}'),
      ('none', '{"image": "https://example.org/1.png"}')
    ) t (title, data) where space = 'boot'`
  // Inserts anonymous questions and answers, which migration 0032 subtracts from counters.
  await sql`
    insert into questions (id, user_id, subject, subject_key, subject_grams, anonymity, answers_count) values
      (1, ${MEMBERS.ada}, 'Open?', 'open?', '{}', false, 3), (2, ${MEMBERS.ada}, 'Hidden?', 'hidden?', '{}', true, 0)`
  await sql`
    insert into answers (id, question_id, user_id, body, anonymity, likes_count) values
      (1, 1, ${MEMBERS.ada}, 'open', false, 1), (2, 1, ${MEMBERS.ada}, 'hidden', true, 2),
      (3, 1, ${MEMBERS.ada}, 'hidden too', true, 0)`
  await sql`
    insert into likes (likeable_type, likeable_id, user_id, target_user) values
      ('question-answers', 1, ${MEMBERS.ben}, ${MEMBERS.ada}), ('question-answers', 2, ${MEMBERS.ben}, ${MEMBERS.ada}),
      ('question-answers', 2, ${MEMBERS.cleo}, ${MEMBERS.ada})`
  await sql`insert into question_people (user_id, likes_count) values (${MEMBERS.ada}, 1)`
  // Gives Ben a counter that is too low. Migration 0032 must not make the counter negative.
  await sql`
    insert into questions (id, user_id, subject, subject_key, subject_grams, anonymity)
    values (3, ${MEMBERS.ben}, 'Of Ben?', 'of ben?', '{}', true)`
  await sql`
    insert into user_counts (user_id, questions_count, answers_count, likes_count, updated_at) values
      (${MEMBERS.ada}, 2, 3, 3, ${OLD_TIME}), (${MEMBERS.ben}, 0, 0, 0, ${OLD_TIME}),
      (${MEMBERS.cleo}, 0, 0, 0, ${OLD_TIME}), (${MEMBERS.gone}, 0, 0, 0, ${OLD_TIME}),
      (${MEMBERS.founder}, 0, 0, 0, ${OLD_TIME})`
  await sql`insert into areas (id, name, name_key) values (900001, 'Oldtown', 'oldtown')`
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject, reason, status, created_at, handled_by, handled_at) values
      (${MEMBERS.ada}, ${MEMBERS.ben}, 'users', ${MEMBERS.ben}, 'ben', 'rude', 1, ${OLD_TIME}, ${MEMBERS.founder}, ${OLD_TIME})`
  // Inserts uploads for migration 0130, which attaches them to posts.
  await sql`insert into group_categories (id, name, name_key) values (1, 'old', 'old')`
  await sql`
    insert into groups (id, name, name_key, name_grams, user_id, category_id, mode, permissions, audit)
    values (1, 'Old', 'old', '{}', ${MEMBERS.ada}, 1, 'public', '{member}', 0)`
  await sql`insert into group_counts (group_id, posts_count) values (1, 1)`
  await sql`
    insert into group_posts (id, group_id, user_id, title, title_key, title_grams, body, summary) values
      (1, 1, ${MEMBERS.ada}, 'Old', 'old', '{}', 'Look @![one](12) and @![two]( 13 ) and 14', '')`
  await sql`
    insert into files (id, owner_id, sha256, md5, storage_key, mime, size) values
      (1, ${MEMBERS.ada}, '\\x01', '\\x01', 'old/1', 'image/png', 1), (2, ${MEMBERS.ben}, '\\x02', '\\x02', 'old/2', 'image/png', 1)`
  await sql`
    insert into file_uses (id, file_id, owner_id) values
      (12, 1, ${MEMBERS.ada}), (13, 2, ${MEMBERS.ben}), (14, 1, ${MEMBERS.ada})`
  for (const table of ['users', 'questions', 'answers', 'areas', 'files', 'file_uses'])
    await sql.unsafe(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table}`)

  await migrate(sql)
  await migrateJobs(connection)
  await seedAbilities(sql)
  await sql.end()
}

test('removes links that are not HTTP URLs (0028)', async () => {
  const { sql, as } = world
  const ads = (await as(signedIn('ada'), 'GET', '/advertisingspace/1/advertising')).body as {
    title: string
    data: object
  }[]
  const image = 'https://example.org/1.png'
  assert.deepEqual(Object.fromEntries(ads.map(({ title, data }) => [title, data])), {
    script: { image },
    relative: { image },
    spaced: { image },
    good: { image, link: 'HTTPS://example.org/?a=1#b' },
    none: { image },
  })
  const kept = await sql<
    { name: string }[]
  >`select name from settings where name in ('site:about-url', 'site:name')`
  assert.deepEqual([...kept], [{ name: 'site:name' }])
})

test('excludes anonymous content from counters (0032)', async () => {
  const { sql, as } = world
  const { body: ada } = await as(signedIn('ben'), 'GET', `/users/${MEMBERS.ada}`)
  const { questions_count, answers_count, likes_count } = ada.extra
  assert.deepEqual(
    { questions_count, answers_count, likes_count },
    {
      questions_count: 1,
      answers_count: 1,
      likes_count: 1,
    },
  )
  const [ben] = await sql`select questions_count from user_counts where user_id = ${MEMBERS.ben}`
  assert.equal(ben?.questions_count, 0)
  const times = await sql<{ updated_at: Date }[]>`select distinct updated_at from user_counts`
  assert.deepEqual(
    times.map(({ updated_at }) => new Date(updated_at).toISOString()),
    [OLD_TIME],
  )
})

test('decreases a counter on an unlike only if the counter includes the like (0032)', async () => {
  const { sql, as } = world
  const likesOf = async () => {
    const [row] = await sql`select likes_count from user_counts where user_id = ${MEMBERS.ada}`
    return row?.likes_count
  }
  const unlike = (answer: number) => as(signedIn('ben'), 'DELETE', `/question-answers/${answer}/likes`)
  assert.equal((await unlike(2)).status, 204)
  assert.equal(await likesOf(), 1)
  assert.equal((await unlike(1)).status, 204)
  assert.equal(await likesOf(), 0)
})

test('leaves nothing for `kith doctor` to repair (0032, 0061)', async () => {
  const lines: string[] = []
  const isWell = await diagnose(world.sql, { mend: false, print: (line) => lines.push(line) })
  assert.ok(isWell, lines.join('\n'))
})

test('rejects incomplete and invalid coordinates of an area (0031)', async () => {
  const { sql } = world
  const [area] = await sql`select longitude, latitude from areas where id = 900001`
  assert.deepEqual({ ...area }, { longitude: null, latitude: null })
  await assert.rejects(sql`update areas set longitude = 5 where id = 900001`, /areas_on_earth/)
  await assert.rejects(sql`update areas set longitude = 5, latitude = 91 where id = 900001`, /areas_on_earth/)
})

test('signs in existing users without approval or a second factor (0040, 0043)', async () => {
  const { guest } = world
  const { status } = await guest('POST', '/auth/login', { login: 'ada', password: PASSWORD })
  assert.equal(status, 200)
})

test('keeps disabled accounts disabled (0040, 0041)', async () => {
  const { as, guest } = world
  const refused = await guest('POST', '/auth/login', { login: 'gone', password: PASSWORD })
  assert.equal(refused.status, 403)
  assert.match(refused.body.message, /disabled/)
  const founder = signedIn('founder')
  const { body: waiting } = await as(founder, 'GET', '/admin/registrations')
  assert.deepEqual(waiting, { data: [], total: 0 })
  const shown = await as(founder, 'GET', `/admin/users/${MEMBERS.gone}`)
  assert.equal(shown.body.name, 'gone')
  assert.equal((await as(founder, 'PATCH', `/admin/users/${MEMBERS.gone}`, { disabled: false })).status, 204)
  assert.equal((await guest('POST', '/auth/login', { login: 'gone', password: PASSWORD })).status, 200)
})

test('lists and revokes sessions from before the upgrade (0042)', async () => {
  const { as, guest } = world
  const cleo = signedIn('cleo')
  const { body: sessions } = await as(cleo, 'GET', '/user/sessions')
  assert.equal(sessions.length, 1)
  const { device, place, current } = sessions[0]
  assert.deepEqual({ device, place, current }, { device: null, place: null, current: true })
  const exchanged = await as(cleo, 'POST', '/auth/refresh')
  assert.equal(exchanged.status, 200)
  const now = { ...cleo, token: exchanged.body.access_token }
  assert.equal((await as(now, 'DELETE', `/user/sessions/${sessions[0].id}`)).status, 204)
  assert.equal((await as(now, 'GET', '/user')).status, 401)
  assert.equal((await guest('GET', '/user')).status, 401)
})

test('includes days before the upgrade in statistics (0060)', async () => {
  const { as, ctx, work } = world
  await addJob(ctx.sql, 'sum_statistics', {})
  await work()
  const { status, body } = await as(
    signedIn('founder'),
    'GET',
    '/admin/statistics/days?from=2026-01-01&to=2026-01-03',
  )
  assert.equal(status, 200)
  const registered = body.series.find(({ name }: { name: string }) => name === 'sign-ups')
  assert.deepEqual(registered.values, [0, 5, 0])
})

test('shows reports from before the upgrade to administrators (0061)', async () => {
  const { as } = world
  const { status, body } = await as(signedIn('founder'), 'GET', `/admin/users/${MEMBERS.ben}/history`)
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map(({ event, by }: { event: string; by: number }) => [event, by]),
    [
      ['report', MEMBERS.ada],
      ['report.passed', MEMBERS.founder],
    ],
  )
})

test('restores no ability that was removed from the founder role', async () => {
  const rows = await world.sql<{ ability: string }[]>`
    select ability from role_abilities a join roles r on r.id = a.role_id where r.name = 'founder'`
  const held = rows.map(({ ability }) => ability)
  for (const ability of ['admin: sanctions', 'admin: invitations', 'admin: address blocks'])
    assert.ok(held.includes(ability))
  assert.ok(!held.includes('admin: feeds'))
})

test("attaches uploads to the owner's post that refers to them (0130)", async () => {
  const { sql } = world
  const uses = await sql<{ id: number; channel: string | null; raw: number | null }[]>`
    select id, channel, raw from file_uses where id in (12, 13, 14) order by id`
  assert.deepEqual(
    uses.map(({ id, channel, raw }) => [id, channel, raw]),
    [
      [12, 'group:post', 1],
      [13, null, null],
      [14, null, null],
    ],
  )
})
