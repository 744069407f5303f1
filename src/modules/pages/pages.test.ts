import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { exportsOn } from '#test/fixtures/exports.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { buildSite } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://site.test' })
const { app, as, guest, person, sql, work } = world
const under = settingsOn(world)
const { lastCode, register } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })

const admin = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: object) =>
  as(founder, method, `/admin/${path}`, body)
const idOf = async (slug: string) =>
  (await admin('GET', 'pages')).body.data.find((page: { slug: string }) => page.slug === slug).id as number
const create = async (body: object) => {
  const made = await admin('POST', 'pages', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.id as number
}
const openPage = async (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { accept: 'text/html', ...headers } })

test('starts with unpublished pages, which guests cannot read', async () => {
  const { body } = await admin('GET', 'pages')
  assert.deepEqual(
    body.data.slice(0, 5).map(({ slug }: { slug: string }) => slug),
    ['about', 'terms', 'privacy', 'rules', 'contact'],
  )
  assert.deepEqual((await guest('GET', '/pages')).body, [])
  assert.deepEqual(refusalOf(await guest('GET', '/pages/terms')), [404, 'no_such_page'])
  assert.equal((await openPage('/pages/terms')).statusCode, 404)
  assert.deepEqual(refusalOf(await admin('PATCH', `pages/${await idOf('terms')}`, { is_published: true })), [
    422,
    'nothing_to_publish',
  ])
})

test('shows a page in the language of the reader, or else in the other language', async () => {
  await create({
    ...{ slug: 'house', is_published: true, title_en: 'The house', body_en: 'Come *in*.' },
    ...{ title_zh: '房子', body_zh: '请进。' },
  })
  await create({ slug: 'garden', is_published: true, title_zh: '花园', body_zh: '花' })
  const read = async (slug: string, language: string) =>
    (await guest('GET', `/pages/${slug}?trees=1`, undefined, { 'accept-language': language })).body
  assert.deepEqual(
    [(await read('house', 'en')).title, (await read('house', 'zh')).title],
    ['The house', '房子'],
  )
  assert.deepEqual(
    [(await read('garden', 'en')).title, (await read('garden', 'en')).language],
    ['花园', 'zh'],
  )
  assert.match(JSON.stringify((await read('house', 'en')).body_tree), /"type":"em(phasis)?"/)
  const html = (await openPage('/pages/house')).body
  assert.match(html, /<title>The house · Kith<\/title>/)
  assert.match(html, /<h1>The house<\/h1>[\s\S]*Come <em>in<\/em>/)
  assert.match((await openPage('/pages/garden')).body, /<article class="article" lang="zh-CN"/)
  const listed = (await guest('GET', '/pages')).body
  assert.deepEqual(
    listed.map(({ slug }: { slug: string }) => slug),
    ['house', 'garden'],
  )
  // Linked at the foot of every page.
  assert.match((await openPage('/topics')).body, /<a href="\/pages\/house">The house<\/a>/)
})

test('keeps each version of a text, and restores an earlier one', async () => {
  const id = await create({ slug: 'notes', is_published: true, title_en: 'Notes', body_en: 'one' })
  assert.equal((await admin('PATCH', `pages/${id}`, { body_en: 'two' })).status, 204)
  // A form sends all fields. Unchanged texts add no version.
  assert.equal(
    (await admin('PATCH', `pages/${id}`, { title_en: 'Notes', body_en: 'two', place: 7 })).status,
    204,
  )
  const [second, first, ...more] = (await admin('GET', `page-versions?page_id=${id}`)).body.data
  assert.deepEqual([more.length, second.body, second.edited_by], [0, undefined, founder.id])
  const bodyOf = async (version: { id: number }) =>
    (await admin('GET', `page-versions/${version.id}?trees=1`)).body
  assert.deepEqual([(await bodyOf(second)).body, (await bodyOf(first)).body], ['two', 'one'])
  assert.ok((await bodyOf(first)).body_tree)
  assert.equal((await admin('GET', 'pages')).body.data.at(-1).body_en, undefined)
  assert.equal((await admin('PUT', `page-versions/${first.id}`)).status, 204)
  assert.equal((await guest('GET', '/pages/notes')).body.body, 'one')
  assert.equal((await admin('GET', `pages/${id}`)).body.versions, 3)
  assert.deepEqual(refusalOf(await admin('PUT', 'page-versions/999999999')), [404, 'no_such_page'])
})

test('rejects a taken address, an invalid address and a text without a title', async () => {
  await create({ slug: 'taken', title_en: 'x', body_en: 'x' })
  assert.deepEqual(refusalOf(await admin('POST', 'pages', { slug: 'taken' })), [422, 'slug_taken'])
  for (const slug of ['Upper', 'a b', '../x', '-a', ''])
    assert.equal((await admin('POST', 'pages', { slug })).status, 422, slug)
  assert.deepEqual(refusalOf(await admin('POST', 'pages', { slug: 'bare', body_en: 'x' })), [422, 'no_title'])
  assert.equal((await sql`select from site_pages where slug = 'bare'`).length, 0)
})

test('withdraws the text of a language whose body is emptied', async () => {
  const texts = { title_en: 'Two', body_en: 'English', title_zh: '双语', body_zh: '中文' }
  const id = await create({ slug: 'two', is_published: true, ...texts })
  const languageOf = async () =>
    (await guest('GET', '/pages/two', undefined, { 'accept-language': 'zh' })).body.language
  assert.equal(await languageOf(), 'zh')
  assert.equal((await admin('PATCH', `pages/${id}`, { title_zh: '', body_zh: null })).status, 204)
  assert.equal(await languageOf(), 'en')
  const { title_zh, body_zh } = (await admin('GET', `pages/${id}`)).body
  assert.deepEqual([title_zh, body_zh], [null, null])
  // The last text of a published page stays.
  assert.deepEqual(refusalOf(await admin('PATCH', `pages/${id}`, { body_en: '' })), [
    422,
    'nothing_to_publish',
  ])
  await admin('PATCH', `pages/${id}`, { is_published: false })
  assert.equal((await admin('PATCH', `pages/${id}`, { body_en: '' })).status, 204)
  const [empty] = (await admin('GET', `page-versions?page_id=${id}`)).body.data
  await admin('PATCH', `pages/${id}`, { is_published: true, body_en: 'English' })
  assert.deepEqual(refusalOf(await admin('PUT', `page-versions/${empty.id}`)), [422, 'nothing_to_publish'])
})

test('rejects a page above the limit', async () => {
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*)::int as count from site_pages where deleted_at is null`
  await sql`insert into site_pages (slug) select 'many-' || n from generate_series(1, ${50 - count}::int) n`
  assert.deepEqual(refusalOf(await admin('POST', 'pages', { slug: 'over' })), [422, 'too_many_pages'])
  await sql`delete from site_pages where slug like 'many-%'`
  await create({ slug: 'over' })
})

test('adds one version for each of two changes that race', async () => {
  const id = await create({ slug: 'race', title_en: 'Race', body_en: 'start' })
  const replies = await Promise.all(
    ['one', 'two'].map((body_en) => admin('PATCH', `pages/${id}`, { title_en: 'Race', body_en })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    [204, 204],
  )
  assert.equal((await admin('GET', `pages/${id}`)).body.versions, 3)
  const [again, taken] = await Promise.all(
    ['x', 'y'].map((title_en) => admin('POST', 'pages', { slug: 'raced', title_en, body_en: 'x' })),
  )
  assert.deepEqual([again?.status, taken?.status].sort(), [201, 422])
})

test('shows pictures of a page to its readers, and keeps them when uploads are tidied', async () => {
  const picture = await uploadPicture(world, founder)
  const body_en = `See @![map](${picture})`
  const id = await create({ slug: 'map', title_en: 'Map', body_en })
  const load = async () => (await guest('GET', `/files/${picture}?json=1`)).status
  assert.equal(await load(), 404)
  assert.equal((await as(founder, 'GET', `/files/${picture}?json=1`)).status, 200)
  assert.equal((await as(await person(), 'GET', `/files/${picture}?json=1`)).status, 404)
  await admin('PATCH', `pages/${id}`, { is_published: true })
  assert.equal(await load(), 200)
  await sql`update file_uses set created_at = now() - interval '2 days' where id = ${picture}`
  await addJob(sql, 'tidy_files', {})
  await work()
  assert.equal(await load(), 200)
  assert.match((await openPage('/pages/map')).body, new RegExp(`/files/${picture}`))
  // Versions that users agreed to keep their pictures, but only administrators may see them.
  await admin('DELETE', `pages/${id}`)
  assert.equal(await load(), 404)
})

test('frees the address of a deleted page', async () => {
  const id = await create({ slug: 'gone', is_published: true, title_en: 'Gone', body_en: 'x' })
  assert.equal((await admin('DELETE', `pages/${id}`)).status, 204)
  assert.equal((await guest('GET', '/pages/gone')).status, 404)
  await create({ slug: 'gone', title_en: 'Again', body_en: 'y' })
})

test('fills a page from its template with name, address and contact of the site', async () => {
  await under({ 'site:name': 'Riverside', 'site:contact': 'host@site.test' }, async () => {
    const id = await idOf('privacy')
    assert.equal((await admin('PUT', `pages/${id}/template`)).status, 204)
    const page = (await admin('GET', `pages/${id}`)).body
    assert.match(page.body_en, /host@site\.test/)
    assert.match(page.body_zh, /Riverside 不使用/)
    assert.doesNotMatch(page.body_en + page.body_zh, /\{\w+\}|Kith/)
    const own = await create({ slug: 'own', title_en: 'Own', body_en: 'x' })
    assert.deepEqual(refusalOf(await admin('PUT', `pages/${own}/template`)), [422, 'no_template'])
  })
})

test('records the versions that a new user agreed to, with the time (registration-9)', async () => {
  const id = await create({
    ...{ slug: 'charter', is_published: true, at_sign_up: true, title_en: 'Charter', body_en: 'v1' },
  })
  const linkOf = async () => {
    const { pages } = (await guest('GET', '/bootstrappers')).body
    return pages.find(({ slug }: { slug: string }) => slug === 'charter')
  }
  const { agreed_version: version } = await linkOf()
  await admin('PATCH', `pages/${id}`, { body_en: 'v2' })
  assert.notEqual((await linkOf()).agreed_version, version)
  const notAtSignUp = (await guest('GET', '/pages/house')).body.version
  const newer = (await linkOf()).agreed_version
  const { status, body } = await register({ agreed: [version, notAtSignUp, 999_999_999] })
  assert.equal(status, 201, JSON.stringify(body))
  const rows = await sql<{ user_id: number; version_id: number; fresh: boolean }[]>`
    select user_id, version_id, agreed_at > now() - interval '1 minute' as fresh from consents`
  assert.deepEqual(
    rows.map(({ version_id, fresh }) => [version_id, fresh]),
    [[version, true]],
  )
  assert.equal((await admin('GET', `pages/${id}`)).body.consents, 1)
  // Clients that know no pages register as before.
  assert.equal((await register()).status, 201)
  // Keeps one version of each page, the newest.
  assert.equal((await register({ agreed: [newer, version] })).status, 201)
  assert.deepEqual(
    (await sql<{ version_id: number }[]>`select version_id from consents order by user_id`).map(
      (row) => row.version_id,
    ),
    [version, newer],
  )
})

test('asks new users to agree, with and without scripts (registration-9)', async () => {
  const version = async () =>
    (await guest('GET', '/bootstrappers')).body.pages.find(({ slug }: { slug: string }) => slug === 'charter')
      .agreed_version as number
  const name = 'noscript'
  const email = 'noscript@mail.test'
  const post = (fields: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/join',
      headers: {
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'http://site.test',
        'sec-fetch-site': 'same-origin',
      },
      payload: new URLSearchParams(fields).toString(),
    })
  const asked = await post({ email })
  await work()
  const box = new RegExp(`<input type="checkbox" name="agreed" value="${await version()}" required`)
  assert.match(asked.body, box)
  assert.match(asked.body, /<a href="\/pages\/charter" target="_blank" rel="noopener">Charter<\/a>/)
  const agreed = String(await version())
  const fields = { email, code: lastCode(email), name, password: 'correct horse', agreed }
  const refused = await post({ ...fields, code: '000000' })
  assert.match(refused.body, /name="agreed" value="\d+"[^>]*checked/)
  assert.equal((await post(fields)).statusCode, 303)
  const rows = await sql<{ version_id: number }[]>`
    select c.version_id from consents c join users u on u.id = c.user_id where u.name = ${name}`
  assert.deepEqual(
    rows.map((row) => row.version_id),
    [Number(agreed)],
  )
})

test('erases the consents of a rejected registration', async () => {
  await under({ 'register:type': 'approval' }, async () => {
    const [{ id } = { id: 0 }] = await sql<{ id: number }[]>`
      select max(v.id) as id from site_page_versions v join site_pages p on p.id = v.page_id where p.slug = 'charter'`
    const made = await register({ name: 'not_taken', agreed: [id] })
    assert.equal(made.status, 202, JSON.stringify(made.body))
    const [user] = await sql<{ id: number }[]>`select id from users where name = 'not_taken'`
    const count = async () => (await sql`select from consents where user_id = ${user?.id ?? 0}`).length
    assert.equal(await count(), 1)
    const [request] = (await admin('GET', 'registrations?state=waiting')).body.data
    assert.equal((await admin('PATCH', `registrations/${request.id}`, { action: 'reject' })).status, 204)
    assert.equal(await count(), 0)
  })
})

test('exports consents with the text that the user agreed to, and erases them with the account', async () => {
  const { owner, exportOf } = await exportsOn(world)
  const ann = await owner()
  const [{ id } = { id: 0 }] = await sql<{ id: number }[]>`
    select v.id from site_page_versions v join site_pages p on p.id = v.page_id where p.slug = 'charter' order by v.id`
  await sql`insert into consents (user_id, version_id) values (${ann.id}, ${id})`
  const { list } = await exportOf(ann)
  const [consent] = list('consents')
  assert.deepEqual([consent.version_id, consent.version.page, consent.version.text], [id, 'charter', 'v1'])
  await under({ 'account:deletion-days': 0 }, async () => {
    assert.equal((await as(ann, 'DELETE', '/user', { password: 'correct horse' })).status, 202)
    await work()
  })
  assert.equal((await sql`select from consents where user_id = ${ann.id}`).length, 0)
})

test('reserves pages for administrators who may change the site', async () => {
  const member = await person()
  assert.equal((await as(member, 'GET', '/admin/pages')).status, 403)
  assert.equal((await as(member, 'POST', '/admin/pages', { slug: 'mine' })).status, 403)
  assert.equal((await as(member, 'PUT', '/admin/page-versions/1')).status, 403)
})
