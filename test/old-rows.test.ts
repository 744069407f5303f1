import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { seedAbilities } from '#modules/abilities/index.ts'
import { openDatabase } from '#platform/database.ts'
import { addJob, migrateJobs } from '#platform/jobs.ts'
import { migrate } from '#platform/migrate.ts'
import { hashPassword } from '#platform/passwords.ts'
import { examine } from '../src/doctor.ts'
import { createWorld } from './world.ts'

/**
 * A database as 0027 left it, with rows that later migrations change or have to respect, brought to this version: what
 * is asked of it below is asked over HTTP, as its people would.
 */
const OLD = readdirSync('migrations').filter((name) => name.endsWith('.sql') && name < '0028')
const NAME = `kith_old_rows_${process.pid}`
const MEMBERS = { ada: 1, ben: 2, cleo: 3, gone: 4, founder: 5 }
const PASSWORD = 'a password from before'
const OLD_TIME = '2026-01-02T03:04:05.000Z'
const tokenOf = (name: string) => `token-of-${name}-from-before`
const server = JSON.parse(process.env.KITH_TEST_DATABASE ?? '{}')
const admin = openDatabase({ connection: server, poolSize: 1, statementTimeoutMs: 60_000 })
after(async () => {
  // Where it is being vacuumed the server refuses; it goes with the whole server at the end.
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
  // The founder took one ability from their own role, and others came with later versions.
  await sql`insert into abilities (name, display_name) values ('admin: login', ''), ('admin: feeds', ''), ('admin:user:show', '')`
  await sql`insert into roles (name, fixed) values ('founder', true), ('owner', true)`
  await sql`insert into role_abilities (role_id, ability)
    select id, a from roles, unnest(array['admin: login', 'admin:user:show']) a where roles.name = 'founder'`
  await sql`insert into user_roles (user_id, role_id) select ${MEMBERS.founder}, id from roles where name = 'founder'`
  // 0028
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
  // 0032: two questions and three answers of Ada, of which one and two are anonymous, and who liked them.
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
  // Ben's count was lost once: it may not fall below nothing.
  await sql`
    insert into questions (id, user_id, subject, subject_key, subject_grams, anonymity)
    values (3, ${MEMBERS.ben}, 'Of Ben?', 'of ben?', '{}', true)`
  await sql`
    insert into user_counts (user_id, questions_count, answers_count, likes_count, updated_at) values
      (${MEMBERS.ada}, 2, 3, 3, ${OLD_TIME}), (${MEMBERS.ben}, 0, 0, 0, ${OLD_TIME}),
      (${MEMBERS.cleo}, 0, 0, 0, ${OLD_TIME}), (${MEMBERS.gone}, 0, 0, 0, ${OLD_TIME}),
      (${MEMBERS.founder}, 0, 0, 0, ${OLD_TIME})`
  // 0031 and 0061
  await sql`insert into areas (id, name, name_key) values (900001, 'Oldtown', 'oldtown')`
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject, reason, status, created_at, handled_by, handled_at) values
      (${MEMBERS.ada}, ${MEMBERS.ben}, 'users', ${MEMBERS.ben}, 'ben', 'rude', 1, ${OLD_TIME}, ${MEMBERS.founder}, ${OLD_TIME})`
  for (const table of ['users', 'questions', 'answers', 'areas'])
    await sql.unsafe(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table}`)

  await migrate(sql)
  await migrateJobs(connection)
  await seedAbilities(sql)
  await sql.end()
}

test('addresses that others follow and that are not http are forgotten, and no others (0028)', async () => {
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

test('what was counted of anonymous questions, answers and their likes is taken back, and no time tells of it (0032)', async () => {
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

test('a like from before is taken back from the counts that hold it, and from no others (0032)', async () => {
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

test('the doctor finds nothing to mend in what was there before (0032, 0061)', async () => {
  const lines: string[] = []
  const isWell = await examine(world.sql, { mend: false, print: (line) => lines.push(line) })
  assert.ok(isWell, lines.join('\n'))
})

test('areas lie nowhere until somebody says where, and then on the earth (0031)', async () => {
  const { sql } = world
  const [area] = await sql`select longitude, latitude from areas where id = 900001`
  assert.deepEqual({ ...area }, { longitude: null, latitude: null })
  await assert.rejects(sql`update areas set longitude = 5 where id = 900001`, /areas_on_earth/)
  await assert.rejects(sql`update areas set longitude = 5, latitude = 91 where id = 900001`, /areas_on_earth/)
})

test('people from before sign in, without an approval, an invitation or a second factor (0040, 0043)', async () => {
  const { guest } = world
  const { status } = await guest('POST', '/auth/login', { login: 'ada', password: PASSWORD })
  assert.equal(status, 200)
})

test('an account that was disabled before is disabled, not erased, and waits for no approval (0040, 0041)', async () => {
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

test('sign-ins from before go on, are listed without a device, and can be ended (0042)', async () => {
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

test('statistics reach back to the days before there were any (0060)', async () => {
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

test('reports from before are told to whoever decides about the person (0061)', async () => {
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

test('the founder gets the abilities of later versions, and none back that they had given away', async () => {
  const rows = await world.sql<{ ability: string }[]>`
    select ability from role_abilities a join roles r on r.id = a.role_id where r.name = 'founder'`
  const held = rows.map(({ ability }) => ability)
  for (const ability of ['admin: sanctions', 'admin: invitations', 'admin: address blocks'])
    assert.ok(held.includes(ability))
  assert.ok(!held.includes('admin: feeds'))
})
